#include "recloser/core/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

namespace recloser {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::StartsWith;

TEST(Policies, DefaultsAndOffAreValid) {
  EXPECT_TRUE(Policies::Defaults().Validate().ok()) << Policies::Defaults().Validate();
  EXPECT_TRUE(Policies::Off().Validate().ok());
}

TEST(Policies, OffRetriesNothingAndBreaksNothing) {
  const Policies off = Policies::Off();
  EXPECT_EQ(off.defaults.retry.mode, RetryMode::kNever);
  EXPECT_EQ(off.defaults.breaker.mode, BreakerMode::kDisabled);
  EXPECT_FALSE(off.defaults.deadline.has_value());
  EXPECT_FALSE(off.defaults.attempt_timeout.has_value());
}

TEST(Policies, TheMostSpecificEntryHoldsWhole) {
  Policies policies;
  policies.defaults.deadline = milliseconds(1);
  policies.services["a.B"].deadline = milliseconds(2);
  policies.methods["a.B/C"].attempt_timeout = milliseconds(3);
  EXPECT_EQ(&policies.For("a.B", "C"), &policies.methods["a.B/C"]);
  EXPECT_FALSE(policies.For("a.B", "C").deadline.has_value());  // nothing is merged
  EXPECT_EQ(&policies.For("a.B", "D"), &policies.services["a.B"]);
  EXPECT_EQ(&policies.For("a.X", "C"), &policies.defaults);
}

TEST(Policies, HealthChecksAndReflectionAreExcluded) {
  EXPECT_TRUE(IsExcludedService("grpc.health.v1.Health"));
  EXPECT_TRUE(IsExcludedService("grpc.reflection.v1.ServerReflection"));
  EXPECT_TRUE(IsExcludedService("grpc.reflection.v1alpha.ServerReflection"));
  EXPECT_FALSE(IsExcludedService("grpc.health.v1.HealthX"));
  EXPECT_FALSE(IsExcludedService("orders.Orders"));
  EXPECT_FALSE(IsExcludedService(""));
}

TEST(Policies, AreRefusedWithThePathOfTheField) {
  struct Rule {
    std::string error;  // "" = valid
    std::function<void(Policies&)> change;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Rule rules[] = {
      {"policies.defaults.retry.max_attempts: 0 is not allowed; must be from 1 to 100",
       [](Policies& p) { p.defaults.retry.max_attempts = 0; }},
      {"policies.methods[a.B/C].deadline: ", [](Policies& p) { p.methods["a.B/C"].deadline = Duration::zero(); }},
      {"policies.methods[a.B/C].deadline: ", [](Policies& p) { p.methods["a.B/C"].deadline = milliseconds(1) - Duration(1); }},
      {"", [](Policies& p) { p.methods["a.B/C"].deadline = milliseconds(1); }},
      {"", [](Policies& p) { p.methods["a.B/C"].deadline = hours(24); }},
      {"policies.methods[a.B/C].deadline: ", [](Policies& p) { p.methods["a.B/C"].deadline = hours(24) + Duration(1); }},
      {"policies.methods[a.B/C].deadline: ", [](Policies& p) { p.methods["a.B/C"].deadline = Duration::min(); }},
      {"policies.services[a.B].attempt_timeout: ", [](Policies& p) { p.services["a.B"].attempt_timeout = Duration(-1); }},
      {"", [](Policies& p) { p.defaults.deadline = p.defaults.attempt_timeout = p.defaults.stream_idle_timeout = milliseconds(5); }},
      {"policies.defaults.stream_idle_timeout: ", [](Policies& p) { p.defaults.stream_idle_timeout = Duration::zero(); }},
      {"policies.defaults.stream_idle_timeout: 6ms is not allowed; must be at most `deadline`, 5ms",
       [](Policies& p) {
         p.defaults.deadline = milliseconds(5);
         p.defaults.stream_idle_timeout = milliseconds(6);
       }},
      {"policies.defaults.attempt_timeout: 6ms is not allowed; must be at most `deadline`, 5ms",
       [](Policies& p) {
         p.defaults.deadline = milliseconds(5);
         p.defaults.attempt_timeout = milliseconds(6);
       }},
      {"policies.services[a.B].retry.backoff.multiplier: ", [nan](Policies& p) { p.services["a.B"].retry.backoff.multiplier = nan; }},
      {"policies.retry_budget.token_ratio: ", [nan](Policies& p) { p.retry_budget.token_ratio = nan; }},
      {"policies.retry_budget.max_tokens: ", [](Policies& p) { p.retry_budget.max_tokens = 1001; }},
      {"policies.defaults.breaker.",
       [nan](Policies& p) {
         AdaptiveBreakerOptions adaptive;
         adaptive.wasted_attempt_cost = nan;
         p.defaults.breaker.kind = adaptive;
       }},
      {"policies.services: key \"\" is not allowed", [](Policies& p) { p.services[""]; }},
      {"policies.services: key \"a.B/C\" is not allowed", [](Policies& p) { p.services["a.B/C"]; }},
      {"policies.services: key \"/a.B\" is not allowed", [](Policies& p) { p.services["/a.B"]; }},
      {"policies.methods: key \"\" is not allowed", [](Policies& p) { p.methods[""]; }},
      {"policies.methods: key \"a.B\" is not allowed", [](Policies& p) { p.methods["a.B"]; }},
      {"policies.methods: key \"/a.B/C\" is not allowed", [](Policies& p) { p.methods["/a.B/C"]; }},
      {"policies.methods: key \"/C\" is not allowed", [](Policies& p) { p.methods["/C"]; }},
      {"policies.methods: key \"a.B/\" is not allowed", [](Policies& p) { p.methods["a.B/"]; }},
      {"policies.methods: key \"a/B/C\" is not allowed", [](Policies& p) { p.methods["a/B/C"]; }},
  };
  for (const Rule& rule : rules) {
    Policies policies;
    rule.change(policies);
    const absl::Status status = policies.Validate();
    EXPECT_EQ(status.ok(), rule.error.empty()) << status << " for " << rule.error;
    if (rule.error.empty()) continue;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), StartsWith(rule.error));
  }
}

}  // namespace
}  // namespace recloser
