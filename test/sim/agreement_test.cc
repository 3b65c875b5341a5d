// When measured runs agree with simulated ones.
#include "recloser/sim/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recloser/sim/evaluation.h"

namespace recloser::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Figures Seen(int good_of_1000, int wasted) {
  Figures figures;
  figures.calls = 1000;
  figures.good = good_of_1000;
  figures.wasted = wasted;
  return figures;
}

ArmRuns Arm(const char* name, const Figures& live, std::vector<Figures> simulated) { return {name, {{live, std::move(simulated)}}}; }

TEST(Compare, EqualRunsAgree) {
  const Agreement agreement =
      Compare({Arm("a", Seen(900, 50), {Seen(900, 50), Seen(900, 50)}), Arm("b", Seen(700, 300), {Seen(700, 300), Seen(700, 300)})});
  EXPECT_TRUE(agreement.agrees());
  EXPECT_EQ(agreement.by_goodput.clear, 1);
  EXPECT_EQ(agreement.by_cost.clear, 1);
}

TEST(Compare, FivePointsOfGoodputAreTheLimit) {
  EXPECT_TRUE(Compare({Arm("a", Seen(850, 0), {Seen(900, 0)})}).agrees());
  const Agreement agreement = Compare({Arm("a", Seen(849, 0), {Seen(900, 0)}), Arm("b", Seen(900, 0), {Seen(900, 0)})});
  EXPECT_FALSE(agreement.agrees());
  EXPECT_NEAR(agreement.worst().difference_points, -5.1, 1e-9);
  EXPECT_EQ(agreement.worst().arm, "a");
}

TEST(Compare, AnArmWhoseRunsScatterMayDifferAsMuchAsTheyDoAndLessOverMoreRuns) {
  const std::vector<Figures> scattered = {Seen(850, 0), Seen(950, 0)};  // 7.07 points of deviation
  EXPECT_TRUE(Compare({Arm("a", Seen(1000, 0), scattered)}).agrees());
  EXPECT_FALSE(Compare({Arm("a", Seen(680, 0), scattered)}).agrees());
  ArmRuns four{"a", {}};
  for (int i = 0; i < 4; ++i) four.seeds.push_back({Seen(790, 0), scattered});
  const Agreement agreement = Compare({four});
  EXPECT_NEAR(agreement.worst().limit_points(), 10.61, 0.01);
  EXPECT_FALSE(agreement.agrees());
}

TEST(Compare, WhatAllRunsOfOneFaultShareIsNoScatter) {
  ArmRuns arm{"a", {}};
  arm.seeds.push_back({Seen(900, 0), {Seen(900, 0), Seen(900, 0)}});
  arm.seeds.push_back({Seen(500, 0), {Seen(500, 0), Seen(500, 0)}});
  EXPECT_EQ(Compare({arm}).worst().deviation_points, 0);
}

TEST(Compare, SeedsWithoutALiveRunAreLeftOut) {
  ArmRuns arm{"a", {}};
  arm.seeds.push_back({Seen(900, 0), {Seen(901, 0)}});
  arm.seeds.push_back({std::nullopt, {Seen(100, 0)}});
  EXPECT_NEAR(Compare({arm}).worst().difference_points, -0.1, 1e-9);
}

TEST(Compare, NamesTheClearPairThatWasMeasuredInTheOtherOrder) {
  const Agreement agreement = Compare({Arm("a", Seen(880, 100), {Seen(900, 100)}), Arm("b", Seen(881, 100), {Seen(880, 100)})});
  EXPECT_FALSE(agreement.agrees());
  EXPECT_THAT(agreement.by_goodput.reversed, ElementsAre("a < b"));
  EXPECT_THAT(agreement.by_cost.reversed, IsEmpty());
}

TEST(Compare, ASimulatedDifferenceWithinTheNoiseIsATie) {
  // The difference is 20 on average, but -40 to 80 in single runs.
  const std::vector<Figures> a = {Seen(900, 100), Seen(960, 100), Seen(840, 100)};
  const std::vector<Figures> b = {Seen(880, 100), Seen(880, 100), Seen(880, 100)};
  const Agreement agreement = Compare({Arm("a", Seen(870, 100), a), Arm("b", Seen(880, 100), b)});
  EXPECT_EQ(agreement.by_goodput.clear, 0);
  EXPECT_TRUE(agreement.agrees());
}

TEST(Compare, NoiseThatBothArmsShareIsNone) {
  const std::vector<Figures> a = {Seen(900, 100), Seen(960, 100), Seen(840, 100)};
  const std::vector<Figures> b = {Seen(880, 100), Seen(940, 100), Seen(820, 100)};
  EXPECT_EQ(Compare({Arm("a", Seen(900, 100), a), Arm("b", Seen(880, 100), b)}).by_goodput.clear, 1);
}

TEST(Compare, SmallDifferencesAreTiesHoweverSureTheSimulatorIs) {
  const Agreement agreement = Compare({Arm("a", Seen(900, 100), {Seen(905, 100)}), Arm("b", Seen(901, 108), {Seen(900, 108)})});
  EXPECT_EQ(agreement.by_goodput.clear, 0);
  EXPECT_EQ(agreement.by_cost.clear, 0);
  EXPECT_TRUE(agreement.agrees());
}

TEST(Compare, IsNotJudgedWithoutARunOfEachArm) {
  const Agreement agreement = Compare({Arm("a", Seen(900, 0), {Seen(900, 0)}), ArmRuns{"b", {{std::nullopt, {Seen(900, 0)}}}}});
  EXPECT_FALSE(agreement.judged);
  EXPECT_FALSE(agreement.agrees());
  EXPECT_FALSE(Compare({}).agrees());
}

TEST(EvaluationToJson, SaysWhatWasNotUsedAndWhy) {
  Evaluation evaluation;
  evaluation.live.resize(1);
  evaluation.live[0].run.arm = "adaptive";
  evaluation.live[0].invalid = "client 400 ms late";
  evaluation.agreements.push_back({"S1", Pattern::kAll, Agreement()});
  const std::string json = EvaluationToJson(evaluation);
  EXPECT_THAT(json, HasSubstr("client 400 ms late"));
  EXPECT_THAT(json, HasSubstr("\"judged\": false"));
}

}  // namespace
}  // namespace recloser::sim
