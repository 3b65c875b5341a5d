#include "recording.h"

#include <algorithm>
#include <limits>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// Of a sum of durations: 2^64 units are 58,000 years of calls, and rounding is far below what a clock read costs.
constexpr Duration kUnit = std::chrono::nanoseconds(100);

}  // namespace

prometheus::ClientMetric::Histogram DurationTotals::Export(const Bounds& bounds) const {
  prometheus::ClientMetric::Histogram histogram;
  histogram.bucket.reserve(buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    histogram.sample_count += buckets[i];
    // A division, unlike a multiplication by 1e-9, gives the double nearest to the decimal: 0.0003, not 0.00030000000000000003.
    const double bound = i < bounds.size() ? static_cast<double>(bounds[i].count()) / 1e9 : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({histogram.sample_count, bound});
  }
  histogram.sample_sum = static_cast<double>(sum_units) * ToSeconds(kUnit);
  return histogram;
}

void DurationHistogram::Observe(Duration duration) {
  const auto bound = std::lower_bound(bounds_->begin(), bounds_->end(), duration);
  const Duration::rep rounded = duration / kUnit + (duration % kUnit >= kUnit / 2 ? 1 : 0);
  sum_units_.Add(static_cast<std::uint64_t>(std::max<Duration::rep>(rounded, 0)));
  buckets_[static_cast<std::size_t>(bound - bounds_->begin())].Increment();
}

void DurationHistogram::AddTo(DurationTotals* totals) const {
  for (std::size_t i = 0; i < buckets_.size(); ++i) totals->buckets[i] += buckets_[i].value();
  totals->sum_units += sum_units_.value();
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
