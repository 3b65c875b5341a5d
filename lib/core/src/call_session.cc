#include "recloser/core/call_session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr int kMostAttempts = 100;
// The transport keeps deadlines by a clock of its own, in milliseconds: it may be so much ahead of the caller's.
constexpr Duration kTransportAhead = std::chrono::milliseconds(2);

int MaxAttempts(const MethodContext& method, const CallOverrides& overrides) {
  if (overrides.max_attempts) return std::clamp(*overrides.max_attempts, 1, kMostAttempts);
  return method.retries ? method.policy.retry.max_attempts : 1;
}

std::optional<RetrySuppressed> Forbidden(const MethodContext& method, const CallOverrides& overrides) {
  const bool repeatable = !method.streaming || (method.server_streaming && method.policy.retry.retry_server_streams);
  if (!repeatable) return RetrySuppressed::kCommitted;
  if (overrides.nested) return RetrySuppressed::kNested;
  if (overrides.unsupported_message) return RetrySuppressed::kUnsupportedMessage;
  return std::nullopt;
}

Action Plain(Action::Kind kind) {
  Action action;
  action.kind = kind;
  return action;
}

}  // namespace

CallSession::CallSession(MethodRef method, const CallOverrides& overrides, std::uint64_t seed)
    : held_(std::move(method)),
      method_(*held_),
      overrides_(overrides),
      max_attempts_(MaxAttempts(method_, overrides)),
      random_(seed),
      forbidden_(Forbidden(method_, overrides)) {}

CallSession::~CallSession() {
  if (phase_ == Phase::kNew || phase_ == Phase::kFinished) return;
  if (phase_ == Phase::kAttempt) {
    if (permit_) breaker()->Abandon(*permit_);
    if (shadow_permit_) shadow()->Abandon(*shadow_permit_);
    NotifyAttemptFinished(latest_, absl::StatusCode::kCancelled, Outcome::kIgnored);
  }
  method_.Notify([](MethodObserver& o) { o.OnRetrySuppressed(RetrySuppressed::kCancelled); });
  Finish(latest_, absl::StatusCode::kCancelled, /*local=*/true);
}

Action CallSession::Start(Time now, Time callers_deadline) {
  if (phase_ != Phase::kNew) return Plain(Action::Kind::kNone);
  started_ = now;
  has_attempt_timeout_ = !method_.streaming || may_retry();
  deadline_ = callers_deadline;
  if (method_.policy.deadline) {
    const Time policys = SaturatingAdd(now, *method_.policy.deadline);
    deadline_is_policys_ = policys < callers_deadline;
    deadline_ = std::min(policys, callers_deadline);
  }
  method_.Notify([](MethodObserver& o) { o.OnCallStarted(); });
  return Try(now);
}

Action CallSession::Try(Time now) {
  latest_ = now;
  Admission admission;
  if (SharedBreaker* const asked = breaker(); asked != nullptr) {
    AttemptInfo info;
    info.streaming = method_.streaming;
    admission = asked->TryAcquire(now, info);
    if (admission.admitted) permit_ = admission.permit;
    if (admission.would_reject) method_.Notify([](MethodObserver& o) { o.OnRejected(/*shadow=*/true); });
    if (shadow() == nullptr) NotifyShadow(admission, /*enforced_rejects=*/false);
  }
  const bool shadow_rejects = shadow() != nullptr && AskShadow(now, !admission.admitted);
  Action action = admission.admitted ? Send(now) : OnRejected(now, admission.rejection);
  action.refused = !admission.admitted || admission.would_reject || shadow_rejects;
  return action;
}

bool CallSession::AskShadow(Time now, bool enforced_rejects) {
  AttemptInfo info;
  info.streaming = method_.streaming;
  info.hypothetical = enforced_rejects;
  const Admission admission = shadow()->TryAcquire(now, info);
  if (!enforced_rejects) shadow_permit_ = admission.permit;
  NotifyShadow(admission, enforced_rejects);
  return admission.would_reject;
}

void CallSession::NotifyShadow(const Admission& admission, bool enforced_rejects) const {
  if (!admission.permit.shadow) return;
  const ShadowDecision decision{enforced_rejects, admission.would_reject};
  method_.Notify([&](MethodObserver& o) { o.OnShadowDecision(decision); });
}

Action CallSession::Send(Time now) {
  phase_ = Phase::kAttempt;
  ++attempts_;
  attempt_started_ = now;
  attempt_deadline_ = deadline_;
  attempt_timeout_set_ = false;
  const std::optional<Duration> timeout = overrides_.attempt_timeout ? overrides_.attempt_timeout : method_.policy.attempt_timeout;
  if (timeout && has_attempt_timeout_) {
    const Time end = SaturatingAdd(now, *timeout);
    attempt_timeout_set_ = end < deadline_;
    attempt_deadline_ = std::min(end, deadline_);
  }
  method_.Notify([&](MethodObserver& o) { o.OnAttemptStarted(attempts_); });

  Action action = Plain(Action::Kind::kSend);
  action.deadline = attempt_deadline_;
  action.deadline_is_attempt_timeout = attempt_timeout_set_;
  return action;
}

Action CallSession::OnRejected(Time now, const Rejection& rejection) {
  ++rejections_;
  last_rejection_ = rejection;
  method_.Notify([](MethodObserver& o) { o.OnRejected(/*shadow=*/false); });
  if (method_.policy.retry.retry_rejections && may_retry() && rejection.retry_after != kForever) {
    const Duration delay = std::max(rejection.retry_after, BackoffDelay(method_.policy.retry.backoff, tries(), random_));
    if (FitsDeadline(now, delay)) return Wait(now, {delay, retry_reason_.value_or(RetryReason::kCode)});
  }
  return Deliver(now, RetrySuppressed::kBreakerOpen);
}

Action CallSession::Wait(Time now, Retry retry) {
  phase_ = Phase::kBackoff;
  retry_reason_ = retry.reason;
  wake_ = SaturatingAdd(now, retry.delay);
  method_.Notify([&](MethodObserver& o) { o.OnRetryScheduled(retry.reason, retry.delay); });
  Action action = Plain(Action::Kind::kWait);
  action.wake = wake_;
  return action;
}

Action CallSession::OnAttemptFinished(Time now, AttemptResult result) {
  if (phase_ != Phase::kAttempt) return Plain(Action::Kind::kNone);
  latest_ = now;
  result.streaming = method_.streaming;
  result.allowed = SaturatingDifference(attempt_deadline_, attempt_started_);
  const bool timed_out = NotifyTimeout(now, result);
  result.attempt_timed_out = result.attempt_timed_out || (timed_out && attempt_timeout_set_);
  result.outcome_by_hook.reset();
  result.outcome_by_hook = AskHook(method_.policy.breaker.classify, result);

  NotifyAttemptFinished(now, result.code, GiveBackPermit(now, result));
  if (shadow_permit_) GiveBackShadowPermit(now, result);
  last_code_ = result.code;
  last_local_ = result.cancelled_by_caller || result.rejected_by_recloser || timed_out;

  const bool budget_allows = UpdateBudget(result);
  if (result.code == absl::StatusCode::kOk) {
    Finish(now, last_code_, last_local_);
    return Plain(Action::Kind::kDeliver);
  }
  const std::variant<Retry, RetrySuppressed> next = Decide(now, result, budget_allows);
  if (const auto* why = std::get_if<RetrySuppressed>(&next)) return Deliver(now, *why);
  return Wait(now, std::get<Retry>(next));
}

Action CallSession::OnTimer(Time now) {
  if (phase_ != Phase::kBackoff) return Plain(Action::Kind::kNone);
  if (now < wake_) {
    Action action = Plain(Action::Kind::kWait);
    action.wake = wake_;
    return action;
  }
  if (!FitsDeadline(now, Duration::zero())) return Deliver(now, RetrySuppressed::kDeadline);  // the timer came late
  return Try(now);
}

Action CallSession::OnCancelled(Time now) {
  if (phase_ != Phase::kBackoff) return Plain(Action::Kind::kNone);
  method_.Notify([](MethodObserver& o) { o.OnRetrySuppressed(RetrySuppressed::kCancelled); });
  Finish(now, absl::StatusCode::kCancelled, /*local=*/true);
  return Plain(Action::Kind::kCancel);
}

void CallSession::OnStreamMessage(Time now) {
  if (phase_ != Phase::kAttempt) return;
  latest_ = now;
  if (std::exchange(stream_started_, true)) return;  // only the first message is worth the breaker's lock
  ForbidRetries(RetrySuppressed::kCommitted);
  attempt_deadline_ = deadline_;  // an attempt timeout was for the first message
  attempt_timeout_set_ = false;
  if (permit_) breaker()->StreamStarted(*permit_, now);
  if (shadow_permit_) shadow()->StreamStarted(*shadow_permit_, now);
}

void CallSession::ForbidRetries(RetrySuppressed why) {
  if (!forbidden_) forbidden_ = why;
}

bool CallSession::may_retry() const {
  // The first attempt is no retry, made or not.
  return phase_ != Phase::kFinished && !forbidden_ && std::max(tries(), 1) < max_attempts_;
}

Action CallSession::Deliver(Time now, RetrySuppressed why) {
  method_.Notify([&](MethodObserver& o) { o.OnRetrySuppressed(why); });
  if (attempts_ > 0) {
    Finish(now, last_code_, last_local_);
    return Plain(Action::Kind::kDeliver);
  }
  Finish(now, absl::StatusCode::kUnavailable, /*local=*/true);
  Action action = Plain(Action::Kind::kReject);
  action.rejection = last_rejection_;
  return action;
}

void CallSession::Finish(Time now, absl::StatusCode code, bool local) {
  phase_ = Phase::kFinished;
  const CallFinished finished{code, local, Elapsed(started_, now), attempts_};
  method_.Notify([&](MethodObserver& o) { o.OnCallFinished(finished); });
}

std::optional<Outcome> CallSession::AskHook(const OutcomeHook& classify, const AttemptResult& result) const {
  std::optional<Outcome> word;
  // A status that a Recloser made says nothing about the service, whatever the hook would read from it.
  if (!classify || result.rejected_by_recloser) return word;
  if (!method_.registry->Guard([&] { word = classify(result); }) && !method_.hook_problem_told->exchange(true, std::memory_order_relaxed)) {
    method_.registry->Report({Problem::Kind::kHookThrew, method_.id.target,
                              absl::StrCat("the outcome hook of ", method_.id.service, "/", method_.id.method, " threw")});
  }
  return word;
}

Outcome CallSession::GiveBackPermit(Time now, const AttemptResult& result) {
  if (!permit_) return Classify(result, std::nullopt);
  return breaker()->Record(*std::exchange(permit_, std::nullopt), now, result);
}

void CallSession::GiveBackShadowPermit(Time now, AttemptResult result) {
  const OutcomeHook& own = method_.policy.shadow_breaker->classify;
  if (own) {
    result.outcome_by_hook.reset();
    result.outcome_by_hook = AskHook(own, result);
  }
  shadow()->Record(*std::exchange(shadow_permit_, std::nullopt), now, result);
}

void CallSession::NotifyAttemptFinished(Time now, absl::StatusCode code, Outcome outcome) {
  const AttemptFinished finished{code, outcome, Elapsed(attempt_started_, now), attempts_};
  const std::optional<RetryReason> retried = std::exchange(retry_reason_, std::nullopt);
  method_.Notify([&](MethodObserver& o) {
    o.OnAttemptFinished(finished);
    if (retried) o.OnRetryFinished(*retried, code == absl::StatusCode::kOk);
  });
}

bool CallSession::NotifyTimeout(Time now, const AttemptResult& result) const {
  if (result.code != absl::StatusCode::kDeadlineExceeded && !result.attempt_timed_out) return false;
  if (result.rejected_by_recloser || result.cancelled_by_caller) return false;
  if (result.stream_idle) {
    method_.Notify([](MethodObserver& o) { o.OnTimeout(TimeoutScope::kStreamIdle, TimeoutSource::kPolicy); });
    return true;
  }
  TimeoutScope scope = TimeoutScope::kCall;
  TimeoutSource source = deadline_is_policys_ ? TimeoutSource::kPolicy : TimeoutSource::kCaller;
  const Time reached = SaturatingAdd(now, kTransportAhead);
  if (reached < deadline_) {
    if (!result.attempt_timed_out && (!attempt_timeout_set_ || reached < attempt_deadline_)) return false;
    scope = TimeoutScope::kAttempt;
    source = overrides_.attempt_timeout ? TimeoutSource::kCaller : TimeoutSource::kPolicy;
  }
  method_.Notify([&](MethodObserver& o) { o.OnTimeout(scope, source); });
  return true;
}

bool CallSession::IsRetryable(const AttemptResult& result) const {
  const RetryOptions& retry = method_.policy.retry;
  if (result.code == absl::StatusCode::kOk || result.cancelled_by_caller || IsMessageTooLarge(result)) return false;
  if (result.rejected_by_recloser) return retry.retry_rejections;
  const bool timed_out = result.attempt_timed_out || result.stream_idle;
  return (timed_out && retry.retry_attempt_timeouts) || retry.IsRetryable(result.code);
}

bool CallSession::UpdateBudget(const AttemptResult& result) const {
  if (result.code == absl::StatusCode::kOk) {
    method_.budget->Deposit();
    return true;
  }
  // As gRFC A6 says, also for calls that will not be retried: the bucket measures the service.
  if (IsRetryable(result) || result.pushback.kind == Pushback::Kind::kStop) return method_.budget->Withdraw();
  return true;
}

std::variant<CallSession::Retry, RetrySuppressed> CallSession::Decide(Time now, const AttemptResult& result, bool budget_allows) {
  if (result.cancelled_by_caller) return RetrySuppressed::kCancelled;
  if (!IsRetryable(result) || (!method_.retries && !overrides_.max_attempts && forbidden_ != RetrySuppressed::kCommitted)) {
    return RetrySuppressed::kNotRetryable;
  }
  if (forbidden_) return *forbidden_;
  if (result.pushback.kind == Pushback::Kind::kStop) return RetrySuppressed::kPushback;
  if (result.pushback.kind == Pushback::Kind::kDelay && result.pushback.delay > overrides_.longest_wait) return RetrySuppressed::kPushback;
  if (tries() >= max_attempts_) return RetrySuppressed::kMaxAttempts;
  if (!budget_allows) return RetrySuppressed::kBudget;

  Retry retry{result.pushback.delay, RetryReason::kPushback};
  if (result.pushback.kind != Pushback::Kind::kDelay) {
    retry.delay = std::min(BackoffDelay(method_.policy.retry.backoff, tries(), random_), overrides_.longest_wait);
    retry.reason = result.attempt_timed_out || result.stream_idle ? RetryReason::kAttemptTimeout : RetryReason::kCode;
  }
  if (!FitsDeadline(now, retry.delay)) return RetrySuppressed::kDeadline;
  return retry;
}

bool CallSession::FitsDeadline(Time now, Duration delay) const {
  if (deadline_ == kInfiniteFuture) return true;
  // An attempt needs at least the time that the service usually takes.
  const std::optional<Duration> needed = breaker() == nullptr ? std::nullopt : breaker()->healthy_latency();
  return SaturatingAdd(SaturatingAdd(now, delay), needed.value_or(Duration::zero())) < deadline_;
}

std::string RejectionMessage(const SharedBreaker& breaker, const Rejection& rejection) {
  std::string message = absl::StrCat("recloser: circuit breaker of ", breaker.id().target, " ", breaker.id().name(), " is ",
                                     StateName(rejection.state), "; ");
  if (rejection.retry_after == kForever) return absl::StrCat(message, "it stays so until it is reset by hand");
  if (rejection.retry_after <= Duration::zero()) return absl::StrCat(message, "the next probe is due");
  return absl::StrCat(message, "next probe in ", FormatDuration(rejection.retry_after));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
