// The service's usual latency, learnt from its good answers.
//
// The mean of recent answers is followed freely downwards, but upwards by 1 % per minute at most: a service that grows ten times slower
// over ten minutes must not teach the breaker that this is healthy. The caller feeds it only while the link is healthy, so it is frozen in
// an incident.
#ifndef RECLOSER_CORE_SRC_HEALTHY_LATENCY_H_
#define RECLOSER_CORE_SRC_HEALTHY_LATENCY_H_

#include <optional>

#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class HealthyLatency {
 public:
  void Learn(Time now, Duration latency);
  /// Nothing before the first five answers.
  std::optional<Duration> value() const {
    if (answers_ < kKnownAfter) return std::nullopt;
    return Duration(static_cast<Duration::rep>(reference_ns_));
  }

 private:
  static constexpr int kKnownAfter = 5;

  int answers_ = 0;  // counted up to the length of the mean
  double mean_ns_ = 0;
  double reference_ns_ = 1;
  Time rose_{};  // when the reference was last compared with the mean
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_HEALTHY_LATENCY_H_
