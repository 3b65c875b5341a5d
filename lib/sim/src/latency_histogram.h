// Counts of durations in buckets of equal relative width (3 %). Thread safety: none.
#ifndef RECLOSER_SIM_SRC_LATENCY_HISTOGRAM_H_
#define RECLOSER_SIM_SRC_LATENCY_HISTOGRAM_H_

#include <array>
#include <cmath>
#include <cstdint>

#include "recloser/core/time.h"

namespace recloser::sim {

class LatencyHistogram {
 public:
  void Add(Duration d) {
    ++counts_[BucketOf(d.count())];
    ++total_;
  }

  /// The middle of the bucket of the call at that rank; 0 without any.
  double Quantile(double q) const {
    const auto rank = static_cast<std::int64_t>(std::ceil(q * static_cast<double>(total_)));
    std::int64_t seen = 0;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
      seen += counts_[bucket];
      if (seen >= rank && seen > 0) return MiddleOf(bucket);
    }
    return 0;
  }

 private:
  // A power of two is cut into 32 buckets.
  static constexpr int kBits = 5;
  static constexpr std::int64_t kSteps = 1 << kBits;

  static std::size_t BucketOf(std::int64_t ns) {
    if (ns < kSteps) return ns < 0 ? 0 : static_cast<std::size_t>(ns);
    const int shift = 63 - __builtin_clzll(static_cast<unsigned long long>(ns)) - kBits;
    return static_cast<std::size_t>(shift * kSteps + (ns >> shift));
  }
  static double MiddleOf(std::size_t bucket) {
    const auto b = static_cast<std::int64_t>(bucket);
    if (b < 2 * kSteps) return static_cast<double>(b) * 1e-9;
    const std::int64_t shift = b / kSteps - 1;
    return std::ldexp(static_cast<double>(b - shift * kSteps) + 0.5, static_cast<int>(shift)) * 1e-9;
  }

  std::array<std::int64_t, 64 * kSteps> counts_{};
  std::int64_t total_ = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_LATENCY_HISTOGRAM_H_
