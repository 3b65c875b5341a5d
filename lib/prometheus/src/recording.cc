#include "recording.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace recloser {

void DurationHistogram::Observe(Duration duration) {
  const auto bound = std::lower_bound(bounds_.begin(), bounds_.end(), duration);
  sum_.Increment(ToSeconds(std::max(duration, Duration::zero())));
  buckets_[static_cast<std::size_t>(bound - bounds_.begin())].Increment();
}

prometheus::ClientMetric::Histogram DurationHistogram::Read() const {
  prometheus::ClientMetric::Histogram read;
  read.bucket.reserve(buckets_.size());
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    read.sample_count += buckets_[i].value();
    // A division, unlike a multiplication by 1e-9, gives the double nearest to the decimal: 0.0003, not 0.00030000000000000003.
    const double bound = i < bounds_.size() ? static_cast<double>(bounds_[i].count()) / 1e9 : std::numeric_limits<double>::infinity();
    read.bucket.push_back({read.sample_count, bound});
  }
  read.sample_sum = sum_.Value();
  return read;
}

}  // namespace recloser
