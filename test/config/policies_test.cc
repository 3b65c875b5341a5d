#include "recloser/config/policies.h"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/common.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"

namespace recloser {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

PolicySet Parsed(absl::string_view json, const PolicyParts& parts = {}) {
  const absl::StatusOr<PolicySet> set = ParsePolicies(json, FileFormat::kJson, parts);
  EXPECT_TRUE(set.ok()) << set.status();
  return set.ok() ? *set : PolicySet();
}

std::string Refusal(absl::string_view text, FileFormat format = FileFormat::kJson) {
  const absl::StatusOr<PolicySet> set = ParsePolicies(text, format);
  return set.ok() ? "" : std::string(set.status().message());
}

TEST(ParsePolicies, PutsEntriesWhereTheirNamesSay) {
  const PolicySet set = Parsed(R"({
    "retry_budget": {"max_tokens": 10},
    "method_config": [
      {"name": [{"service": "a.B", "method": "C"}, {"service": "x.Y"}], "deadline": "0.25s"},
      {"name": [{}], "attempt_timeout": "1s"}
    ],
    "targets": [{"target": ["dns:///one", "dns:///two"], "method_config": [{"name": [{"service": "a.B"}], "retry": {"mode": "NEVER"}}]}]
  })");
  EXPECT_EQ(set.defaults.retry_budget.max_tokens, 10);
  EXPECT_EQ(set.defaults.For("a.B", "C").deadline, milliseconds(250));
  EXPECT_EQ(set.defaults.For("x.Y", "Z").deadline, milliseconds(250));
  EXPECT_FALSE(set.defaults.For("a.B", "C").attempt_timeout.has_value());  // nothing is merged
  EXPECT_EQ(set.defaults.For("a.B", "D").attempt_timeout, seconds(1));
  for (const char* const target : {"dns:///one", "dns:///two"}) {
    ASSERT_EQ(set.targets.count(target), 1u);
    const Policies& policies = set.targets.at(target);
    EXPECT_EQ(policies.retry_budget.max_tokens, RetryBudgetOptions().max_tokens);
    EXPECT_EQ(policies.For("a.B", "C").retry.mode, RetryMode::kNever);
    EXPECT_FALSE(policies.defaults.attempt_timeout.has_value());
  }
}

TEST(ParsePolicies, TakesTheTextFormatAndCamelCase) {
  const absl::StatusOr<PolicySet> text = ParsePolicies(
      "# Defaults.\nmethod_config { name {} attempt_timeout { nanos: 5000000 } breaker { standard { window: TIME } } }", FileFormat::kText);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->defaults.defaults.attempt_timeout, milliseconds(5));
  EXPECT_TRUE(std::holds_alternative<StandardBreakerOptions>(text->defaults.defaults.breaker.kind));
  EXPECT_EQ(Parsed(R"({"methodConfig": [{"name": [{}], "attemptTimeout": "0.005s"}]})").defaults.defaults.attempt_timeout, milliseconds(5));
}

TEST(ParsePolicies, AZeroIsAZero) {
  const PolicySet set = Parsed(R"({"method_config": [{"name": [{}], "retry": {"backoff": {"base": "0s"}, "retry_attempt_timeouts": false},
      "breaker": {"adaptive": {"probe_jitter": 0, "rating": {"min_known_weight": 0}}}}]})");
  EXPECT_EQ(set.defaults.defaults.retry.backoff.base, Duration::zero());
  EXPECT_FALSE(set.defaults.defaults.retry.retry_attempt_timeouts);
  EXPECT_EQ(std::get<AdaptiveBreakerOptions>(set.defaults.defaults.breaker.kind).probe_jitter, 0);
  EXPECT_EQ(std::get<AdaptiveBreakerOptions>(set.defaults.defaults.breaker.kind).rating.min_known_weight, 0);
}

TEST(ParsePolicies, AShadowBreakerNeedNotSayThatItIsOne) {
  const PolicySet set = Parsed(R"({"method_config": [{"name": [{}], "shadow_breaker": {"standard": {}}}]})");
  ASSERT_TRUE(set.defaults.defaults.shadow_breaker.has_value());
  EXPECT_EQ(set.defaults.defaults.shadow_breaker->mode, BreakerMode::kShadow);
  EXPECT_EQ(set.defaults.defaults.breaker.mode, BreakerMode::kEnforce);
}

struct Row {
  std::string entry;  // of method_config, beside its name
  std::string error;  // after "method_config[0]."
};

TEST(ParsePolicies, RefusesValuesWithTheFilesPath) {
  const Row rows[] = {
      {R"("deadline": "0s")", "deadline: 0s is not allowed; must be from 1ms to 86400s"},
      {R"("deadline": "-1s")", "deadline: -1s is not allowed; must be from 1ms to 86400s"},
      {R"("deadline": "1s", "attempt_timeout": "1.5s")", "attempt_timeout: 1.5s is not allowed; must be at most `deadline`, 1s"},
      {R"("retry": {"max_attempts": 0})", "retry.max_attempts: 0 is not allowed; must be from 1 to 100"},
      {R"("retry": {"max_attempts": -3})", "retry.max_attempts: -3 is not allowed; must be from 1 to 100"},
      {R"("retry": {"retryable_codes": ["INTERNAL", "INTERNAL"]})",
       "retry.retryable_codes[1]: INTERNAL is not allowed; must be listed once"},
      {R"("retry": {"retryable_codes": ["INTERNAL", "NONE"]})", "retry.retryable_codes[1]: NONE is not allowed; must be alone in its list"},
      {R"("retry": {"retryable_codes": [77]})", "retry.retryable_codes[0]: 77 is not allowed; must be one of gRPC's codes"},
      {R"("retry": {"mode": 9})", "retry.mode: 9 is not allowed; must be one of IDEMPOTENT, ALWAYS, NEVER"},
      {R"("retry": {"backoff": {"multiplier": "NaN"}})", "retry.backoff.multiplier: nan is not allowed; must be from 1 to 100"},
      {R"("retry": {"backoff": {"cap": "0.001s"}})", "retry.backoff.cap: 1ms is not allowed; must be from 25ms to 3600s"},
      {R"("breaker": {"adaptive": {"wasted_attempt_cost": "Infinity"}})",
       "breaker.adaptive.wasted_attempt_cost: inf is not allowed; must be from 0.01 to 1000"},
      {R"("breaker": {"adaptive": {"ramp_growth": 1}})", "breaker.adaptive.ramp_growth: 1 is not allowed; must be above 1, at most 100"},
      {R"("breaker": {"adaptive": {"window": {"min_calls": 0}}})",
       "breaker.adaptive.window.min_calls: 0 is not allowed; must be from 1 to 1000"},
      {R"("breaker": {"adaptive": {"rating": {"close_threshold": 0.85}}})",
       "breaker.adaptive.rating.close_threshold: 0.85 is not allowed; must be at least 0.05 above open_threshold"},
      {R"("breaker": {"adaptive": {"rating": {"metrics": [{"name": "errors", "weight": -1}]}}})",
       "breaker.adaptive.rating.metrics[0].weight: -1 is not allowed"},
      {R"("breaker": {"adaptive": {"rating": {"metrics": [{"name": "latency"}]}}})", "breaker.adaptive.rating.metrics: a share of 0"},
      {R"("breaker": {"adaptive": {"rating": {"metrics": [{"name": "errors"}, {"name": "errors"}]}}})",
       "breaker.adaptive.rating.metrics[1]: errors is not allowed; the names of metrics must differ"},
      {R"("breaker": {"adaptive": {"rating": {"metrics": [{"name": "freshness"}]}}})",
       "breaker.adaptive.rating.metrics[0].name: \"freshness\" is not allowed; must be one of errors, latency, throughput, or"},
      {R"("breaker": {"standard": {"failure_rate_threshold": 0}})", "breaker.standard.failure_rate_threshold: 0 is not allowed"},
      {R"("breaker": {"custom": "mine"})", "breaker.custom: \"mine\" is not allowed; must be a breaker that the application provides"},
      {R"("breaker": {"classify": "mine"})", "breaker.classify: \"mine\" is not allowed"},
      {R"("shadow_breaker": {"mode": "ENFORCE"})", "shadow_breaker.mode: enforce is not allowed; must be shadow"},
      {R"("shadow_breaker": {"standard": {"wait": "0s"}})", "shadow_breaker.standard.wait: 0s is not allowed"},
  };
  for (const Row& row : rows) {
    const std::string error = Refusal(absl::StrCat(R"({"method_config": [{"name": [{}], )", row.entry, "}]}"));
    EXPECT_THAT(error, ::testing::StartsWith("method_config[0]." + row.error)) << row.entry;
    const std::string of_target = Refusal(
        absl::StrCat(R"({"targets": [{"target": ["a"]}, {"target": ["b"], "method_config": [{"name": [{}]}, {"name": [{"service": "x"}], )",
                     row.entry, "}]}]}"));
    EXPECT_THAT(of_target, ::testing::StartsWith("targets[1].method_config[1]." + row.error)) << row.entry;
  }
}

TEST(ParsePolicies, RefusesNamesThatAreNoneOrOccurTwice) {
  const Row rows[] = {
      {R"({"method_config": [{}]})", "method_config[0].name: nothing is not allowed; must name what the entry is for"},
      {R"({"method_config": [{"name": [{"method": "C"}]}]})",
       "method_config[0].name[0]: {method: \"C\"} is not allowed; must have a service too"},
      {R"({"method_config": [{"name": [{"service": ""}]}]})", "method_config[0].name[0].service: \"\" is not allowed"},
      {R"({"method_config": [{"name": [{"service": "/a.B"}]}]})", "method_config[0].name[0].service: \"/a.B\" is not allowed"},
      {R"({"method_config": [{"name": [{"service": "a.B", "method": "C/D"}]}]})",
       "method_config[0].name[0].method: \"C/D\" is not allowed"},
      {R"({"method_config": [{"name": [{}, {}]}]})",
       "method_config[0].name[1]: {} is not allowed; must occur once; it is method_config[0].name[0] already"},
      {R"({"method_config": [{"name": [{"service": "a.B"}]}, {"name": [{"service": "c"}, {"service": "a.B"}]}]})",
       "method_config[1].name[1]: {service: \"a.B\"} is not allowed; must occur once; it is method_config[0].name[0] already"},
      {R"({"targets": [{}]})", "targets[0].target: nothing is not allowed"},
      {R"({"targets": [{"target": [""]}]})", "targets[0].target[0]: \"\" is not allowed"},
      {R"({"targets": [{"target": ["a"]}, {"target": ["a"]}]})",
       "targets[1].target[0]: \"a\" is not allowed; must occur once; it is targets[0].target[0] already"},
      {R"({"retry_budget": {"token_ratio": "NaN"}})", "retry_budget.token_ratio: nan is not allowed"},
      {R"({"targets": [{"target": ["a"], "retry_budget": {"max_tokens": 0}}]})", "targets[0].retry_budget.max_tokens: 0 is not allowed"},
  };
  for (const Row& row : rows) EXPECT_THAT(Refusal(row.entry), ::testing::StartsWith(row.error)) << row.entry;
}

TEST(ParsePolicies, RefusesUnknownAndRepeatedKeysAndEmptyLists) {
  // Protobuf's own words: newer ones say where it is, not what.
  const char* const kFraction = GOOGLE_PROTOBUF_VERSION < 4000000 ? "2.5" : "retry.max_attempts";
  const Row rows[] = {
      {R"({"method_configs": []})", "method_configs"},
      {R"({"retry_budget": {"tokens": 3}})", "tokens"},
      {R"({"retry_budget": {}, "retry_budget": {}})", "retry_budget: given twice"},
      {R"({"retry_budget": {"max_tokens": 10, "maxTokens": 20}})", "maxTokens"},
      {R"({"method_config": [], "methodConfig": [{"name": [{}]}]})", "methodConfig: given twice"},
      {R"({"method_config": [{"name": [{}], "breaker": {"adaptive": {}, "standard": {}}}]})", "oneof"},
      {R"({"method_config": [{"name": [{}], "retry": {"retryable_codes": [ ]}}]})", "retryable_codes: an empty list is not allowed"},
      {R"({"method_config": [{"name": [{}], "retry": {"retryable_codes": ["OK"]}}]})", "OK"},
      {R"({"method_config": [{"name": [{}], "retry": {"retryable_codes": ["CANCELLED"]}}]})", "CANCELLED"},
      {R"({"method_config": [{"name": [{}], "retry": {"max_attempts": 2.5}}]})", kFraction},
      {R"({"method_config": [{"name": [{}], "deadline": 5}]})", "deadline"},
      {R"({"method_config": [{"name": [{}], "deadline": "99999999999999s"}]})", "not a policy file"},
  };
  for (const Row& row : rows) EXPECT_THAT(Refusal(row.entry), HasSubstr(row.error)) << row.entry;

  const Row texts[] = {
      {"retry_budget {} retry_budget {}", "retry_budget"},
      {"method_config { name {} breaker { adaptive {} standard {} } }", "oneof"},
      {"method_config { name {} retry { retryable_codes: [] } }", "retryable_codes: an empty list is not allowed"},
      {"method_config { name {} retry { backoff { base { seconds: 1 nanos: -1 } } } }",
       "method_config[0].retry.backoff.base: {seconds: 1 nanos: -1} is"},
      {"method_config { name {} deadline { seconds: -9223372036854775808 } }",
       "method_config[0].deadline: {seconds: -9223372036854775808 nanos: 0} is not allowed"},
      {"method_config { name {} deadline { nanos: 1000000000 } }",
       "method_config[0].deadline: {seconds: 0 nanos: 1000000000} is not allowed"},
  };
  for (const Row& row : texts) EXPECT_THAT(Refusal(row.entry, FileFormat::kText), HasSubstr(row.error)) << row.entry;
}

TEST(ParsePolicies, BracketsInTextsAreNoEmptyLists) {
  EXPECT_EQ(Refusal(R"({"targets": [{"target": ["a\/[]", "\u00e9[ ]", "it's []", "[", "]"]}]})"), "");
  EXPECT_EQ(Refusal("targets { target: '[]' target: ['[', ']'] }  # []", FileFormat::kText), "");
}

class Freshness final : public Metric {
  absl::string_view name() const override { return "freshness"; }
  std::optional<double> Score(const AttemptObservation&) const override { return 1; }
};

TEST(ParsePolicies, FindsThePartsThatTheApplicationProvides) {
  PolicyParts parts;
  parts.metrics = {std::make_shared<Freshness>()};
  parts.breakers = {{"mine", std::make_shared<const CustomBreaker::Factory>(
                                 [](Time now, Random random) { return MakeBreaker(BreakerOptions(), now, random); })}};
  parts.classifiers["strict"] = [](const AttemptResult&) { return Outcome::kFailure; };
  const PolicySet set = Parsed(R"({"method_config": [
      {"name": [{}], "breaker": {"adaptive": {"rating": {"metrics": [{"name": "errors"}, {"name": "freshness", "weight": 0.5}]}}}},
      {"name": [{"service": "a.B"}], "breaker": {"custom": "mine", "classify": "strict"}}]})",
                               parts);
  const auto& metrics = std::get<AdaptiveBreakerOptions>(set.defaults.defaults.breaker.kind).rating.metrics;
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[1].metric, parts.metrics[0]);
  EXPECT_EQ(metrics[1].weight, 0.5);
  const BreakerOptions& custom = set.defaults.services.at("a.B").breaker;
  EXPECT_EQ(std::get<CustomBreaker>(custom.kind).factory, parts.breakers[0].factory);
  EXPECT_EQ(custom.classify(AttemptResult()), Outcome::kFailure);
  EXPECT_THAT(PolicySetToJson(set), HasSubstr(R"("custom": "mine")"));
}

TEST(ReadPolicyFile, SaysWhichFile) {
  EXPECT_EQ(ReadPolicyFile("/nowhere/policies.json").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(ReadPolicyFile("policies.yaml").status().message()),
              HasSubstr("policies.yaml: a policy file's name must end in"));
  const std::string path = ::testing::TempDir() + "policies_test.json";
  std::ofstream(path) << R"({"method_config": [{"name": [{}], "retry": {"max_attempts": 0}}]})";
  EXPECT_EQ(ReadPolicyFile(path).status().message(),
            path + ": method_config[0].retry.max_attempts: 0 is not allowed; must be from 1 to 100");
  std::ofstream(path) << R"({"method_config": [{"name": [{}], "retry": {"max_attempts": 2}}]})";
  const absl::StatusOr<PolicySet> set = ReadPolicyFile(path);
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->defaults.defaults.retry.max_attempts, 2);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace recloser
