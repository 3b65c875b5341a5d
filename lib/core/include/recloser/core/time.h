// Time as an argument.
//
// Nothing in the core reads a clock: every function that needs the time takes `now`. `CoreClock` has no `now()`, so reading a
// clock in the core does not compile. The gRPC binding converts from `std::chrono::steady_clock`; the simulator counts from 0.
//
//   Time deadline = SaturatingAdd(now, std::chrono::milliseconds(250));
//
// Resolution: 1 ns. Range: about +-292 years around the clock's origin. All arithmetic here saturates, it never wraps.
// Thread safety: pure functions and values.
#ifndef RECLOSER_CORE_TIME_H_
#define RECLOSER_CORE_TIME_H_

#include <chrono>
#include <cmath>
#include <cstdint>

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_API {

using Duration = std::chrono::nanoseconds;

/// A monotonic clock that can't be read.
struct CoreClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<CoreClock>;
  static constexpr bool is_steady = true;
};

using Time = CoreClock::time_point;

/// "No deadline", "never".
inline constexpr Time kInfiniteFuture = Time::max();
inline constexpr Duration kForever = Duration::max();

/// `a + b`, at most `kForever`, at least `Duration::min()`. `kForever` absorbs everything finite.
constexpr Duration SaturatingAdd(Duration a, Duration b) {
  if (a == kForever || b == kForever) return kForever;
  Duration::rep sum = 0;
  if (__builtin_add_overflow(a.count(), b.count(), &sum)) return a.count() > 0 ? kForever : Duration::min();
  return Duration(sum);
}

/// `t + d`; `kInfiniteFuture` stays infinite whatever is added.
constexpr Time SaturatingAdd(Time t, Duration d) {
  if (t == kInfiniteFuture) return t;
  return Time(SaturatingAdd(t.time_since_epoch(), d));
}

/// `to - from`, saturated. Negative when `to` is earlier.
constexpr Duration SaturatingDifference(Time to, Time from) {
  if (to == kInfiniteFuture) return kForever;
  Duration::rep difference = 0;
  if (__builtin_sub_overflow(to.time_since_epoch().count(), from.time_since_epoch().count(), &difference)) {
    return to > from ? kForever : Duration::min();
  }
  return Duration(difference);
}

/// Time passed from `from` to `to`; zero when the clock stood still or stepped back.
constexpr Duration Elapsed(Time from, Time to) {
  const Duration d = SaturatingDifference(to, from);
  return d < Duration::zero() ? Duration::zero() : d;
}

/// Seconds as a double, for formulas.
constexpr double ToSeconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }

/// A duration from seconds; saturates, NaN gives zero.
inline Duration FromSeconds(double seconds) {
  if (std::isnan(seconds)) return Duration::zero();
  const double ns = seconds * 1e9;
  if (ns >= 9.2233720368547e18) return kForever;
  if (ns <= -9.2233720368547e18) return Duration::min();
  return Duration(static_cast<Duration::rep>(std::llround(ns)));
}

/// The same instant of the steady clock as a core time. Only a conversion: the caller read the clock.
inline Time FromSteadyClock(std::chrono::steady_clock::time_point t) {
  return Time(std::chrono::duration_cast<Duration>(t.time_since_epoch()));
}

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_TIME_H_
