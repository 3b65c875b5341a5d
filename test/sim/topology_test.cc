// Chains, fan-outs, endpoints and fleets.
#include <gtest/gtest.h>

#include "scenarios.h"

namespace recloser::sim {
namespace {

/// front calls all others.
Scenario FanOut(int leaves) {
  Scenario scenario = Base();
  for (int i = 1; i <= leaves; ++i) {
    scenario.services.push_back(scenario.services[0]);
    scenario.services.back().name = "leaf";
  }
  for (int i = 1; i <= leaves; ++i) scenario.services[0].calls.push_back(i);
  return scenario;
}

Scenario Chain() {
  Scenario scenario = FanOut(2);
  scenario.services[0].calls = {1};
  scenario.services[1].calls = {2};
  return scenario;
}

TEST(Topology, AChainCallsEachServiceOnceAndTakesTheSumOfTheirTimes) {
  const Figures f = Simulated(Chain(), "none").figures;
  EXPECT_EQ(f.good, f.calls);
  EXPECT_EQ(f.all_calls, 3 * f.calls);
  EXPECT_EQ(f.attempts, 3 * f.calls);
  EXPECT_NEAR(f.p50_s, 0.056, 0.006);
}

TEST(Topology, AFanOutTakesTheLongestOfItsLeaves) {
  const Figures f = Simulated(FanOut(3), "none").figures;
  EXPECT_EQ(f.good, f.calls);
  EXPECT_EQ(f.all_calls, 4 * f.calls);
  EXPECT_GT(f.p50_s, 0.040);
  EXPECT_LT(f.p50_s, 0.056);
}

TEST(Topology, AFailureOfTheLastServiceFailsEveryHop) {
  Scenario scenario = Chain();
  scenario.services[2].faults.push_back(Plain(Fault::Kind::kRefused));
  const Figures f = Simulated(scenario, "none").figures;
  EXPECT_NEAR(static_cast<double>(f.calls - f.good), 1440, 190);
  EXPECT_EQ(f.wasted, 3 * (f.calls - f.good));
}

TEST(Topology, EveryHopHasABreakerOfItsOwn) {
  Scenario scenario = Chain();
  scenario.services[2].faults.push_back(Plain(Fault::Kind::kRefused));
  const Figures f = Simulated(scenario, "adaptive").figures;
  EXPECT_GE(f.openings, 3);
  EXPECT_LT(f.wasted, 400);
  EXPECT_EQ(f.invariant_violations, 0);
}

TEST(Topology, ForwardedRejectionsCountForNothingAbove) {
  Scenario scenario = Chain();
  scenario.services[2].faults.push_back(Plain(Fault::Kind::kRefused));
  const Figures bare = Simulated(scenario, "adaptive").figures;
  for (Service& service : scenario.services) service.forwards_rejections = true;
  const Figures forwarded = Simulated(scenario, "adaptive").figures;
  // Told apart from failures, the rejections below fail no ramp above: the breakers change their states less often and refuse less.
  EXPECT_LT(forwarded.transitions, bare.transitions);
  EXPECT_LT(forwarded.good_rejected, bare.good_rejected);
  EXPECT_EQ(forwarded.invariant_violations, 0);
}

TEST(Topology, AFailureDrawnAtASmallShareIsNobodysWasteOnAnyHop) {
  Scenario scenario = Chain();
  scenario.services[2].background_errors = 0.05;
  const Figures f = Simulated(scenario, "none").figures;
  EXPECT_GT(f.calls - f.good, 100);
  EXPECT_EQ(f.wasted, 0);
}

TEST(Topology, EndpointsAreCalledInTurns) {
  Scenario scenario = Base();
  scenario.services[0].endpoints = 4;
  Fault one = Plain(Fault::Kind::kRefused);
  one.endpoints = {0};
  scenario.services[0].faults.push_back(one);
  const Figures f = Simulated(scenario, "none").figures;
  EXPECT_NEAR(static_cast<double>(f.wasted), 360, 10);
}

TEST(Topology, EveryClientOfAFleetHasABreakerOfItsOwn) {
  Scenario scenario = BaseWith(Plain(Fault::Kind::kRefused));
  scenario.load.clients = 20;
  const Figures f = Simulated(scenario, "adaptive").figures;
  EXPECT_NEAR(static_cast<double>(f.calls), 4800, 350);
  EXPECT_GE(f.openings, 20);
  EXPECT_EQ(f.invariant_violations, 0);
}

}  // namespace
}  // namespace recloser::sim
