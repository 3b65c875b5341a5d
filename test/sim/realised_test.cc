// Scenarios made ready for real servers.
#include "recloser/sim/realised.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "recloser/sim/simulate.h"

namespace recloser::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Scenario& Shipped(const char* id) { return *FindShippedScenario(id); }

double Utilisation(const Scenario& scenario) {
  const Service& service = scenario.services.front();
  return scenario.load.rate * ToSeconds(service.service_time) / service.workers;
}

std::vector<double> WorthOverTime(const Scenario& scenario, std::uint64_t seed) {
  RunOptions options;
  options.series_step = milliseconds(10);
  const std::optional<RunResult> result = Simulate(scenario, NoBreakerArm(), options, seed);
  std::vector<double> worth;
  for (const Series::Step& step : result->series.steps) worth.push_back(step.worth);
  return worth;
}

TEST(Scaled, IsAsBusyAsBeforeAndQueuesAsLong) {
  for (const double scale : {0.25, 0.3, 1.0, 2.0, 0.001}) {
    const Scenario scaled = Scaled(Shipped("S9"), scale);
    EXPECT_DOUBLE_EQ(Utilisation(scaled), Utilisation(Shipped("S9"))) << scale;
    EXPECT_EQ(scaled.services[0].queue_limit, std::lround(100'000 / 16.0 * scaled.services[0].workers)) << scale;
  }
  EXPECT_EQ(Scaled(Shipped("S1"), 0.25).services[0].workers, 4);
  EXPECT_EQ(Scaled(Shipped("S1"), 0.001).services[0].workers, 1);
}

TEST(Scaled, ChangesOfTheRateToo) {
  const Scenario scaled = Scaled(Shipped("S7"), 0.5);
  EXPECT_DOUBLE_EQ(scaled.load.rate, 240);
  EXPECT_DOUBLE_EQ(scaled.load.changes[0].rate, 600);
}

TEST(Realised, HasTheFaultTimesThatASimulationOfThisSeedDraws) {
  for (const char* const id : {"S1", "S6-fast", "S8"}) {
    for (const std::uint64_t seed : {1, 2}) {
      const Scenario realised = Realised(Shipped(id), seed);
      EXPECT_EQ(WorthOverTime(realised, 99), WorthOverTime(Shipped(id), seed)) << id << ", seed " << seed;
    }
  }
}

TEST(Realised, HasNothingLeftToDraw) {
  const Scenario once = Realised(Shipped("S6-slow"), 1);
  const Scenario twice = Realised(once, 2);
  ASSERT_EQ(once.services[0].faults.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(once.services[0].faults[i].kind, Fault::Kind::kRefused);
    EXPECT_EQ(once.services[0].faults[i].at, twice.services[0].faults[i].at);
    EXPECT_EQ(once.services[0].faults[i].length, twice.services[0].faults[i].length);
  }
}

TEST(PhasesOf, AreWhatTheServerGoesThrough) {
  const Scenario realised = Realised(Shipped("S8"), 1);
  const Fault& outage = realised.services[0].faults[0];
  const std::vector<Phase> phases = PhasesOf(realised.services[0], seconds(30));
  ASSERT_EQ(phases.size(), 4u);
  EXPECT_EQ(phases[0].begin, -seconds(30));
  EXPECT_FALSE(phases[0].first.down());
  EXPECT_EQ(phases[1].begin, seconds(10));
  EXPECT_TRUE(phases[1].first.refused);
  EXPECT_EQ(phases[2].begin, seconds(10) + outage.length);
  EXPECT_NEAR(phases[2].first.slow_factor, 4, 1e-6);
  EXPECT_NEAR(phases[2].last.slow_factor, 1, 1e-6);
  EXPECT_EQ(phases[3].begin, phases[2].begin + seconds(10));
  EXPECT_EQ(phases[3].first.slow_factor, 1);
  EXPECT_EQ(phases[3].first.error_share, 0.002);
}

TEST(DrawArrivals, ComeAtTheScenariosRate) {
  const Scenario& scenario = Shipped("S7");  // 480 calls/s; 480 to 1200 and back over 40 s, from 10 s on
  const std::vector<Duration> arrivals = DrawArrivals(scenario, 5);
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end()));
  EXPECT_LT(arrivals.back(), scenario.warm_up + scenario.length);
  const double expected = 480 * 70 + 840 * 40;
  EXPECT_NEAR(static_cast<double>(arrivals.size()), expected, 5 * std::sqrt(expected));
  EXPECT_EQ(DrawArrivals(scenario, 5), arrivals);
  EXPECT_NE(DrawArrivals(scenario, 6), arrivals);
}

}  // namespace
}  // namespace recloser::sim
