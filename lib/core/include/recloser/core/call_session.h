// One logical call: turns events (started, attempt finished, timer, cancelled) into actions (send an attempt, wait, reject, deliver).
//
// The order of the policies: total deadline -> retry -> breaker -> attempt timeout. The breaker sees attempts; back-off holds no permit; no
// retry is started that can't finish before the deadline; the last real result is delivered at once instead. gRPC and the simulator are
// two drivers of this same object:
//
//   CallSession session(link->Method("/orders.Orders/Get", traits, now), overrides, registry->NextSeed());
//   Action action = session.Start(now, callers_deadline);
//   while (true) switch (action.kind) {
//     case kSend:     // make attempt number `session.attempts()` until `action.deadline`
//       action = session.OnAttemptFinished(now, result);
//       break;
//     case kWait:     // sleep until `action.wake`
//       action = session.OnTimer(now);
//       break;
//     case kReject:   return;  // deliver RejectionMessage(...)
//     case kDeliver:  return;  // deliver the last result
//     case kCancel:   return;  // deliver a cancellation
//     case kNone:     return;
//   }
//
// A timer and a cancellation may come in either order: the session answers the later one with kNone, so a call is completed once.
//
// Thread safety: none; one event at a time. `OnCancelled` too: the driver serialises it. A session destroyed before its end gives its
// permit back.
#ifndef RECLOSER_CORE_CALL_SESSION_H_
#define RECLOSER_CORE_CALL_SESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "recloser/core/breaker.h"
#include "recloser/core/export.h"
#include "recloser/core/method_context.h"
#include "recloser/core/observer.h"
#include "recloser/core/outcome.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// What one call asks for, over its method's policy.
struct CallOverrides {
  std::optional<int> max_attempts;  // 1 = no retry
  std::optional<Duration> attempt_timeout;
  bool bypass_breaker = false;  // neither asked nor told
  /// The call is itself a retry of a caller upstream (`recloser-previous-attempts` or gRPC's header of that kind came with it), or gRPC's
  /// own retryPolicy is active: no retries.
  bool nested = false;
  /// The binding can't re-create the request or the response: no retries.
  bool unsupported_message = false;
  /// The longest back-off: a longer one is cut to it, a longer pushback forbids the retry. For calls whose parent's cancellation can't end
  /// a wait.
  Duration longest_wait = kForever;
};

struct Action {
  enum class Kind {
    kSend,     // make an attempt that ends by `deadline`
    kWait,     // back-off: call OnTimer at `wake`
    kReject,   // the breaker refused the first attempt; end the call with `rejection`
    kDeliver,  // end the call with the result of the last attempt
    kCancel,   // end the call as cancelled
    kNone,     // nothing to do: the call has ended already, or an attempt is in flight whose end decides
  };
  Kind kind = Kind::kDeliver;
  Time deadline = kInfiniteFuture;           // kSend
  bool deadline_is_attempt_timeout = false;  // kSend: `deadline` is the attempt's, earlier than the call's
  Time wake = kInfiniteFuture;               // kWait
  Rejection rejection;                       // kReject
  /// A breaker of the method refused an attempt just now, or in shadow mode would have.
  bool refused = false;
};

class CallSession {
 public:
  /// The session holds `method` to its end, so a call ends under the policies that it began with.
  CallSession(MethodRef method, const CallOverrides& overrides, std::uint64_t seed);
  CallSession(const CallSession&) = delete;
  CallSession& operator=(const CallSession&) = delete;
  ~CallSession();

  /// The call begins. `callers_deadline`: kInfiniteFuture for none.
  Action Start(Time now, Time callers_deadline);
  /// The attempt in flight ended. The session fills `allowed`, `attempt_timed_out` and the user's hook's word itself.
  Action OnAttemptFinished(Time now, AttemptResult result);
  /// The back-off's time is over. Too early a call is answered with the same kWait.
  Action OnTimer(Time now);
  /// The application gave up while no attempt is in flight (in back-off). During an attempt, finish the attempt with `cancelled_by_caller`;
  /// until then this does nothing.
  Action OnCancelled(Time now);
  /// A message of a stream arrived. With the first one the stream is committed: no retry and no attempt timeout from now on, and its permit
  /// is not in flight any more.
  void OnStreamMessage(Time now);
  /// No further attempt from now on, for the reason given; the first reason stands.
  void ForbidRetries(RetrySuppressed why);

  /// Attempts started so far.
  int attempts() const { return attempts_; }
  /// The end of the whole call; kInfiniteFuture for none.
  Time deadline() const { return deadline_; }
  /// Could a failed attempt, the first included, still be retried? Bindings keep the request only then.
  bool may_retry() const;
  bool finished() const { return phase_ == Phase::kFinished; }
  const MethodContext& method() const { return method_; }

 private:
  enum class Phase { kNew, kAttempt, kBackoff, kFinished };

  struct Retry {
    Duration delay;
    RetryReason reason;
  };

  Action Try(Time now);
  /// Asks the shadow, if there is one. True when it would have refused.
  bool AskShadow(Time now, bool enforced_rejects);
  void NotifyShadow(const Admission& admission, bool enforced_rejects) const;
  Action Send(Time now);
  Action OnRejected(Time now, const Rejection& rejection);
  Action Wait(Time now, Retry retry);
  /// Ends the call with the last result, or with the rejection when there was never an attempt.
  Action Deliver(Time now, RetrySuppressed why);
  void Finish(Time now, absl::StatusCode code, bool local);

  /// The word of the user's hook, if there is one and it does not throw.
  std::optional<Outcome> AskHook(const OutcomeHook& classify, const AttemptResult& result) const;
  Outcome GiveBackPermit(Time now, const AttemptResult& result);
  void GiveBackShadowPermit(Time now, AttemptResult result);
  void NotifyAttemptFinished(Time now, absl::StatusCode code, Outcome outcome);
  /// Did the attempt run into its deadline or the call's? Tells the observers.
  bool NotifyTimeout(Time now, const AttemptResult& result) const;
  bool IsRetryable(const AttemptResult& result) const;
  /// True if the budget allows a retry.
  bool UpdateBudget(const AttemptResult& result) const;
  /// The next attempt, or why there is none.
  std::variant<Retry, RetrySuppressed> Decide(Time now, const AttemptResult& result, bool budget_allows);
  bool FitsDeadline(Time now, Duration delay) const;
  SharedBreaker* breaker() const { return overrides_.bypass_breaker ? nullptr : method_.breaker.get(); }
  SharedBreaker* shadow() const { return overrides_.bypass_breaker ? nullptr : method_.shadow_breaker.get(); }
  /// Attempts started and refused.
  int tries() const { return attempts_ + rejections_; }

  const MethodRef held_;
  const MethodContext& method_;
  const CallOverrides overrides_;
  const int max_attempts_;
  Random random_;
  Phase phase_ = Phase::kNew;
  int attempts_ = 0;
  int rejections_ = 0;
  Rejection last_rejection_;
  Time started_{};
  Time latest_{};  // the newest `now`, for the destructor, which is told none
  Time deadline_ = kInfiniteFuture;
  bool deadline_is_policys_ = false;
  Time wake_{};
  Time attempt_started_{};
  Time attempt_deadline_ = kInfiniteFuture;
  bool has_attempt_timeout_ = true;
  bool attempt_timeout_set_ = false;  // `attempt_deadline_` is earlier than `deadline_`
  std::optional<Permit> permit_;
  std::optional<Permit> shadow_permit_;
  bool stream_started_ = false;
  std::optional<RetryReason> retry_reason_;  // the attempt in flight or in back-off is a retry
  std::optional<RetrySuppressed> forbidden_;
  absl::StatusCode last_code_ = absl::StatusCode::kOk;
  bool last_local_ = false;
};

/// The status message of a rejected call: names the breaker and the time to the next probe.
std::string RejectionMessage(const SharedBreaker& breaker, const Rejection& rejection);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_CALL_SESSION_H_
