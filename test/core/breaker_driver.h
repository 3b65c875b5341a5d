// Drives breakers in virtual time.
#ifndef RECLOSER_TEST_CORE_BREAKER_DRIVER_H_
#define RECLOSER_TEST_CORE_BREAKER_DRIVER_H_

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "recloser/core/breaker.h"
#include "recloser/core/breaker_options.h"

namespace recloser {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

inline AttemptResult Ended(absl::StatusCode code) {
  AttemptResult result;
  result.code = code;
  result.has_response = code == absl::StatusCode::kOk;
  return result;
}

inline AttemptResult Ok() { return Ended(absl::StatusCode::kOk); }
inline AttemptResult Unavailable() { return Ended(absl::StatusCode::kUnavailable); }

inline AttemptResult CancelledByCaller() {
  AttemptResult result = Ended(absl::StatusCode::kCancelled);
  result.cancelled_by_caller = true;
  return result;
}

/// Small numbers, so that tests are short: opens at 5 failures of 10 calls, waits 1 s, 3 calls in half-open, a lease of 5 s.
inline StandardBreakerOptions SmallStandard() {
  StandardBreakerOptions options;
  options.window_calls = 10;
  options.minimum_calls = 10;
  options.wait = seconds(1);
  options.permitted_half_open_calls = 3;
  options.permit_lease = seconds(5);
  return options;
}

template <class Kind>
BreakerOptions Options(Kind kind) {
  BreakerOptions options;
  options.kind = std::move(kind);
  return options;
}

inline constexpr Time kDriversBegin{hours(1)};

/// Calls in virtual time. `Pointer`: to a `CircuitBreaker` or to what has its members.
template <class Pointer>
struct CallDriver {
  explicit CallDriver(Pointer machine) : breaker(std::move(machine)) {}

  void Step(Duration d) { now += d; }
  Admission Acquire(bool streaming = false) {
    AttemptInfo info;
    info.streaming = streaming;
    return breaker->TryAcquire(now, info);
  }
  Outcome End(const Permit& permit, const AttemptResult& result) { return breaker->Record(permit, now, result); }

  /// One call that takes `latency`, then a pause. False when it was rejected.
  bool Call(const AttemptResult& result, Duration latency = milliseconds(20), Duration pause = milliseconds(5)) {
    const Admission admission = Acquire();
    if (admission.admitted) {
      Step(latency);
      End(admission.permit, result);
    }
    Step(pause);
    return admission.admitted;
  }
  void Calls(int count, const AttemptResult& result) {
    for (int i = 0; i < count; ++i) Call(result);
  }
  /// Calls until the breaker is in `state`; false when 1000 calls were not enough.
  bool CallsUntil(BreakerState state, const AttemptResult& result) {
    for (int i = 0; i < 1000 && breaker->state() != state; ++i) Call(result);
    return breaker->state() == state;
  }
  /// A call arrives each 5 ms until one is admitted; an admission of nothing after `longest`.
  Admission AcquireWithin(Duration longest) {
    const Time end = now + longest;
    while (true) {
      const Admission admission = Acquire();
      if (admission.admitted || now >= end) return admission;
      Step(milliseconds(5));
    }
  }
  BreakerState state() const { return breaker->state(); }
  BreakerSnapshot Snapshot() const { return breaker->Snapshot(now); }

  Time now = kDriversBegin;
  Pointer breaker;
};

/// Drives one breaker.
struct Driver : CallDriver<std::unique_ptr<CircuitBreaker>> {
  explicit Driver(const BreakerOptions& options, std::uint64_t seed = 1) : CallDriver(MakeBreaker(options, kDriversBegin, Random(seed))) {}

  /// A few good calls, then failures until it is open.
  bool Open() {
    Calls(20, Ok());
    return CallsUntil(BreakerState::kOpen, Unavailable());
  }
};

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_BREAKER_DRIVER_H_
