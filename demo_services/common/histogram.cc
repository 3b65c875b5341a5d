#include "demo_services/common/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace recloser::demo {
namespace {

constexpr int kExactBits = 7;                            // below 2^7 us every microsecond has its own step
constexpr std::uint64_t kHalf = 1u << (kExactBits - 1);  // steps per power of two above that
constexpr std::uint64_t kLongestMicros = 3600u * 1000 * 1000;

std::size_t StepOf(std::uint64_t micros) {
  if (micros < 2 * kHalf) return micros;
  const int shift = 63 - __builtin_clzll(micros) - (kExactBits - 1);
  return static_cast<std::size_t>(shift) * kHalf + (micros >> shift);
}

// The middle of a step.
Duration ValueOf(std::size_t step) {
  if (step < 2 * kHalf) return std::chrono::microseconds(step);
  const std::size_t shift = step / kHalf - 1;
  const std::uint64_t low = (step - shift * kHalf) << shift;
  return std::chrono::microseconds(low + (std::uint64_t{1} << shift) / 2);
}

}  // namespace

LatencyHistogram::LatencyHistogram() : steps_(StepOf(kLongestMicros) + 1) {}

void LatencyHistogram::Add(Duration latency) {
  latency = std::max(latency, Duration::zero());
  const auto micros = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(latency).count());
  ++steps_[StepOf(std::min(micros, kLongestMicros))];
  ++count_;
  max_ = std::max(max_, latency);
}

Duration LatencyHistogram::Quantile(double quantile) const {
  if (count_ == 0) return Duration::zero();
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(count_))));
  std::uint64_t seen = 0;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    seen += steps_[step];
    if (seen >= rank) return std::min(ValueOf(step), max_);
  }
  return max_;
}

}  // namespace recloser::demo
