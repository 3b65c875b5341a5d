#include "bootstrap.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "recloser/core/random.h"

namespace recloser::sim {
namespace {

constexpr std::size_t kResamples = 2000;
constexpr double kLowQuantile = 0.025;
constexpr double kHighQuantile = 0.975;
constexpr std::uint64_t kSeed = 1;

}  // namespace

std::vector<Weights> Resamples(std::size_t seeds) {
  std::vector<Weights> resamples = {Weights(seeds, 1)};
  Random random(kSeed);
  for (std::size_t i = 0; i < kResamples; ++i) {
    Weights& weights = resamples.emplace_back(seeds, 0);
    for (std::size_t k = 0; k < seeds; ++k) ++weights[static_cast<std::size_t>(random.Uniform() * static_cast<double>(seeds))];
  }
  return resamples;
}

Interval IntervalOf(std::vector<double> values) {
  Interval interval;
  interval.value = values.front();
  values.erase(values.begin());
  std::sort(values.begin(), values.end());
  const auto at = [&](double quantile) {
    return values[static_cast<std::size_t>(quantile * static_cast<double>(values.size() - 1) + 0.5)];
  };
  interval.low = at(kLowQuantile);
  interval.high = at(kHighQuantile);
  return interval;
}

double WeightedMean(const std::vector<double>& values, const Weights& weights) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * values[i];
    count += weights[i];
  }
  return sum / count;
}

double WeightedMedian(const std::vector<double>& values, const Weights& weights) {
  std::vector<std::pair<double, int>> sorted;
  int count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] > 0) sorted.emplace_back(values[i], weights[i]);
    count += weights[i];
  }
  std::sort(sorted.begin(), sorted.end());
  // The value at a rank, counted from 0.
  const auto at = [&](int rank) {
    for (const auto& [value, weight] : sorted) {
      if ((rank -= weight) < 0) return value;
    }
    return sorted.back().first;
  };
  return (at((count - 1) / 2) + at(count / 2)) / 2;
}

}  // namespace recloser::sim
