// Drives one shared breaker in virtual time, and keeps what it tells.
#ifndef RECLOSER_TEST_CORE_SHARED_DRIVER_H_
#define RECLOSER_TEST_CORE_SHARED_DRIVER_H_

#include <memory>
#include <vector>

#include "breaker_driver.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {

struct SharedDriver {
  explicit SharedDriver(const BreakerOptions& options, std::uint64_t seed = 1)
      : now(Time(hours(1))),
        breaker(std::make_shared<SharedBreaker>(BreakerId{"t", "s.S", "M"}, options, MakeBreaker(options, now, Random(seed)), now,
                                                [this](const SharedBreaker&, const BreakerTransition& t) { events.push_back(t); })) {}
  SharedDriver(const SharedDriver&) = delete;
  SharedDriver& operator=(const SharedDriver&) = delete;

  void Step(Duration d) { now += d; }
  Admission Acquire() { return breaker->TryAcquire(now, {}); }
  bool Call(const AttemptResult& result) {
    const Admission admission = Acquire();
    Step(milliseconds(20));
    if (admission.admitted) breaker->Record(admission.permit, now, result);
    Step(milliseconds(5));
    return admission.admitted;
  }
  void Calls(int count, const AttemptResult& result) {
    for (int i = 0; i < count; ++i) Call(result);
  }
  bool CallsUntil(BreakerState state, const AttemptResult& result) {
    for (int i = 0; i < 1000 && breaker->state() != state; ++i) Call(result);
    return breaker->state() == state;
  }
  Admission AcquireWithin(Duration longest) {
    const Time end = now + longest;
    while (true) {
      const Admission admission = Acquire();
      if (admission.admitted || now >= end) return admission;
      Step(milliseconds(5));
    }
  }
  /// Brings a new breaker into `state`, by calls where there is a way by calls.
  bool Enter(BreakerState state) {
    Calls(20, Ok());
    if (state == BreakerState::kForcedOpen) breaker->ForceOpen(now);
    if (state == BreakerState::kDisabled) breaker->Disable(now);
    if (state == BreakerState::kClosed) Calls(2, Unavailable());
    if (state == BreakerState::kOpen || state == BreakerState::kHalfOpen) CallsUntil(BreakerState::kOpen, Unavailable());
    if (state == BreakerState::kHalfOpen) CallsUntil(BreakerState::kHalfOpen, Ok());
    return breaker->state() == state;
  }
  bool Reconfigure(const BreakerOptions& options) { return breaker->Reconfigure(options, now, Random(9)); }
  BreakerState state() const { return breaker->state(); }
  BreakerSnapshot Snapshot() const { return breaker->Snapshot(now); }

  Time now;
  std::vector<BreakerTransition> events;
  std::shared_ptr<SharedBreaker> breaker;
};

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_SHARED_DRIVER_H_
