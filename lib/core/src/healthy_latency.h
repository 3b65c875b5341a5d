// The service's usual latency, learnt from its good answers.
//
// The mean of recent answers is followed freely downwards, but upwards by 1 % per minute at most: a service that grows ten times slower
// over ten minutes must not teach the breaker that this is healthy. The caller feeds it only while the link is healthy, so it is frozen in
// an incident.
#ifndef RECLOSER_CORE_SRC_HEALTHY_LATENCY_H_
#define RECLOSER_CORE_SRC_HEALTHY_LATENCY_H_

#include <algorithm>
#include <optional>

#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class HealthyLatency {
 public:
  inline void Learn(Time now, Duration latency);
  /// Nothing before the first five answers.
  std::optional<Duration> value() const {
    if (answers_ < kKnownAfter) return std::nullopt;
    return Duration(static_cast<Duration::rep>(reference_ns_));
  }
  /// Up to twice of it; nothing is quick before it is known.
  Duration quick_up_to() const { return answers_ < kKnownAfter ? Duration(-1) : 2 * Duration(static_cast<Duration::rep>(reference_ns_)); }

 private:
  static constexpr int kKnownAfter = 5;
  // The mean is over about this many answers.
  static constexpr int kMeanAnswers = 64;
  // Until then the reference follows in both directions: the first five answers alone are off by a quarter for typical service times.
  static constexpr int kSettledAfter = 20;
  static constexpr double kRisePerMinute = 0.01;
  // Beyond this a latency is as good as infinite; multiples of it still fit into a Duration.
  static constexpr Duration kLongest = std::chrono::hours(24 * 365);

  int answers_ = 0;  // counted up to the length of the mean
  double mean_ns_ = 0;
  double reference_ns_ = 1;
  Time rose_{};  // when the reference was last compared with the mean
};

inline void HealthyLatency::Learn(Time now, Duration latency) {
  answers_ = std::min(answers_ + 1, kMeanAnswers);
  const double latency_ns = static_cast<double>(std::clamp(latency, Duration(1), kLongest).count());
  // The same number twice; a division by a constant power of two is no division.
  mean_ns_ += answers_ == kMeanAnswers ? (latency_ns - mean_ns_) / kMeanAnswers : (latency_ns - mean_ns_) / answers_;
  // A silence teaches nothing: it earns no more rise than a minute does.
  const double minutes = std::min(1.0, ToSeconds(Elapsed(rose_, now)) * (1.0 / 60));
  rose_ = now;
  reference_ns_ = answers_ <= kSettledAfter ? mean_ns_ : std::min(mean_ns_, reference_ns_ * (1 + kRisePerMinute * minutes));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_HEALTHY_LATENCY_H_
