#include "live_call.h"

#include <chrono>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "recloser/recloser.h"
#include "service.h"

namespace recloser::stress {
namespace {

std::string Value(const std::multimap<grpc::string_ref, grpc::string_ref>& metadata, const char* key) {
  const auto it = metadata.find(key);
  return it == metadata.end() ? std::string() : std::string(it->second.data(), it->second.size());
}

/// "12.3.0" -> 3; -1 when it is not of that form.
int AttemptOf(const std::string& payload) {
  const std::vector<absl::string_view> parts = absl::StrSplit(payload, absl::MaxSplits('.', 2));
  int attempt = -1;
  return parts.size() == 3 && absl::SimpleAtoi(parts[1], &attempt) && attempt >= 0 && attempt < kMostAttempts ? attempt : -1;
}

}  // namespace

LiveCall::Release::~Release() {
  outcome.released = true;
  released();
}

LiveCall::LiveCall(int call, const CallPlan& call_plan, CallOutcome& outcome, const std::function<void()>& released)
    : release{outcome, released}, id(call), plan(call_plan), seen(outcome) {
  ++seen.started;
}

void LiveCall::Prepare(Timers& timers) {
  context.AddMetadata(kCallHeader, absl::StrCat(id));
  if (plan.deadline) context.set_deadline(std::chrono::system_clock::now() + *plan.deadline);
  context.set_wait_for_ready(plan.wait_for_ready);
  CallOptions options(&context);
  if (plan.max_attempts > 0) options.MaxAttempts(plan.max_attempts);
  if (plan.attempt_timeout) options.AttemptTimeout(*plan.attempt_timeout);
  if (plan.bypass_breaker) options.BypassBreaker();
  if (plan.cancel == CallPlan::Cancel::kBefore) Cancel();
  if (plan.cancel == CallPlan::Cancel::kLater) {
    timers.After(plan.cancel_after, [weak = weak_from_this()] {
      if (const auto call = weak.lock()) call->Cancel();
    });
  }
}

void LiveCall::Cancel() {
  seen.cancelled = true;
  context.TryCancel();
}

void LiveCall::Received() {
  const std::string& payload = response.payload();
  if (seen.messages_attempt < 0) seen.messages_attempt = AttemptOf(payload);
  const int attempt = seen.messages_attempt;
  if (attempt < 0 || payload != Payload(id, attempt, seen.messages, plan.replies[static_cast<std::size_t>(attempt)].padding)) {
    seen.messages_wrong = true;
  }
  if (++seen.messages == 1 && plan.cancel == CallPlan::Cancel::kAtFirstMessage) Cancel();
}

void LiveCall::Finish(bool ok) {
  seen.code = status.error_code();
  seen.message = status.error_message();
  seen.header_mark = Value(context.GetServerInitialMetadata(), kMarkKey);
  seen.trailer_mark = Value(context.GetServerTrailingMetadata(), kMarkKey);
  seen.attempts = GetAttempts(context);
  seen.rejected = GetRejection(context).has_value();
  seen.queue_said_no = !ok;
  // Of these the response is part of the end.
  if (status.ok() && (IsUnary(plan.method) || plan.method == Method::kClientStream)) Received();
  ++seen.completions;
}

void LiveCall::Drop() {
  seen.dropped = true;
  ++seen.completions;
}

}  // namespace recloser::stress
