// Time that never runs backwards, whatever the caller passes.
//
// A step back counts as standing still. Threads that share a breaker read the clock before they take its lock, so small steps back are
// normal: they are clamped silently. A large one is an anomaly: it is counted, and time goes on from there at its usual pace, so that a
// breaker never waits for a stepped clock to catch up.
#ifndef RECLOSER_CORE_SRC_MONOTONIC_CLOCK_H_
#define RECLOSER_CORE_SRC_MONOTONIC_CLOCK_H_

#include <algorithm>
#include <cstdint>

#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class MonotonicClock {
 public:
  explicit MonotonicClock(Time now) : latest_(now) {}

  /// The monotonic time that belongs to the caller's `now`.
  Time Advance(Time now) {
    const Time shifted = SaturatingAdd(now, offset_);
    if (shifted >= latest_) return latest_ = shifted;
    const Duration back = SaturatingDifference(latest_, shifted);
    if (back > kTolerated) {
      ++anomalies_;
      offset_ = SaturatingAdd(offset_, back);
    }
    return latest_;
  }

  /// Of a monotonic time that was found from the same offset.
  Time AdvanceTo(Time t) { return latest_ = std::max(latest_, t); }

  /// The same without advancing: for queries.
  Time Peek(Time now) const { return std::max(latest_, SaturatingAdd(now, offset_)); }

  /// A monotonic time as the caller's clock shows it.
  Time AsCallers(Time t) const { return Time(SaturatingDifference(t, Time(offset_))); }

  Time latest() const { return latest_; }
  /// The monotonic time minus the caller's.
  Duration offset() const { return offset_; }
  std::uint64_t anomalies() const { return anomalies_; }

 private:
  /// Longer than a thread is held up between reading the clock and taking the lock.
  static constexpr Duration kTolerated = std::chrono::seconds(1);

  Time latest_;
  Duration offset_ = Duration::zero();
  std::uint64_t anomalies_ = 0;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_MONOTONIC_CLOCK_H_
