#include "recloser/config/policy_advice.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "recloser/config/policies.h"
#include "recloser/config/service_config.h"

namespace recloser {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> Advice(absl::string_view json, const AdviceOptions& options = {}) {
  const absl::StatusOr<PolicySet> set = ParsePolicies(json, FileFormat::kJson);
  EXPECT_TRUE(set.ok()) << set.status() << json;
  std::vector<std::string> lines;
  if (!set.ok()) return lines;
  for (const PolicyAdvice& advice : Advise(*set, options)) {
    lines.push_back(absl::StrCat(LevelName(advice.level), ": ", advice.where, ": ", advice.text));
  }
  return lines;
}

std::vector<std::string> OfEntry(absl::string_view fields, const AdviceOptions& options = {}) {
  return Advice(absl::StrCat(R"({"method_config": [{"name": [{}], )", fields, "}]}"), options);
}

TEST(Advise, SaysNothingOfTheDefaultsAndOfWhatIsWise) {
  EXPECT_THAT(Advice("{}"), IsEmpty());
  EXPECT_THAT(OfEntry(R"("deadline": "1s", "attempt_timeout": "0.3s", "breaker": {"standard": {}})"), IsEmpty());
}

TEST(Advise, WarnsOfWhatIsMostLikelyAMistake) {
  struct Row {
    const char* fields;
    const char* line;
  };
  const Row rows[] = {
      {R"("retry": {"mode": "ALWAYS"})", "warning: defaults: retry.mode ALWAYS repeats every method here"},
      {R"("deadline": "1s", "attempt_timeout": "1s")",
       "warning: defaults: attempt_timeout 1s within a deadline of 1s: no time for a retry is left when an attempt times out"},
      {R"("deadline": "1s", "attempt_timeout": "1s", "retry": {"mode": "NEVER"})",
       "warning: defaults: attempt_timeout 1s within a deadline of 1s does nothing"},
      {R"("deadline": "1s", "attempt_timeout": "0.6s")",
       "warning: defaults: attempt_timeout 600ms within a deadline of 1s: a retry of an attempt that timed out cannot have its whole time"},
      {R"("deadline": "1s", "attempt_timeout": "0.5s")",
       "note: defaults: attempt_timeout 500ms within a deadline of 1s: of 3 attempts that all"},
      {R"("deadline": "0.1s", "retry": {"backoff": {"base": "0.1s"}})",
       "warning: defaults: the first back-off, up to 100ms, mostly ends after the deadline, 100ms"},
      {R"("deadline": "0.004s")", "warning: defaults: deadline 4ms is shorter than a call over a network takes"},
      {R"("attempt_timeout": "0.004s")", "warning: defaults: attempt_timeout 4ms is shorter than an attempt over a network takes"},
      {R"("retry": {"retryable_codes": ["NONE"]})", "warning: defaults: retries nothing"},
      {R"("retry": {"max_attempts": 6})", "note: defaults: 6 attempts for each call are many"},
      {R"("attempt_timeout": "1s", "breaker": {"standard": {"slow_call_rate_threshold": 0.5, "slow_call_duration": "1s"}})",
       "warning: defaults: slow_call_duration 1s is never reached: attempts end at 1s"},
      {R"("breaker": {"adaptive": {"rating": {"metrics": [{"name": "errors", "weight": 5}, {"name": "latency"}]}}})",
       "warning: defaults: the weight of latency, 0.166667 of all, is too small to open the link alone, which takes more than 0.166667"},
      {R"("breaker": {"adaptive": {"rating": {"metrics": [{"name": "errors", "weight": 12}, {"name": "latency"}]}}})",
       "warning: defaults: the weight of latency, 0.0769231 of all, is too small to keep the link open alone"},
      {R"("breaker": {"adaptive": {"rating": {"metrics": [{"name": "errors"}, {"name": "latency", "weight": 0}]}}})",
       "note: defaults: latency has weight 0 and counts for nothing"},
      {R"("shadow_breaker": {"adaptive": {"rating": {"metrics": [{"name": "errors", "weight": 9}, {"name": "latency"}]}}})",
       "warning: defaults: shadow_breaker: the weight of latency, 0.1 of all, is too small to open the link"},
      {R"("breaker": {"mode": "SHADOW"})", "note: defaults: breaker in shadow: it counts what it would reject and blocks nothing"},
      {R"("shadow_breaker": {})", "note: defaults: shadow_breaker counts what it would do otherwise"},
      {R"("shadow_breaker": {}, "breaker": {"mode": "DISABLED"})",
       "note: defaults: shadow_breaker counts what it would reject; nothing is"},
  };
  for (const Row& row : rows) {
    const std::vector<std::string> lines = OfEntry(row.fields);
    ASSERT_FALSE(lines.empty()) << row.fields;
    EXPECT_THAT(lines[0], StartsWith(row.line)) << row.fields;
  }
}

TEST(Advise, WarnsOfABudgetThatLimitsNothing) {
  EXPECT_THAT(Advice(R"({"retry_budget": {"enabled": false}})"), ElementsAre(StartsWith("warning: retry budget: is off")));
  EXPECT_THAT(Advice(R"({"retry_budget": {"token_ratio": 1}})"), ElementsAre(StartsWith("warning: retry budget: token_ratio 1")));
  EXPECT_THAT(Advice(R"({"retry_budget": {"enabled": false}, "method_config": [{"name": [{}], "retry": {"mode": "NEVER"}}]})"), IsEmpty());
}

TEST(Advise, TellsWhenAWiderDeadlineIsLost) {
  EXPECT_THAT(
      Advice(R"({"method_config": [{"name": [{}], "deadline": "2s"}, {"name": [{"service": "a.B"}]},
      {"name": [{"service": "a.B", "method": "C"}]}, {"name": [{"service": "x.Y", "method": "Z"}]}]})"),
      ElementsAre(StartsWith("note: a.B: has no deadline: entries are not merged, the 2s"), StartsWith("note: x.Y/Z: has no deadline")));
}

TEST(Advise, NamesTheTarget) {
  EXPECT_THAT(
      Advice(
          R"({"targets": [{"target": ["dns:///a:1"], "method_config": [{"name": [{}], "deadline": "0.001s", "retry": {"mode": "NEVER"}}]}]})"),
      ElementsAre(StartsWith("warning: dns:///a:1 defaults: deadline 1ms")));
}

TEST(Advise, WarnsOfTwoRetries) {
  const absl::StatusOr<ConvertedServiceConfig> config = ConvertServiceConfig(R"({"methodConfig": [{"name": [{"service": "a.B"}],
      "retryPolicy": {"maxAttempts": 4, "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 2,
                      "retryableStatusCodes": ["UNAVAILABLE"]}}]})");
  ASSERT_TRUE(config.ok()) << config.status();
  AdviceOptions options;
  options.service_config = &config->policies;
  EXPECT_THAT(Advice("{}", options), ElementsAre(AllOf(StartsWith("warning: a.B: the service config has a retryPolicy here"),
                                                       HasSubstr("could make 12 attempts"))));
  EXPECT_THAT(OfEntry(R"("retry": {"mode": "NEVER"})", options), IsEmpty());
  EXPECT_THAT(Advice(R"({"method_config": [{"name": [{"service": "a.B", "method": "C"}]}, {"name": [{"service": "c.D"}]},
      {"name": [{"service": "a.B"}], "retry": {"mode": "NEVER"}}]})",
                     options),
              ElementsAre(StartsWith("warning: a.B/C: the service config")));
}

class AdviseWithDescriptors : public ::testing::Test {
 protected:
  AdviseWithDescriptors() {
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
      file {
        name: "orders.proto" package: "orders"
        service {
          name: "Orders"
          method { name: "Get" options { idempotency_level: NO_SIDE_EFFECTS } }
          method { name: "Put" }
          method { name: "Watch" server_streaming: true options { idempotency_level: IDEMPOTENT } }
        }
      })",
                                                              &descriptors_));
    options_.descriptors = &descriptors_;
  }

  google::protobuf::FileDescriptorSet descriptors_;
  AdviceOptions options_;
};

TEST_F(AdviseWithDescriptors, WarnsOfNamesThatDoNotExist) {
  EXPECT_THAT(Advice(R"({"method_config": [{"name": [{"service": "orders.Order"}, {"service": "orders.Orders"},
      {"service": "orders.Orders", "method": "Gte"}]}]})",
                     options_),
              ElementsAre("warning: orders.Order: the descriptors have no such service",
                          "warning: orders.Orders/Gte: the descriptors have no such method in orders.Orders"));
}

TEST_F(AdviseWithDescriptors, KnowsWhichMethodsMayBeRepeated) {
  EXPECT_THAT(OfEntry(R"("retry": {"mode": "ALWAYS"})", options_),
              ElementsAre("warning: defaults: retry.mode ALWAYS repeats methods that are not declared idempotent: orders.Orders/Put"));
  EXPECT_THAT(Advice(R"({"method_config": [{"name": [{}], "retry": {"mode": "ALWAYS"}},
      {"name": [{"service": "orders.Orders", "method": "Put"}], "retry": {"mode": "NEVER"}}]})",
                     options_),
              IsEmpty());
  EXPECT_THAT(Advice(R"({"method_config": [{"name": [{"service": "orders.Orders", "method": "Put"}]}]})", options_),
              ElementsAre("note: orders.Orders/Put: is not retried: its .proto declares no idempotency_level"));
}

TEST_F(AdviseWithDescriptors, KnowsStreams) {
  EXPECT_THAT(
      Advice(R"({"method_config": [{"name": [{"service": "orders.Orders", "method": "Watch"}], "attempt_timeout": "1s"}]})", options_),
      ElementsAre("note: orders.Orders/Watch: is a stream: attempt_timeout does not hold"));
  const auto of_method = [&](absl::string_view method, absl::string_view fields) {
    return Advice(
        absl::StrCat(R"({"method_config": [{"name": [{"service": "orders.Orders", "method": ")", method, R"("}], )", fields, "}]}"),
        options_);
  };
  EXPECT_THAT(of_method("Watch", R"("attempt_timeout": "1s", "stream_idle_timeout": "5s", "retry": {"retry_server_streams": true})"),
              IsEmpty());
  EXPECT_THAT(of_method("Get", R"("stream_idle_timeout": "5s", "retry": {"retry_server_streams": true})"),
              ElementsAre("note: orders.Orders/Get: is no server-streaming method: retry_server_streams does nothing",
                          "note: orders.Orders/Get: is no stream: stream_idle_timeout does nothing"));
  EXPECT_THAT(of_method("Watch", R"("retry": {"mode": "NEVER", "retry_server_streams": true})"),
              ElementsAre("warning: orders.Orders/Watch: retry_server_streams does nothing: nothing is retried here"));
}

TEST(Advise, HealthChecksPassWhateverTheirServiceEntrySays) {
  EXPECT_THAT(Advice(R"({"method_config": [{"name": [{"service": "grpc.health.v1.Health"}]}]})"),
              ElementsAre(StartsWith("warning: grpc.health.v1.Health: passes without retry and breaker unless each method is named")));
}

std::string Described(absl::string_view fields) {
  const absl::StatusOr<PolicySet> set =
      ParsePolicies(absl::StrCat(R"({"method_config": [{"name": [{}], )", fields, "}]}"), FileFormat::kJson);
  EXPECT_TRUE(set.ok()) << set.status();
  const auto line = [](std::string* out, const auto& pair) { absl::StrAppend(out, pair.first, ": ", pair.second); };
  return set.ok() ? absl::StrJoin(Describe(set->defaults.defaults), "\n", line) : "";
}

TEST(Describe, SaysWhatHolds) {
  EXPECT_EQ(Described(R"("retry": {})"),
            "deadline: the caller's\nattempt timeout: none\nretry: calls declared idempotent, 3 attempts, on UNAVAILABLE\n"
            "back-off: 0 to 25ms, each time 2 times more, up to 250ms\nbreaker: enforced; one per method\n: adaptive, all by default");
  EXPECT_EQ(Described(R"("deadline": "2s", "attempt_timeout": "1s", "retry": {"mode": "NEVER"}, "breaker": {"mode": "DISABLED"})"),
            "deadline: 2s\nattempt timeout: 1s\nretry: never\nbreaker: none");
  EXPECT_THAT(
      Described(R"("stream_idle_timeout": "5s", "retry": {"mode": "ALWAYS", "retry_server_streams": true})"),
      HasSubstr("\nstream idle timeout: 5s\nretry: every call, server streams to their first message, 3 attempts, on UNAVAILABLE\n"));
  EXPECT_THAT(
      Described(R"("breaker": {"scope": "TARGET", "standard": {"window": "TIME", "wait": "5s"}}, "shadow_breaker": {"adaptive":
      {"wasted_attempt_cost": 10, "window": {"min_calls": 5}, "rating": {"metrics": [{"name": "errors", "weight": 3}, {"name": "latency"}]}}})"),
      AllOf(HasSubstr("breaker: enforced; one per target\n: standard, window TIME, wait 5s\n"),
            HasSubstr("beside it: in shadow: counts, blocks nothing; one per method\n: adaptive, wasted_attempt_cost 10, min_calls 5\n"
                      ": rating: weights errors 0.75, latency 0.25")));
  EXPECT_EQ(Describe(RetryBudgetOptions()), "100 tokens, 0.1 back for each success; retries stop at 50");
}

}  // namespace
}  // namespace recloser
