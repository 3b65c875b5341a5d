#include "oracle.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace recloser::stress {
namespace {

using grpc::StatusCode;

std::uint32_t FirstBits(int count) { return (std::uint32_t{1} << count) - 1; }

bool IsRetryable(const Policies& policies, StatusCode code) {
  return policies.defaults.retry.IsRetryable(static_cast<absl::StatusCode>(code));
}

bool Stops(const Reply& reply) { return *reply.pushback != '\0' && (*reply.pushback < '0' || *reply.pushback > '9'); }

/// The status that a call without a word of the service may have.
bool IsExcused(StatusCode code, const Excuses& excuses) {
  switch (code) {
    case StatusCode::CANCELLED:
      return excuses.cancelled || excuses.connection;  // a server that is shut down at once cancels its calls
    case StatusCode::DEADLINE_EXCEEDED:
      return excuses.timed;
    case StatusCode::UNAVAILABLE:
      return excuses.connection;
    default:
      return false;
  }
}

/// Messages of streams: all of one attempt, in order, and when the stream ended by the service's word, all of them.
std::string JudgeMessages(const CallPlan& plan, const CallOutcome& outcome, bool by_service) {
  if (outcome.messages_wrong) return "messages out of order, not whole, or of another call";
  if (outcome.messages > 0 && !outcome.dropped && outcome.messages_attempt != outcome.attempts - 1) {
    return absl::StrCat("messages of attempt ", outcome.messages_attempt);
  }
  if (!by_service || outcome.dropped || IsUnary(plan.method) || plan.method == Method::kClientStream) return "";
  const Reply& reply = plan.replies[static_cast<std::size_t>(outcome.attempts - 1)];
  const int sent = plan.method == Method::kBidiStream ? std::min(reply.messages, plan.writes) : reply.messages;
  if (outcome.messages != sent) return absl::StrCat(outcome.messages, " messages of ", sent);
  return "";
}

std::string JudgeRejected(const EpochPlan& epoch, const CallPlan& plan, const CallOutcome& outcome, std::uint32_t reached) {
  if (!epoch.may_reject() || plan.bypass_breaker) return "rejected, though no breaker may";
  if (outcome.code != StatusCode::UNAVAILABLE || !absl::StartsWith(outcome.message, "recloser: circuit breaker of ")) {
    return "a rejection with another status";
  }
  if (reached != 0) return "rejected, and an attempt reached the service";
  if (outcome.messages != 0 || !outcome.header_mark.empty() || !outcome.trailer_mark.empty()) return "rejected, with an answer";
  return "";
}

}  // namespace

Excuses ExcusesOf(const EpochPlan& epoch, const CallPlan& plan, const CallOutcome& outcome) {
  Excuses excuses;
  excuses.cancelled = outcome.cancelled || outcome.dropped;
  excuses.timed =
      plan.deadline || epoch.has_deadlines() || (plan.attempt_timeout && (IsUnary(plan.method) || plan.method == Method::kServerStream));
  excuses.connection = epoch.restarts;
  return excuses;
}

int ExactAttempts(const EpochPlan& epoch, const CallPlan& plan, const Excuses& excuses) {
  const bool breaker_decides = epoch.may_reject() && !plan.bypass_breaker;
  if (excuses.any() || breaker_decides || epoch.has_budget() || epoch.policies.size() > 1) return 0;
  const RetryOptions& retry = epoch.policies[0].defaults.retry;
  const bool may = IsUnary(plan.method) || (plan.method == Method::kServerStream && retry.retry_server_streams);
  const bool retries = may && (plan.max_attempts > 0 || retry.mode == RetryMode::kAlways ||
                               (retry.mode == RetryMode::kIdempotent && plan.method == Method::kEcho));
  const int most = !retries ? 1 : plan.max_attempts > 0 ? plan.max_attempts : retry.max_attempts;
  for (int attempt = 1; attempt < most; ++attempt) {
    const Reply& reply = plan.replies[static_cast<std::size_t>(attempt - 1)];
    const bool committed = plan.method == Method::kServerStream && reply.messages > 0;
    if (!IsRetryable(epoch.policies[0], reply.code) || Stops(reply) || committed) return attempt;
  }
  return most;
}

std::string Judge(const EpochPlan& epoch, int id, const CallPlan& plan, const CallOutcome& outcome, std::uint32_t reached) {
  if (outcome.started != 1) return absl::StrCat("begun ", outcome.started.load(), " times");
  if (outcome.completions != 1) return absl::StrCat("completed ", outcome.completions.load(), " times");
  if (!outcome.released) return "its context was never deleted";
  // Of two batches the first can't be sent, and its headers can't be read, once a call is cancelled or late.
  const bool may_say_no = plan.api == Api::kQueueTwoBatch && ExcusesOf(epoch, plan, outcome).any();
  if (outcome.queue_said_no && !may_say_no) return "a unary call's tag came back not ok";
  if (outcome.dropped)
    return (reached & ~FirstBits(kMostAttempts)) != 0 ? "more attempts than allowed" : JudgeMessages(plan, outcome, false);
  if (outcome.rejected) return JudgeRejected(epoch, plan, outcome, reached);

  const Excuses excuses = ExcusesOf(epoch, plan, outcome);
  if (outcome.attempts == 0 && excuses.any() && reached == 0) return IsExcused(outcome.code, excuses) ? "" : "a status without an attempt";
  if (outcome.attempts < 1 || outcome.attempts > kMostAttempts) return absl::StrCat(outcome.attempts, " attempts");
  if ((reached & ~FirstBits(outcome.attempts)) != 0) return absl::StrCat("attempts of which the caller does not know: ", reached);
  if (!excuses.any() && reached != FirstBits(outcome.attempts)) return absl::StrCat("attempts that the service did not see: ", reached);

  const int last = outcome.attempts - 1;
  const Reply& reply = plan.replies[static_cast<std::size_t>(last)];
  const std::string mark = Mark(id, last);
  const bool by_service = !reply.hang && outcome.code == reply.code && outcome.trailer_mark == mark;
  if (by_service) {
    if (outcome.message != (reply.code == StatusCode::OK ? "" : mark)) return "the message is another attempt's";
    // gRPC (1.51, its own retries off) may lose the headers of a call that is cancelled or late at the instant of its end.
    const bool may_lack_headers = reply.code != StatusCode::OK || excuses.any();
    if (outcome.header_mark != mark && !(outcome.header_mark.empty() && may_lack_headers)) return "the headers are another attempt's";
    if ((reached >> last & 1) == 0) return "an answer that the service did not give";
    if (IsUnary(plan.method) && outcome.messages != (reply.code == StatusCode::OK ? 1 : 0)) return "no message, or one too many";
  } else {
    if (!IsExcused(outcome.code, excuses)) return "neither the service's word nor excused";
    // A cancellation or a deadline may come between the arrival of the service's word and its delivery.
    if (!outcome.trailer_mark.empty() && outcome.trailer_mark != mark) return "the trailers are another attempt's";
  }
  if (const std::string wrong = JudgeMessages(plan, outcome, by_service); !wrong.empty()) return wrong;

  const int exact = ExactAttempts(epoch, plan, excuses);
  if (exact != 0 && exact != outcome.attempts) return absl::StrCat(exact, " attempts were due");
  return "";
}

}  // namespace recloser::stress
