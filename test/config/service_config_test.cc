#include "recloser/config/service_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_join.h"
#include "recloser/config/policies.h"

namespace recloser {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

ConvertedServiceConfig Converted(absl::string_view json) {
  const absl::StatusOr<ConvertedServiceConfig> converted = ConvertServiceConfig(json);
  EXPECT_TRUE(converted.ok()) << converted.status();
  return converted.ok() ? *converted : ConvertedServiceConfig();
}

// The example of gRPC's documentation, and more.
constexpr char kFull[] = R"({
  "loadBalancingConfig": [{"round_robin": {}}],
  "methodConfig": [
    {
      "name": [{"service": "echo.Echo", "method": "Get"}, {"service": "echo.Other"}],
      "waitForReady": true,
      "timeout": "2.5s",
      "retryPolicy": {
        "maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 1.5,
        "retryableStatusCodes": ["UNAVAILABLE", "aborted", 8]
      }
    },
    {"name": [{"service": "echo.Echo"}], "timeout": "1s", "hedgingPolicy": {"maxAttempts": 3}}
  ],
  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.5}
})";

TEST(ConvertServiceConfig, TakesOverTimeoutsRetriesAndThrottling) {
  const Policies policies = Converted(kFull).policies;
  for (const MethodPolicy& policy : {policies.For("echo.Echo", "Get"), policies.For("echo.Other", "X")}) {
    EXPECT_EQ(policy.deadline, milliseconds(2500));
    EXPECT_FALSE(policy.attempt_timeout.has_value());
    EXPECT_EQ(policy.retry.mode, RetryMode::kAlways);
    EXPECT_EQ(policy.retry.max_attempts, 4);
    EXPECT_EQ(policy.retry.backoff.base, milliseconds(100));
    EXPECT_EQ(policy.retry.backoff.cap, seconds(1));
    EXPECT_EQ(policy.retry.backoff.multiplier, 1.5);
    EXPECT_THAT(policy.retry.retryable_codes,
                ElementsAre(absl::StatusCode::kUnavailable, absl::StatusCode::kAborted, absl::StatusCode::kResourceExhausted));
  }
  EXPECT_EQ(policies.For("echo.Echo", "Put").deadline, seconds(1));
  EXPECT_EQ(policies.For("echo.Echo", "Put").retry.mode, RetryMode::kNever);
  EXPECT_EQ(policies.For("any.Thing", "Else").retry.mode, RetryMode::kNever);
  EXPECT_TRUE(policies.retry_budget.enabled);
  EXPECT_EQ(policies.retry_budget.max_tokens, 10);
  EXPECT_EQ(policies.retry_budget.token_ratio, 0.5);
}

TEST(ConvertServiceConfig, WritesAFileThatSaysTheSame) {
  const ConvertedServiceConfig converted = Converted(kFull);
  const absl::StatusOr<PolicySet> read = ParsePolicies(converted.json, FileFormat::kJson);
  ASSERT_TRUE(read.ok()) << read.status() << converted.json;
  EXPECT_EQ(PolicySetToJson(*read), PolicySetToJson({converted.policies, {}}));
  // No defaults are written out.
  EXPECT_THAT(converted.json, AllOf(Not(HasSubstr("breaker")), Not(HasSubstr("retry_rejections")), Not(HasSubstr("targets"))));
}

TEST(ConvertServiceConfig, SaysWhatHasNoEquivalent) {
  EXPECT_THAT(Converted(kFull).notes,
              ElementsAre(StartsWith("methodConfig[0].waitForReady: has no equivalent"),
                          StartsWith("methodConfig[1].hedgingPolicy: has no equivalent"),
                          StartsWith("loadBalancingConfig: has no equivalent"), StartsWith("retryPolicy: must leave the service config")));
  const std::string notes = absl::StrJoin(Converted(R"({"methodConfig": [{"name": [], "timeout": "1s"}, {"name": [{}], "retryPolicy": {
      "maxAttempts": 9, "initialBackoff": "2s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["CANCELLED"]}}]})")
                                              .notes,
                                          "\n");
  EXPECT_THAT(notes, HasSubstr("methodConfig[0]: has no name"));
  EXPECT_THAT(notes, HasSubstr("methodConfig[1].retryPolicy.maxAttempts: 9 is 5 to gRPC, too"));
  EXPECT_THAT(notes, HasSubstr("methodConfig[1].retryPolicy.retryableStatusCodes: CANCELLED is never retried"));
  EXPECT_THAT(notes, HasSubstr("retryThrottling: is absent"));
}

TEST(ConvertServiceConfig, NoConfigIsNoRetries) {
  const ConvertedServiceConfig converted = Converted("{}");
  EXPECT_EQ(converted.policies.defaults.retry.mode, RetryMode::kNever);
  EXPECT_EQ(converted.policies.defaults.breaker.mode, BreakerMode::kEnforce);
  EXPECT_THAT(converted.notes, IsEmpty());
}

TEST(ConvertServiceConfig, RefusesWhatIsNoServiceConfig) {
  struct Row {
    const char* json;
    const char* error;
  };
  const Row rows[] = {
      {"", "not a service config"},
      {R"({"methodConfig": [], "methodConfig": []})", "methodConfig: given twice"},
      {R"({"methodConfig": {}})", "methodConfig: {} is not allowed; must be a list"},
      {R"({"methodConfig": [3]})", "methodConfig[0]: 3 is not allowed; must be an object"},
      {R"({"methodConfig": [{"name": [{"service": 3}]}]})", "methodConfig[0].name[0].service: 3 is not allowed; must be a text"},
      {R"({"methodConfig": [{"name": [{}], "timeout": 5}]})", "methodConfig[0].timeout: 5 is not allowed; must be a duration"},
      {R"({"methodConfig": [{"name": [{}], "timeout": "soon"}]})", "methodConfig[0].timeout: \"soon\" is not allowed; must be a duration"},
      {R"({"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": "x"}}]})", "methodConfig[0].retryPolicy.maxAttempts: \"x\" is"},
      {R"({"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 2.5}}]})", "methodConfig[0].retryPolicy.maxAttempts: 2.5 is"},
      {R"({"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 2}}]})",
       "methodConfig[0].retryPolicy.initialBackoff: nothing is"},
      {R"({"methodConfig": [{"name": [{}], "retryPolicy": {"retryableStatusCodes": ["BUSY"]}}]})",
       "methodConfig[0].retryPolicy.maxAttempts: nothing"},
      {R"({"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 2, "initialBackoff": "1s", "maxBackoff": "1s",
          "backoffMultiplier": 2, "retryableStatusCodes": ["BUSY"]}}]})",
       "methodConfig[0].retryPolicy.retryableStatusCodes: BUSY is not allowed; must be one of gRPC's codes"},
      {R"({"retryThrottling": {"maxTokens": 0, "tokenRatio": 1}})", "as a policy file: retry_budget.max_tokens: 0 is not allowed"},
      {R"({"methodConfig": [{"name": [{}]}, {"name": [{}]}]})",
       "as a policy file: method_config[1].name[0]: {} is not allowed; must occur once"},
      {R"({"methodConfig": [{"name": [{"method": "Get"}]}]})",
       "as a policy file: method_config[0].name[0]: {method: \"Get\"} is not allowed"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(std::string(ConvertServiceConfig(row.json).status().message()), HasSubstr(row.error)) << row.json;
  }
  EXPECT_EQ(ReadServiceConfig("/nowhere/config.json").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace recloser
