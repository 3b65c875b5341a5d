#include "recloser/sim/bars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bootstrap.h"
#include "comparison.h"
#include "scenarios.h"

namespace recloser::sim {
namespace {

RunRecord Record(std::string scenario, std::string arm, std::uint64_t seed, std::int64_t wasted, double good_rejected) {
  RunRecord record;
  record.scenario = std::move(scenario);
  record.arm = std::move(arm);
  record.seed = seed;
  record.result.figures.wasted = wasted;
  record.result.figures.good_rejected = good_rejected;
  return record;
}

TEST(CostTable, UsesSeedsThatAreCompleteOnly) {
  std::vector<RunRecord> records;
  for (const std::uint64_t seed : {1, 2, 3}) {
    records.push_back(Record("A", "ours", seed, 1, 0));
    if (seed != 2) records.push_back(Record("A", "other", seed, 2, 0));
  }
  const CostTable costs(records);
  EXPECT_EQ(costs.seeds(), 2u);
  EXPECT_EQ(costs.Find("A", "ours").size(), 2u);
  EXPECT_TRUE(costs.Find("B", "ours").empty());
}

// Two entries, two rivals, each the best of one.
std::vector<RunRecord> TwoByTwo() {
  std::vector<RunRecord> records;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const double noise = seed % 2 == 0 ? 10 : -10;
    records.push_back(Record("A", "ours", seed, 20, 20 + noise));
    records.push_back(Record("A", "r1", seed, 40, 20));
    records.push_back(Record("A", "r2", seed, 0, 500));
    records.push_back(Record("B", "ours", seed, 0, 40));
    records.push_back(Record("B", "r1", seed, 0, 300));
    records.push_back(Record("B", "r2", seed, 5, 5));
  }
  return records;
}

TEST(Comparison, PicksTheBestRivalForEachEntryOnMeans) {
  const std::vector<RunRecord> records = TwoByTwo();
  const CostTable costs(records);
  const Comparison c = Compare(costs, {{"A", "B"}, "ours", {"r1", "r2"}, /*rho=*/1, /*smoothing=*/20}, Resamples(4));
  ASSERT_EQ(c.entries.size(), 2u);
  EXPECT_EQ(c.entries[0].best_arm, "r1");
  EXPECT_DOUBLE_EQ(c.entries[0].ratio.value, 60.0 / 80);
  EXPECT_EQ(c.entries[1].best_arm, "r2");
  EXPECT_DOUBLE_EQ(c.entries[1].ratio.value, 60.0 / 30);
  EXPECT_DOUBLE_EQ(c.geometric_mean.value, std::sqrt(60.0 / 80 * 60 / 30));
  // r1 alone: 1 and 320 / 30; r2 alone: 520 / 80 and 1.
  EXPECT_DOUBLE_EQ(c.against_best_single.value, c.geometric_mean.value / std::sqrt(520.0 / 80));
  // The interval of the noisy entry is wider than nothing and holds the value.
  EXPECT_LT(c.entries[0].ratio.low, 60.0 / 80);
  EXPECT_GT(c.entries[0].ratio.high, 60.0 / 80);
  EXPECT_DOUBLE_EQ(c.entries[1].ratio.low, 2);
}

TEST(Comparison, TheBestRivalDependsOnRho) {
  const std::vector<RunRecord> records = TwoByTwo();
  const CostTable costs(records);
  const Comparison c = Compare(costs, {{"A"}, "ours", {"r1", "r2"}, /*rho=*/30, /*smoothing=*/20}, Resamples(4));
  EXPECT_EQ(c.entries[0].best_arm, "r2");
}

TEST(Bootstrap, ResamplesCountEverySeedInAll) {
  const std::vector<Weights> resamples = Resamples(20);
  EXPECT_EQ(resamples.front(), Weights(20, 1));
  for (const Weights& weights : resamples) EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0), 20);
  EXPECT_EQ(resamples, Resamples(20));
}

TEST(Bootstrap, TheIntervalOfAMeanIsThatOfTheNormalDistribution) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i % 2 == 0 ? 0 : 1);
  std::vector<double> means;
  for (const Weights& weights : Resamples(100)) means.push_back(WeightedMean(values, weights));
  const Interval interval = IntervalOf(means);
  EXPECT_EQ(interval.value, 0.5);
  EXPECT_NEAR(interval.low, 0.5 - 1.96 * 0.05, 0.02);
  EXPECT_NEAR(interval.high, 0.5 + 1.96 * 0.05, 0.02);
}

TEST(Bootstrap, MediansTakeTheMiddle) {
  EXPECT_EQ(WeightedMedian({5, 1, 3}, {1, 1, 1}), 3);
  EXPECT_EQ(WeightedMedian({5, 1, 3, 4}, {1, 1, 1, 1}), 3.5);
  EXPECT_EQ(WeightedMedian({5, 1, 3}, {3, 0, 0}), 5);
}

TEST(Bars, WithoutRunsNothingIsMet) {
  const BarReport report = JudgeBars({});
  EXPECT_FALSE(report.all_met);
  EXPECT_FALSE(report.missing.empty());
}

// Ours costs half of what each standard configuration does, and never opens in health.
std::vector<RunRecord> EasyWin(bool wide_grid) {
  std::vector<RunRecord> records;
  for (const Plan& plan : BarPlans(/*first_seed=*/1, /*seeds=*/20, wide_grid)) {
    for (const Scenario& scenario : plan.scenarios) {
      for (const Arm& arm : plan.arms) {
        for (int i = 0; i < plan.seeds; ++i) {
          const std::uint64_t seed = plan.first_seed + static_cast<std::uint64_t>(i);
          const bool ours = arm.name.rfind("adaptive", 0) == 0;
          records.push_back(Record(scenario.id, arm.name, seed, 0, ours ? 480 : 980));
          records.back().result.figures.calls = 50'000;
          records.back().result.figures.blocking_latency_s = 0.2;
          records.back().result.figures.recovery_s = 0.5;
        }
      }
    }
  }
  return records;
}

TEST(Bars, AreMetByAnEasyWin) {
  const BarReport report = JudgeBars(EasyWin(true));
  EXPECT_TRUE(report.missing.empty()) << report.missing.front();
  EXPECT_TRUE(report.all_met);
  EXPECT_EQ(report.seeds, 20);
  EXPECT_EQ(report.entries.size(), 26u * 4);
  EXPECT_EQ(report.entries.front().entry, "S0-1");
  EXPECT_DOUBLE_EQ(report.entries.front().ratio.value, 0.5);
}

TEST(Bars, MeanRatiosAreOfEachCostAndRhoOnceAndNotOfTheWideGrid) {
  std::vector<std::string> names;
  for (const Bar& bar : GeometricMeans(JudgeBars(EasyWin(true)))) names.push_back(bar.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("cost 1, rho 1: geometric mean", "cost 3, rho 3: geometric mean", "cost 10, rho 10: geometric mean",
                                     "cost 30, rho 30: geometric mean", "cost 3, rho 1: geometric mean", "cost 3, rho 10: geometric mean",
                                     "cost 3, rho 30: geometric mean"));
}

TEST(Bars, LatenciesAreOfMoreSeedsThanCosts) {
  std::vector<RunRecord> records = EasyWin(false);
  for (RunRecord& record : records) {
    if (record.scenario == "S1" && record.arm == "adaptive" && record.seed > 20) record.result.figures.blocking_latency_s = 0.41;
  }
  const BarReport report = JudgeBars(records);
  const auto bar = std::find_if(report.bars.begin(), report.bars.end(),
                                [](const Bar& b) { return b.name == "S1, adaptive: median blocking latency, s"; });
  ASSERT_NE(bar, report.bars.end());
  EXPECT_DOUBLE_EQ(bar->value.value, 0.41);
  EXPECT_EQ(report.seeds, 20);
}

TEST(Bars, OneFalseOpeningOneSlowRecoveryOrOneBadEntryMissesThem) {
  const auto break_run = [](std::vector<RunRecord>* records, const std::string& scenario, auto change) {
    for (RunRecord& record : *records) {
      if (record.scenario == scenario && record.arm == "adaptive") change(&record.result.figures, record.seed);
    }
  };
  std::vector<RunRecord> records = EasyWin(false);
  break_run(&records, "S0-1", [](Figures* f, std::uint64_t seed) { f->openings = seed == 4 ? 1 : 0; });
  break_run(&records, "S0-low", [](Figures* f, std::uint64_t seed) { f->openings = seed == 4 ? 1 : 0; });
  break_run(&records, "S9", [](Figures* f, std::uint64_t) { f->recovery_s.reset(); });
  break_run(&records, "S1", [](Figures* f, std::uint64_t) { f->blocking_latency_s = 0.45; });
  break_run(&records, "S12", [](Figures* f, std::uint64_t) { f->good_rejected = 1600; });
  const BarReport report = JudgeBars(records);
  EXPECT_FALSE(report.all_met);
  std::vector<std::string> missed;
  for (const Bar& bar : report.bars) {
    if (bar.judged && !bar.met()) missed.push_back(bar.name);
  }
  // One opening in 10^6 calls at 2 calls per second is allowed.
  EXPECT_THAT(missed, ::testing::UnorderedElementsAre("cost 3, rho 3: worst entry, S12", "S0-1: openings in 10^6 calls",
                                                      "S1, adaptive: median blocking latency, s", "S9, adaptive: median recovery, s"));
  EXPECT_THAT(report.missing, ::testing::ElementsAre("the wide grid"));
}

}  // namespace
}  // namespace recloser::sim
