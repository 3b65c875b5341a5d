#include <gtest/gtest.h>

#include "recloser/sim/runner.h"
#include "scenarios.h"

namespace recloser::sim {
namespace {

Scenario Shipped(const char* id) {
  Scenario scenario = *FindShippedScenario(id);
  scenario.warm_up = seconds(5);
  return scenario;
}

TEST(Determinism, TheSameSeedGivesTheSameTrace) {
  const Scenario scenario = Shipped("S9");
  EXPECT_EQ(Simulated(scenario, "adaptive", 3).trace_hash, Simulated(scenario, "adaptive", 3).trace_hash);
  EXPECT_NE(Simulated(scenario, "adaptive", 3).trace_hash, Simulated(scenario, "adaptive", 4).trace_hash);
}

TEST(Determinism, KeepingASeriesChangesNothing) {
  RunOptions options;
  options.series_step = milliseconds(100);
  EXPECT_EQ(Simulated(Shipped("S1"), "adaptive", 1, options).trace_hash, Simulated(Shipped("S1"), "adaptive", 1).trace_hash);
}

TEST(Series, GoOnAfterTheLastCall) {
  Scenario scenario = Base();
  scenario.load.rate = 0.2;
  RunOptions options;
  options.series_step = milliseconds(100);
  const std::vector<Series::Step> steps = Simulated(scenario, "adaptive", 1, options).series.steps;
  ASSERT_EQ(steps.size(), 100u);
  EXPECT_EQ(steps.back().offered, 0);
  EXPECT_EQ(steps.back().worth, 1);
}

// Arrivals and faults do not depend on the arm: until a breaker acts, all arms see the same.
TEST(Determinism, ArmsThatDoNothingShareTheirTrace) {
  const Scenario healthy = Base();
  EXPECT_EQ(Simulated(healthy, "adaptive").trace_hash, Simulated(healthy, "none").trace_hash);
  EXPECT_EQ(Simulated(healthy, "standard-t1s-w2s").trace_hash, Simulated(healthy, "none").trace_hash);
}

TEST(Determinism, TheNumberOfThreadsChangesNothing) {
  Plan plan;
  plan.scenarios = {Base(seconds(2)), BaseWith(Plain(Fault::Kind::kRefused))};
  plan.arms = {NoBreakerArm(), AdaptiveArm(3)};
  plan.seeds = 3;
  const std::vector<RunRecord> one = RunAll({plan}, nullptr, 1);
  const std::vector<RunRecord> four = RunAll({plan}, nullptr, 4);
  ASSERT_EQ(one.size(), 12u);
  ASSERT_EQ(four.size(), 12u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].scenario, four[i].scenario);
    EXPECT_EQ(one[i].arm, four[i].arm);
    EXPECT_EQ(one[i].seed, four[i].seed);
    EXPECT_EQ(one[i].result.trace_hash, four[i].result.trace_hash);
  }
}

TEST(Determinism, AnInterruptedRunIsLeftOut) {
  Plan plan;
  plan.scenarios = {Base(hours(5))};
  plan.arms = {NoBreakerArm()};
  EXPECT_TRUE(RunAll(
                  {plan}, [](const Progress&) { return false; }, 1)
                  .empty());
}

struct Pinned {
  const char* scenario;
  const char* arm;
  std::uint64_t hash;
  std::int64_t good;
  std::int64_t wasted;
  std::int64_t rejected;
};

// Equal on every compiler and at every optimisation level. A change to the simulator or to a breaker changes them, and should say why.
TEST(Determinism, FiguresAndTracesAreWhatTheyWere) {
  const Pinned pinned[] = {
      {"S1", "adaptive", 0x24b4069dde15a720u, 17473, 95, 11469},
      {"S3", "adaptive", 0xa97f1686f5f0941bu, 17265, 314, 11457},
      {"S9", "standard-c20-w1s", 0x1b791f4c9ce3da54u, 33062, 1210, 4631},
      {"S12", "none", 0x65cd76ac91553b9fu, 38395, 1678, 0},
      {"S14-chain-S3", "adaptive", 0x6ddc9c42b01a926au, 17560, 883, 10909},
      {"S13-S8", "sre", 0x936314e0787a6594u, 17606, 3953, 16170},
  };
  for (const Pinned& expected : pinned) {
    const RunResult result = Simulated(Shipped(expected.scenario), expected.arm, 7);
    EXPECT_EQ(result.trace_hash, expected.hash) << expected.scenario << std::hex << " 0x" << result.trace_hash;
    EXPECT_EQ(result.figures.good, expected.good) << expected.scenario;
    EXPECT_EQ(result.figures.wasted, expected.wasted) << expected.scenario;
    EXPECT_EQ(result.figures.rejected, expected.rejected) << expected.scenario;
    EXPECT_EQ(result.figures.invariant_violations, 0) << expected.scenario;
  }
}

}  // namespace
}  // namespace recloser::sim
