#include "healthy_latency.h"

#include <algorithm>
#include <cmath>

namespace recloser {
namespace {

// The mean is over about this many answers.
constexpr int kMeanAnswers = 64;
// Until then the reference follows in both directions: the first five answers alone are off by a quarter for typical service times.
constexpr int kSettledAfter = 20;
constexpr double kRisePerMinute = 0.01;

}  // namespace

void HealthyLatency::Learn(Time now, Duration latency) {
  answers_ = std::min(answers_ + 1, kMeanAnswers);
  mean_s_ += (ToSeconds(latency) - mean_s_) / answers_;
  const double minutes = ToSeconds(Elapsed(rose_, now)) / 60;
  rose_ = now;
  const double reference_s = ToSeconds(reference_);
  // A silence teaches nothing: it earns no more rise than a minute does.
  const double ceiling_s = answers_ <= kSettledAfter ? mean_s_ : reference_s * (1 + kRisePerMinute * std::min(minutes, 1.0));
  reference_ = std::max(Duration(1), FromSeconds(std::min(mean_s_, ceiling_s)));
}

}  // namespace recloser
