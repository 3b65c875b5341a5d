// Drives one shared breaker in virtual time, and keeps what it tells.
#ifndef RECLOSER_TEST_CORE_SHARED_DRIVER_H_
#define RECLOSER_TEST_CORE_SHARED_DRIVER_H_

#include <memory>
#include <vector>

#include "breaker_driver.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {

struct SharedDriver : CallDriver<std::shared_ptr<SharedBreaker>> {
  explicit SharedDriver(const BreakerOptions& options, std::uint64_t seed = 1)
      : CallDriver(std::make_shared<SharedBreaker>(BreakerId{"t", "s.S", "M"}, options, MakeBreaker(options, kDriversBegin, Random(seed)),
                                                   kDriversBegin,
                                                   [this](const SharedBreaker&, const BreakerTransition& t) { events.push_back(t); })) {}
  SharedDriver(const SharedDriver&) = delete;
  SharedDriver& operator=(const SharedDriver&) = delete;

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

  std::vector<BreakerTransition> events;
};

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_SHARED_DRIVER_H_
