#include "probe_schedule.h"

#include <algorithm>
#include <cmath>

namespace recloser {
inline namespace RECLOSER_INTERNAL {

void ProbeSchedule::Opened(Time now, Time outage_began, const Conditions& conditions, Random* random) {
  const bool begins = outage_began == now;
  rate_before_ = begins ? conditions.offered_rate : std::max(rate_before_, conditions.offered_rate);
  outage_began_ = outage_began;
  sent_ = now;
  next_ = SaturatingAdd(now, Interval(now, conditions, random));
}

void ProbeSchedule::Sent(Time now, const Conditions& conditions, Random* random) {
  sent_ = now;
  next_ = SaturatingAdd(now, Interval(now, conditions, random));
}

void ProbeSchedule::Hint(Time now) { next_ = std::min(next_, std::max(now, SaturatingAdd(sent_, options_.probe_interval_min))); }

void ProbeSchedule::Unsent(Time now) { next_ = std::min(next_, now); }

Duration ProbeSchedule::Interval(Time now, const Conditions& conditions, Random* random) const {
  const double upper = ToSeconds(options_.probe_interval_max);
  double interval = upper;
  const double rate = std::max(conditions.offered_rate, rate_before_);
  if (rate > 0) {
    const double lower = std::max({ToSeconds(options_.probe_interval_min), ToSeconds(conditions.round_trip.value_or(Duration::zero())),
                                   1 / (options_.probe_share_max * rate)});
    const double outage = ToSeconds(Elapsed(outage_began_, now));
    const double cheapest = std::sqrt(2 * options_.wasted_attempt_cost * outage / rate);
    // Not std::clamp: below about 10 calls a second the bounds cross, and the upper one wins.
    interval = std::min(std::max(cheapest, lower), upper);
  }
  return FromSeconds(interval * random->Uniform(1 - options_.probe_jitter, 1 + options_.probe_jitter));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
