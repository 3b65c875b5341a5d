#include "recloser/sim/variations.h"

#include <gtest/gtest.h>

#include <set>

#include "recloser/sim/runner.h"
#include "scenarios.h"

namespace recloser::sim {
namespace {

double Utilisation(const Scenario& scenario) {
  const Service& service = scenario.services[0];
  return scenario.load.rate * ToSeconds(service.service_time) / service.workers;
}

TEST(Varied, StaysWithinFiftyPercentAndKeepsTheUtilisation) {
  Scenario scenario = BaseWith(Plain(Fault::Kind::kRefused));
  scenario.load.changes = {{seconds(5), 600, seconds(1)}};
  std::set<double> rates;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Scenario varied = Varied(scenario, seed);
    EXPECT_GE(varied.load.rate, 240);
    EXPECT_LE(varied.load.rate, 720);
    EXPECT_DOUBLE_EQ(varied.load.changes[0].rate / varied.load.rate, 600.0 / 480);
    EXPECT_GE(varied.services[0].service_time, milliseconds(10));
    EXPECT_LE(varied.services[0].service_time, milliseconds(30));
    EXPECT_GE(varied.services[0].faults[0].length, milliseconds(1500));
    EXPECT_LE(varied.services[0].faults[0].length, milliseconds(4500));
    // But for the rounding of the number of workers.
    EXPECT_NEAR(Utilisation(varied), Utilisation(scenario), 0.6 / varied.services[0].workers);
    rates.insert(varied.load.rate);
  }
  EXPECT_EQ(rates.size(), 100u);
  EXPECT_EQ(Varied(scenario, 5).load.rate, Varied(scenario, 5).load.rate);
}

TEST(HeldOut, DrawsFromTheStatedRanges) {
  std::set<Fault::Kind> kinds;
  std::set<std::string> ids;
  for (const Scenario& scenario : HeldOutScenarios(200, 1)) {
    ids.insert(scenario.id);
    EXPECT_GE(scenario.load.rate, 2);
    EXPECT_LE(scenario.load.rate, 2000);
    const Service& service = scenario.services[0];
    EXPECT_GE(service.service_time, milliseconds(2));
    EXPECT_LE(service.service_time, milliseconds(200));
    EXPECT_LT(Utilisation(scenario), 0.8);
    // Workers are whole.
    EXPECT_GT(Utilisation(scenario) * service.workers / (service.workers - 1), 0.3);
    kinds.insert(service.faults[0].kind);
  }
  EXPECT_EQ(ids.size(), 200u);
  EXPECT_EQ(kinds.size(), 6u);  // the cold recovery begins refused
}

TEST(HeldOut, EveryScenarioRuns) {
  for (Scenario scenario : HeldOutScenarios(30, 2)) {
    scenario.warm_up = seconds(1);
    scenario.length = seconds(13);
    EXPECT_EQ(Simulated(scenario, "adaptive").figures.invariant_violations, 0) << scenario.id;
  }
}

TEST(Runner, AVariedPlanGivesEachSeedAVariationThatAllArmsShare) {
  Plan plan;
  plan.scenarios = {Base(seconds(5))};
  plan.arms = {NoBreakerArm(), AdaptiveArm(3)};
  plan.seeds = 2;
  plan.varied = true;
  const std::vector<RunRecord> records = RunAll({plan}, nullptr, 1);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].result.figures.calls, records[1].result.figures.calls);
  EXPECT_NE(records[0].result.figures.calls, records[2].result.figures.calls);
  EXPECT_EQ(records[0].result.figures.calls, Simulated(Varied(plan.scenarios[0], 1), "none").figures.calls);
}

}  // namespace
}  // namespace recloser::sim
