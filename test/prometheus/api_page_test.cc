// docs/api.md says what is so: headers, defaults and metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"
#include "recloser/core/validation.h"
#include "recloser/prometheus/exporter.h"
#include "recloser/prometheus/metrics.h"

namespace recloser {
namespace {

using ::testing::HasSubstr;

const std::string& Page() {
  static const std::string page = [] {
    std::ostringstream text;
    text << std::ifstream(PROJECT_DIR "/docs/api.md").rdbuf();
    return text.str();
  }();
  return page;
}

std::string TypeName(prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Gauge:
      return "gauge";
    default:
      return "histogram";
  }
}

std::string MetricsTable() {
  std::string table = "| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const MetricInfo& metric : PrometheusMetrics()) {
    absl::StrAppend(&table, "| `", metric.name, "` | ", TypeName(metric.type), " | ", absl::StrReplaceAll(metric.labels, {{",", ", "}}),
                    " | ", metric.help, " |\n");
  }
  return table;
}

TEST(ApiPageTest, ListsEveryMetricOfTheExporter) {
  EXPECT_THAT(Page(),
              HasSubstr(absl::StrCat("<!-- metrics: begin (checked by the tests) -->\n", MetricsTable(), "<!-- metrics: end -->\n")));
}

TEST(ApiPageTest, ListsEveryPublicHeader) {
  int headers = 0;
  for (const char* include : {"lib/core/include", "lib/config/include", "lib/events/include", "lib/page/include", "lib/prometheus/include",
                              "interceptors/include"}) {
    const std::filesystem::path root = std::filesystem::path(PROJECT_DIR) / include;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".h") continue;
      ++headers;
      EXPECT_THAT(Page(), HasSubstr(absl::StrCat("| `", entry.path().lexically_relative(root).string(), "` | ")));
    }
  }
  EXPECT_GT(headers, 30) << "the headers were not found";
}

std::string Text(Duration value) { return FormatDuration(value); }
std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(int value) { return absl::StrCat(value); }
std::string Text(double value) { return absl::StrCat(value); }
std::string Text(const std::optional<Duration>& value) { return value ? Text(*value) : "none"; }

using Fields = std::vector<std::pair<std::string, std::string>>;

/// The part of the page that is about one options struct; the whole page has fields of one name with different defaults.
std::string TableOf(const std::string& options) {
  const std::size_t begin = Page().find("| field of `" + options + "`");
  if (begin == std::string::npos) return "";
  return Page().substr(begin, Page().find("\n\n", begin) - begin) + "\n";
}

void ExpectDefaults(const std::string& options, const Fields& fields) {
  const std::string table = TableOf(options);
  for (const auto& [field, value] : fields) EXPECT_THAT(table, HasSubstr(absl::StrCat("| `", field, "` | ", value, " |"))) << options;
}

TEST(ApiPageTest, TellsTheDefaultsOfAMethodsPolicy) {
  const MethodPolicy policy = Policies::Defaults().defaults;
  EXPECT_EQ(policy.retry.mode, RetryMode::kIdempotent);
  EXPECT_EQ(policy.breaker.scope, BreakerScope::kMethod);
  EXPECT_TRUE(std::holds_alternative<AdaptiveBreakerOptions>(policy.breaker.kind));
  const std::string codes = absl::StrJoin(policy.retry.retryable_codes, ", ",
                                          [](std::string* out, absl::StatusCode code) { absl::StrAppend(out, "`", CodeName(code), "`"); });
  ExpectDefaults("MethodPolicy", {{"deadline", Text(policy.deadline)},
                                  {"attempt_timeout", Text(policy.attempt_timeout)},
                                  {"stream_idle_timeout", Text(policy.stream_idle_timeout)},
                                  {"retry.mode", "`kIdempotent`"},
                                  {"retry.max_attempts", Text(policy.retry.max_attempts)},
                                  {"retry.retryable_codes", codes},
                                  {"retry.retry_attempt_timeouts", Text(policy.retry.retry_attempt_timeouts)},
                                  {"retry.retry_rejections", Text(policy.retry.retry_rejections)},
                                  {"retry.retry_server_streams", Text(policy.retry.retry_server_streams)},
                                  {"retry.backoff.base", Text(policy.retry.backoff.base)},
                                  {"retry.backoff.multiplier", Text(policy.retry.backoff.multiplier)},
                                  {"retry.backoff.cap", Text(policy.retry.backoff.cap)},
                                  {"breaker.mode", absl::StrCat("`", ModeName(policy.breaker.mode), "`")},
                                  {"breaker.scope", "`kMethod`"},
                                  {"breaker.kind", "`AdaptiveBreakerOptions`"},
                                  {"shadow_breaker", "none"}});
  EXPECT_FALSE(policy.shadow_breaker.has_value());
  const RetryBudgetOptions budget;
  ExpectDefaults("RetryBudgetOptions",
                 {{"enabled", Text(budget.enabled)}, {"max_tokens", Text(budget.max_tokens)}, {"token_ratio", Text(budget.token_ratio)}});
}

TEST(ApiPageTest, TellsTheDefaultsOfTheAdaptiveBreaker) {
  const AdaptiveBreakerOptions o;
  EXPECT_EQ(o.rating.open_threshold, 5.0 / 6);
  EXPECT_EQ(o.rating.close_threshold, 11.0 / 12);
  ExpectDefaults("AdaptiveBreakerOptions", {{"wasted_attempt_cost", Text(o.wasted_attempt_cost)},
                                            {"slow_call_duration", Text(o.slow_call_duration)},
                                            {"slow_call_duration_unlearnt", Text(o.slow_call_duration_unlearnt)},
                                            {"rating.open_threshold", "5/6"},
                                            {"rating.close_threshold", "11/12"},
                                            {"rating.min_known_weight", Text(o.rating.min_known_weight)},
                                            {"window.context", Text(o.window.context)},
                                            {"window.min_calls", Text(o.window.min_calls)},
                                            {"window.max_calls", Text(o.window.max_calls)},
                                            {"window.max_age", Text(o.window.max_age)},
                                            {"evidence_min", Text(o.evidence_min)},
                                            {"evidence_max", Text(o.evidence_max)},
                                            {"evidence_per_rate", Text(o.evidence_per_rate)},
                                            {"consecutive_bad", Text(o.consecutive_bad)},
                                            {"low_rate", Text(o.low_rate)},
                                            {"rate_time_constant", Text(o.rate_time_constant)},
                                            {"probe_interval_min", Text(o.probe_interval_min)},
                                            {"probe_interval_max", Text(o.probe_interval_max)},
                                            {"probe_share_max", Text(o.probe_share_max)},
                                            {"probe_jitter", Text(o.probe_jitter)},
                                            {"probes_in_flight_max", Text(o.probes_in_flight_max)},
                                            {"ramp_start", Text(o.ramp_start)},
                                            {"ramp_floor", Text(o.ramp_floor)},
                                            {"ramp_growth", Text(o.ramp_growth)},
                                            {"ramp_stage_outcomes", Text(o.ramp_stage_outcomes)},
                                            {"ramp_free_rate", Text(o.ramp_free_rate)},
                                            {"permit_lease", Text(o.permit_lease)}});
}

TEST(ApiPageTest, TellsTheDefaultsOfTheStandardBreaker) {
  const StandardBreakerOptions o;
  EXPECT_EQ(o.window, StandardBreakerOptions::Window::kCount);
  ExpectDefaults("StandardBreakerOptions", {{"window", "`kCount`"},
                                            {"window_calls", Text(o.window_calls)},
                                            {"window_time", Text(o.window_time)},
                                            {"minimum_calls", Text(o.minimum_calls)},
                                            {"failure_rate_threshold", Text(o.failure_rate_threshold)},
                                            {"slow_call_rate_threshold", Text(o.slow_call_rate_threshold)},
                                            {"slow_call_duration", Text(o.slow_call_duration)},
                                            {"wait", Text(o.wait)},
                                            {"wait_multiplier", Text(o.wait_multiplier)},
                                            {"wait_cap", Text(o.wait_cap)},
                                            {"wait_jitter", Text(o.wait_jitter)},
                                            {"permitted_half_open_calls", Text(o.permitted_half_open_calls)},
                                            {"permit_lease", Text(o.permit_lease)}});
}

TEST(ApiPageTest, TellsTheBoundsOfRegistryAndExporter) {
  ExpectDefaults("RegistryOptions`, `PrometheusOptions",
                 {{"max_breakers", Text(RegistryOptions().max_breakers)}, {"max_methods", Text(PrometheusOptions().max_methods)}});
}

}  // namespace
}  // namespace recloser
