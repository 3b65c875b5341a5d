// When to probe while open.
//
// With nothing known, an outage that has lasted e seconds lasts about as long again. A failed probe costs `wasted_attempt_cost` (rho) good
// calls rejected, a second of undetected recovery costs lambda of them; the cheapest spacing is sqrt(2 * rho * e / lambda): dense at first
// and under high load, sparse later. lambda is the offered rate now or when the outage began, whichever is more: callers who are turned away
// stay away (their own breakers open, they back off) and come back with the service.
//
// The next probe is scheduled when one is sent, so that a hung probe does not add its length to the recovery.
#ifndef RECLOSER_CORE_SRC_PROBE_SCHEDULE_H_
#define RECLOSER_CORE_SRC_PROBE_SCHEDULE_H_

#include <algorithm>
#include <optional>

#include "recloser/core/breaker_options.h"
#include "recloser/core/random.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class ProbeSchedule {
 public:
  explicit ProbeSchedule(const AdaptiveBreakerOptions& options) : options_(options) {}

  /// What the spacing depends on.
  struct Conditions {
    double offered_rate = 0;
    std::optional<Duration> round_trip;
  };

  /// The link opened; `outage_began` is earlier than `now` when it opened again out of a ramp.
  void Opened(Time now, Time outage_began, const Conditions& conditions, Random* random);
  /// A probe was sent.
  void Sent(Time now, const Conditions& conditions, Random* random);
  /// Something says that a probe pays: the next call may, but not more often than the minimum interval.
  void Hint(Time now);
  /// Other options hold from now on: the next probe is no later than they allow.
  void Reconfigured() { next_ = std::min(next_, SaturatingAdd(sent_, LongestInterval())); }
  /// The next probe is due in `wait` at the latest.
  void Within(Time now, Duration wait) { next_ = std::min(next_, SaturatingAdd(now, wait)); }
  /// The last probe was not made at all: the next call may make it.
  void Unsent(Time now);

  bool Due(Time now) const { return now >= next_; }
  Duration Wait(Time now) const { return Elapsed(now, next_); }
  Time outage_began() const { return outage_began_; }

 private:
  Duration LongestInterval() const { return FromSeconds(ToSeconds(options_.probe_interval_max) * (1 + options_.probe_jitter)); }
  Duration Interval(Time now, const Conditions& conditions, Random* random) const;

  const AdaptiveBreakerOptions& options_;
  Time outage_began_{};
  double rate_before_ = 0;  // offered when the outage began
  Time sent_{};  // the last attempt that counted: a probe, or those that opened the link
  Time next_{};
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_PROBE_SCHEDULE_H_
