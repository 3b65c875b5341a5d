// Latencies in constant memory, exact to 1 %: a histogram with 64 to 128 linear steps per power of two, in the manner of HdrHistogram
// (http://hdrhistogram.org).
//
// Range: 0 to 1 h, longer counts as 1 h. Below 128 us it is exact to 1 us. Thread safety: none.
#ifndef RECLOSER_DEMO_SERVICES_COMMON_HISTOGRAM_H_
#define RECLOSER_DEMO_SERVICES_COMMON_HISTOGRAM_H_

#include <cstdint>
#include <vector>

#include "recloser/core/time.h"

namespace recloser::demo {

class LatencyHistogram {
 public:
  LatencyHistogram();

  void Add(Duration latency);
  /// The smallest latency that at least `quantile` of all do not exceed; zero when there is none. `quantile` in [0, 1].
  Duration Quantile(double quantile) const;
  Duration max() const { return max_; }
  std::uint64_t count() const { return count_; }

 private:
  std::vector<std::uint32_t> steps_;
  std::uint64_t count_ = 0;
  Duration max_ = Duration::zero();
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_HISTOGRAM_H_
