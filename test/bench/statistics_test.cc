#include "statistics.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace recloser::bench {
namespace {

std::vector<double> OneTo(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 2, 3}), 2.5);
}

TEST(EstimateMedian, OfTooFewValuesIsTheirRange) {
  const Estimate estimate = EstimateMedian({2, 5, 3, 4}, 0.95);
  EXPECT_EQ(estimate.median, 3.5);
  EXPECT_EQ(estimate.low, 2);
  EXPECT_EQ(estimate.high, 5);
  EXPECT_EQ(estimate.rounds, 4u);
}

struct Known {
  int n;
  double confidence;
  double low;  // the rank, counted from 1
};

TEST(EstimateMedian, HasTheRanksOfTheSignTest) {
  // As in tables of the sign test's confidence intervals for the median.
  for (const Known& known : {Known{6, 0.95, 1}, Known{9, 0.95, 2}, Known{20, 0.95, 6}, Known{100, 0.95, 40}, Known{20, 0.99, 4}}) {
    SCOPED_TRACE(known.n);
    const Estimate estimate = EstimateMedian(OneTo(known.n), known.confidence);
    EXPECT_EQ(estimate.low, known.low);
    EXPECT_EQ(estimate.high, known.n + 1 - known.low);
  }
}

TEST(EstimateMedian, HoldsTheTrueMedianAboutAsOftenAsItSays) {
  std::mt19937 random(1);
  std::exponential_distribution<double> draw(1);
  const double truth = std::log(2.0);
  int held = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> values;
    for (int j = 0; j < 41; ++j) values.push_back(draw(random));
    const Estimate estimate = EstimateMedian(std::move(values), 0.95);
    held += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
  }
  EXPECT_GE(held, 940);
  EXPECT_LT(held, 1000);
}

}  // namespace
}  // namespace recloser::bench
