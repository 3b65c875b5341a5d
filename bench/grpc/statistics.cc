#include "statistics.h"

#include <algorithm>
#include <cmath>

namespace recloser::bench {
namespace {

double MedianOfSorted(const std::vector<double>& sorted) {
  if (sorted.empty()) return 0;
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// How many values to leave out at each end: the largest k with P(Binomial(n, 1/2) < k) <= (1 - confidence) / 2, less one.
std::size_t LeftOut(std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  const auto count = static_cast<double>(n);
  double sum = 0;
  std::size_t k = 0;
  while (k < n / 2) {
    const auto at = static_cast<double>(k);
    sum += std::exp(std::lgamma(count + 1) - std::lgamma(at + 1) - std::lgamma(count - at + 1) - count * std::log(2.0));
    if (sum > tail) break;
    ++k;
  }
  return k == 0 ? 0 : k - 1;
}

}  // namespace

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return MedianOfSorted(values);
}

Estimate EstimateMedian(std::vector<double> values, double confidence) {
  std::sort(values.begin(), values.end());
  Estimate estimate;
  estimate.rounds = values.size();
  if (values.empty()) return estimate;
  const std::size_t out = LeftOut(values.size(), confidence);
  estimate.median = MedianOfSorted(values);
  estimate.low = values[out];
  estimate.high = values[values.size() - 1 - out];
  return estimate;
}

}  // namespace recloser::bench
