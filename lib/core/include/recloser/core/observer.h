// Events: what the library tells about itself.
//
// Subclass `Observer`, override what you need, add it to the registry before channels are made:
//
//   class Log final : public Observer {
//     void OnTransition(const SharedBreaker& b, const BreakerTransition& t) override { LOG(INFO) << b.id().name() << ' ' << Explain(t); }
//   };
//   Registry::Global()->AddObserver(std::make_shared<Log>());
//
// Thread safety: members are called from many threads at once, never under a lock of the library; transitions of one breaker arrive one at
// a time and in order. What an observer throws is caught and counted (`Registry::listener_errors`). A member may control
// breakers and make calls, but should be quick: the thread that runs it may be the one that makes all retries. A call that it begins on
// that thread is not retried, so it may even wait for it.
#ifndef RECLOSER_CORE_OBSERVER_H_
#define RECLOSER_CORE_OBSERVER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/breaker.h"
#include "recloser/core/export.h"
#include "recloser/core/outcome.h"
#include "recloser/core/shadow.h"
#include "recloser/core/shared_breaker.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// One method of one target, as calls see it.
struct MethodId {
  std::string target;
  std::string service;  // "package.Service"
  std::string method;   // "Method"
};

enum class RetryReason { kCode, kAttemptTimeout, kPushback };
inline constexpr int kRetryReasons = 3;
absl::string_view RetryReasonName(RetryReason reason);  // "code", "attempt_timeout", "pushback"

/// Why a failed call got no further attempt.
enum class RetrySuppressed {
  kBudget,        // the token bucket is half full or less
  kDeadline,      // another attempt could not finish in time
  kNotRetryable,  // the code or the method is not retried
  kPushback,      // the server forbade it
  kCommitted,     // a response was delivered already, or a stream
  kBreakerOpen,   // the breaker rejected the next attempt
  kMaxAttempts,
  kNested,              // this call is itself a retry of somebody upstream, or gRPC's own retryPolicy is active
  kUnsupportedMessage,  // the binding can't re-create this message
  kCancelled,           // the application gave up
};
inline constexpr int kRetrySuppressedReasons = 10;
absl::string_view RetrySuppressedName(RetrySuppressed why);  // "budget", "deadline", ...

enum class TimeoutScope {
  kCall,
  kAttempt,
  kStreamIdle,  // `MethodPolicy::stream_idle_timeout`
};
inline constexpr int kTimeoutScopes = 3;
absl::string_view TimeoutScopeName(TimeoutScope scope);  // "call", "attempt", "stream_idle"
enum class TimeoutSource { kPolicy, kCaller };

struct CallFinished {
  absl::StatusCode code = absl::StatusCode::kOk;
  bool local = false;  // made by Recloser or the caller: a rejection, a deadline, a cancellation
  Duration duration = Duration::zero();
  int attempts = 0;
};

struct AttemptFinished {
  absl::StatusCode code = absl::StatusCode::kOk;
  Outcome outcome = Outcome::kSuccess;
  Duration duration = Duration::zero();
  int number = 1;
};

/// Events of one method. Made once per method, so that an implementation resolves its labels once and not per call.
class MethodObserver {
 public:
  virtual ~MethodObserver() = default;
  virtual void OnCallStarted() {}
  virtual void OnCallFinished(const CallFinished&) {}
  virtual void OnAttemptStarted(int /*number*/) {}
  virtual void OnAttemptFinished(const AttemptFinished&) {}
  /// An attempt or a call ran into its deadline, or a stream waited too long for a message.
  virtual void OnTimeout(TimeoutScope, TimeoutSource) {}
  /// Another attempt will be made after `delay`.
  virtual void OnRetryScheduled(RetryReason, Duration /*delay*/) {}
  /// That attempt ended.
  virtual void OnRetryFinished(RetryReason, bool /*success*/) {}
  virtual void OnRetrySuppressed(RetrySuppressed) {}
  /// The breaker rejected an attempt; with `shadow` it only would have.
  virtual void OnRejected(bool /*shadow*/) {}
  /// A shadow was asked about an attempt: `MethodPolicy::shadow_breaker`, or without one `breaker` in mode kShadow.
  virtual void OnShadowDecision(const ShadowDecision&) {}
};

/// Something is wrong with how the library is used. Told once per channel; kTooManyBreakers once per registry, a breaker's factory that
/// throws each time.
struct Problem {
  enum class Kind { kCoreRetryPolicy, kUnsupportedMessage, kTooManyBreakers, kTooManyMethods, kHookThrew };
  Kind kind;
  std::string target;
  std::string detail;
};
inline constexpr int kProblemKinds = 5;
absl::string_view ProblemName(Problem::Kind kind);  // "core_retry_policy", "unsupported_message", "too_many_breakers", ...

class Observer {
 public:
  virtual ~Observer() = default;
  /// Called when a channel first uses a method, so possibly several times for one id (several channels, or two threads at once). The calls'
  /// events go to the result. Null = not interested.
  virtual std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) { return nullptr; }
  virtual void OnTransition(const SharedBreaker&, const BreakerTransition&) {}
  virtual void OnProblem(const Problem&) {}
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_OBSERVER_H_
