// What a scenario becomes for the fault service.
#include "evaluate/fault_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "demo_services/fault/plan.h"
#include "evaluate/reconnects.h"
#include "evaluate/setting.h"
#include "recloser/config/duration.h"

namespace recloser::tools {
namespace {

using std::chrono::seconds;

sim::Scenario Ready(const std::string& id) {
  Setting setting;
  setting.scenario = id;
  return *MakeReady(setting);
}

TEST(FaultPlanOf, EveryScenarioThatCanBePlayedIsAValidPlan) {
  int playable = 0;
  for (const sim::Scenario& scenario : sim::ShippedScenarios()) {
    if (!CheckPlayable(scenario).ok()) continue;
    ++playable;
    const absl::Status status = demo::CheckPlan(FaultPlanOf(Ready(scenario.id), seconds(1), 1));
    EXPECT_TRUE(status.ok()) << scenario.id << ": " << status;
  }
  EXPECT_GE(playable, 12);
}

TEST(FaultPlanOf, ACrashClosesThePortAtItsTimesAndTheBackgroundIsMarked) {
  const sim::Scenario scenario = Ready("S1");
  const demo::v1::FaultPlan plan = FaultPlanOf(scenario, seconds(1), 7);
  EXPECT_EQ(plan.seed(), 7u);
  ASSERT_EQ(plan.phases_size(), 3);
  const demo::v1::Phase& healthy = plan.phases(0);
  EXPECT_EQ(FromProto(healthy.length()), seconds(1) + scenario.warm_up + seconds(10));
  EXPECT_EQ(healthy.outage(), demo::v1::Outage::NONE);
  EXPECT_EQ(healthy.pool().workers(), 4u);
  EXPECT_EQ(healthy.pool().queue_limit().value(), 500u);
  ASSERT_EQ(healthy.errors_size(), 1);
  EXPECT_EQ(healthy.errors(0).code(), demo::v1::UNAVAILABLE);
  EXPECT_DOUBLE_EQ(healthy.errors(0).probability(), 0.002);
  EXPECT_EQ(healthy.errors(0).message(), kBackgroundFailure);
  EXPECT_EQ(plan.phases(1).outage(), demo::v1::Outage::REFUSE);
  EXPECT_EQ(FromProto(plan.phases(1).length()), scenario.services[0].faults[0].length);
  EXPECT_FALSE(plan.phases(2).has_length());
}

TEST(FaultPlanOf, ManyErrorsAreNotBackground) {
  const demo::v1::FaultPlan plan = FaultPlanOf(Ready("S4-30"), seconds(1), 1);
  ASSERT_EQ(plan.phases(1).errors_size(), 1);
  EXPECT_NEAR(plan.phases(1).errors(0).probability(), 1 - 0.7 * 0.998, 1e-12);
  EXPECT_EQ(plan.phases(1).errors(0).message(), "");
}

TEST(FaultPlanOf, ASlowServiceTakesLongerAndAColdOneWarmsUpInAStraightLine) {
  EXPECT_DOUBLE_EQ(FaultPlanOf(Ready("S3"), seconds(1), 1).phases(1).pool().service_time().multiplier(), 40);
  const demo::v1::FaultPlan cold = FaultPlanOf(Ready("S8"), seconds(1), 1);
  ASSERT_EQ(cold.phases_size(), 4);
  const demo::v1::CapacityCurve& curve = cold.phases(2).capacity();
  EXPECT_EQ(curve.scales(), demo::v1::CapacityCurve::SPEED);
  EXPECT_NEAR(curve.start(), 0.25, 1e-6);
  EXPECT_NEAR(curve.end(), 1, 1e-6);
  EXPECT_EQ(FromProto(curve.over()), seconds(10));
  EXPECT_DOUBLE_EQ(cold.phases(2).pool().service_time().multiplier(), 1);
}

TEST(WithReconnects, RefusalsLastABitLongerAndNothingElse) {
  const sim::Scenario scenario = Ready("S8");
  const std::vector<sim::Fault>& before = scenario.services[0].faults;
  Duration longest = Duration::zero();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const std::vector<sim::Fault> after = WithReconnects(scenario, seed).services[0].faults;
    EXPECT_GE(after[0].length, before[0].length);
    longest = std::max(longest, after[0].length - before[0].length);
    EXPECT_EQ(after[1].length, before[1].length);
  }
  EXPECT_LE(longest, std::chrono::milliseconds(2 * kReconnectBackoffMs));
  EXPECT_GT(longest, std::chrono::milliseconds(kReconnectBackoffMs));
}

TEST(MakeReady, CutsAndScales) {
  Setting setting;
  setting.scenario = "S1";
  setting.scale = 0.5;
  setting.longest = seconds(15);
  const sim::Scenario scenario = *MakeReady(setting);
  EXPECT_EQ(scenario.length, seconds(15));
  EXPECT_EQ(scenario.warm_up, setting.warm_up);
  EXPECT_DOUBLE_EQ(scenario.load.rate, 240);
}

TEST(MakeReady, RefusesWhatCannotBePlayedAndNamesTheField) {
  Setting setting;
  setting.scenario = "S13-S1";
  const absl::StatusOr<sim::Scenario> fleet = MakeReady(setting);
  ASSERT_FALSE(fleet.ok());
  EXPECT_NE(fleet.status().message().find("load.clients: 50"), std::string::npos) << fleet.status();
}

}  // namespace
}  // namespace recloser::tools
