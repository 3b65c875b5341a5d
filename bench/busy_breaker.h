// Breakers to be measured.
#ifndef RECLOSER_BENCH_BUSY_BREAKER_H_
#define RECLOSER_BENCH_BUSY_BREAKER_H_

#include <chrono>
#include <memory>

#include "recloser/core/breaker_options.h"
#include "recloser/core/random.h"
#include "recloser/core/shared_breaker.h"
#include "recloser/core/time.h"

namespace recloser {

inline std::shared_ptr<SharedBreaker> MakeShared(const BreakerOptions& options, Time now) {
  return std::make_shared<SharedBreaker>(BreakerId{"target", "service", "method"}, options, MakeBreaker(options, now, Random(1)), now,
                                         [](const SharedBreaker&, const BreakerTransition&) {});
}

/// The breaker of a link that has been busy until `end`: its window has grown with the load, by a factor of two in a second at most.
inline std::shared_ptr<SharedBreaker> MakeBusy(const BreakerOptions& options, Time end) {
  constexpr Duration kLong = std::chrono::seconds(10);
  constexpr Duration kPause = std::chrono::microseconds(50);
  constexpr Duration kLatency = std::chrono::microseconds(1);
  auto breaker = MakeShared(options, end - kLong);
  for (Time now = end - kLong; now < end; now += kPause) breaker->Record(breaker->TryAcquire(now, {}).permit, now + kLatency, {});
  return breaker;
}

}  // namespace recloser

#endif  // RECLOSER_BENCH_BUSY_BREAKER_H_
