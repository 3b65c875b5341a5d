#include "healthy_latency.h"

#include <algorithm>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// The mean is over about this many answers.
constexpr int kMeanAnswers = 64;
// Until then the reference follows in both directions: the first five answers alone are off by a quarter for typical service times.
constexpr int kSettledAfter = 20;
constexpr double kRisePerMinute = 0.01;
// Beyond this a latency is as good as infinite; multiples of it still fit into a Duration.
constexpr Duration kLongest = std::chrono::hours(24 * 365);

}  // namespace

void HealthyLatency::Learn(Time now, Duration latency) {
  answers_ = std::min(answers_ + 1, kMeanAnswers);
  const double latency_ns = static_cast<double>(std::clamp(latency, Duration(1), kLongest).count());
  mean_ns_ += (latency_ns - mean_ns_) / answers_;
  // A silence teaches nothing: it earns no more rise than a minute does.
  const double minutes = std::min(1.0, ToSeconds(Elapsed(rose_, now)) * (1.0 / 60));
  rose_ = now;
  reference_ns_ = answers_ <= kSettledAfter ? mean_ns_ : std::min(mean_ns_, reference_ns_ * (1 + kRisePerMinute * minutes));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
