#include "recloser/sim/arms.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <variant>

#include "scenarios.h"

namespace recloser::sim {
namespace {

TEST(Arms, AreValidAndHaveDifferentNames) {
  std::set<std::string> names;
  std::vector<Arm> all = DefaultArms();
  for (const Arm& arm : WideGrid()) all.push_back(arm);
  for (const Arm& arm : all) {
    EXPECT_TRUE(names.insert(arm.name).second) << arm.name;
    for (int i = 0; i < kPatterns; ++i) {
      const absl::Status status = PoliciesOf(arm, static_cast<Pattern>(i), Calls()).Validate();
      EXPECT_TRUE(status.ok()) << arm.name << ": " << status;
    }
    ASSERT_NE(FindArm(arm.name), nullptr);
    EXPECT_EQ(FindArm(arm.name)->name, arm.name);
  }
  EXPECT_EQ(FindArm("unheard-of"), nullptr);
}

TEST(Arms, TheGridsHaveTheirSizes) {
  EXPECT_EQ(StandardGrid().size(), 20u);
  EXPECT_EQ(WideGrid().size(), 168u);
}

TEST(Arms, TheWideGridHoldsTheNarrowOne) {
  const auto options = [](const char* name) { return std::get<StandardBreakerOptions>(FindArm(name)->breaker.kind); };
  const StandardBreakerOptions narrow = options("standard-t1s-w2s");
  const StandardBreakerOptions wide = options("wide-t1s-w2s-h10-s80");
  EXPECT_EQ(narrow.window, wide.window);
  EXPECT_EQ(narrow.window_time, seconds(1));
  EXPECT_EQ(narrow.minimum_calls, 10);
  EXPECT_EQ(narrow.wait, wide.wait);
  EXPECT_EQ(narrow.slow_call_rate_threshold, wide.slow_call_rate_threshold);
  EXPECT_EQ(narrow.permitted_half_open_calls, wide.permitted_half_open_calls);
}

TEST(Arms, StandardDefaultsAreFoundByTheirNameOnly) {
  const Arm* const arm = FindArm("standard-defaults");
  ASSERT_NE(arm, nullptr);
  EXPECT_EQ(std::get<StandardBreakerOptions>(arm->breaker.kind).window_calls, 100);
  EXPECT_EQ(std::get<StandardBreakerOptions>(arm->breaker.kind).wait, seconds(60));
  for (const Arm& other : DefaultArms()) EXPECT_NE(other.name, arm->name);
}

TEST(Arms, OursIsTheProductsDefault) {
  const Arm ours = AdaptiveArm(AdaptiveBreakerOptions().wasted_attempt_cost);
  EXPECT_EQ(ours.name, "adaptive");
  EXPECT_EQ(AdaptiveArm(10).name, "adaptive-cost10");
}

TEST(PolicyFileArm, IsTheDefaultEntryOfTheFileAsFarAsThePatternGoes) {
  const std::string path = ::testing::TempDir() + "arms_test_policies.json";
  std::ofstream(path) << R"({"retry_budget": {"max_tokens": 7}, "method_config": [
      {"name": [{}], "deadline": "2s", "attempt_timeout": "0.3s", "retry": {"max_attempts": 2}, "breaker": {"standard": {}}},
      {"name": [{"service": "sim.Service"}], "deadline": "9s"}]})";
  const absl::StatusOr<Arm> arm = PolicyFileArm(path);
  std::remove(path.c_str());
  ASSERT_TRUE(arm.ok()) << arm.status();
  EXPECT_EQ(arm->name, "arms_test_policies.json");
  for (int i = 0; i < kPatterns; ++i) {
    const auto pattern = static_cast<Pattern>(i);
    const Policies policies = PoliciesOf(*arm, pattern, Calls());
    const bool has_all = pattern == Pattern::kScenario || pattern == Pattern::kAll;
    EXPECT_EQ(policies.retry_budget.max_tokens, 7);
    EXPECT_TRUE(policies.services.empty());
    EXPECT_TRUE(std::holds_alternative<StandardBreakerOptions>(policies.defaults.breaker.kind));
    EXPECT_EQ(policies.defaults.attempt_timeout.has_value(), has_all || pattern == Pattern::kBreakerTimeout) << PatternName(pattern);
    EXPECT_EQ(policies.defaults.deadline.has_value(), has_all || pattern == Pattern::kBreakerTimeout) << PatternName(pattern);
    EXPECT_EQ(policies.defaults.retry.mode != RetryMode::kNever, has_all || pattern == Pattern::kBreakerRetry) << PatternName(pattern);
  }
  EXPECT_EQ(PolicyFileArm("/nowhere/policies.json").status().code(), absl::StatusCode::kNotFound);
}

TEST(Patterns, GiveRetryAndTimeoutAsTheirNamesSay) {
  Calls calls;
  calls.attempts = 1;
  const auto policy = [&](Pattern pattern) { return PoliciesOf(*FindArm("adaptive"), pattern, calls).defaults; };
  EXPECT_EQ(policy(Pattern::kScenario).retry.mode, RetryMode::kNever);
  EXPECT_EQ(policy(Pattern::kScenario).attempt_timeout, seconds(1));
  EXPECT_FALSE(policy(Pattern::kBreaker).attempt_timeout.has_value());
  EXPECT_FALSE(policy(Pattern::kBreakerRetry).attempt_timeout.has_value());
  EXPECT_EQ(policy(Pattern::kBreakerRetry).retry.max_attempts, 3);
  EXPECT_EQ(policy(Pattern::kBreakerTimeout).retry.mode, RetryMode::kNever);
  EXPECT_EQ(policy(Pattern::kAll).retry.mode, RetryMode::kAlways);
  calls.attempts = 2;
  EXPECT_EQ(policy(Pattern::kScenario).retry.max_attempts, 2);
}

// A retry that the breaker rejects ends its call, so it is a rejected call.
TEST(Patterns, ARejectedRetryIsARejectedCall) {
  Scenario scenario = BaseWith(Plain(Fault::Kind::kRefused));
  scenario.load.rate = 100;
  RunOptions options;
  options.pattern = Pattern::kAll;
  const Figures f = Simulated(scenario, "adaptive", 1, options).figures;
  EXPECT_GT(f.rejected, 200);
  // But for the few whose three attempts all came before the opening.
  EXPECT_NEAR(static_cast<double>(f.calls), static_cast<double>(f.good + f.rejected), 5);
}

}  // namespace
}  // namespace recloser::sim
