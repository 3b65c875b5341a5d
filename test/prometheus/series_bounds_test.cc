// How many series there are: all of them from the start, and never too many.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "recloser/core/link.h"
#include "recloser/core/policy_source.h"
#include "recloser/prometheus/exporter.h"
#include "recloser/prometheus/metrics.h"
#include "scraped.h"
#include "users_breaker.h"

namespace recloser {
namespace {

using ::testing::Optional;

/// Values that nothing is known of before the first call, so they have no series yet.
const std::set<std::string> kUnknownAtFirst = {"recloser_breaker_last_transition_timestamp_seconds", "recloser_breaker_rating_ratio",
                                               "recloser_breaker_metric_score_ratio"};

/// Gauges that are not 0 before the first call.
const std::set<std::string> kNotZeroAtFirst = {"recloser_retry_budget_tokens",
                                               "recloser_retry_budget_max_tokens",
                                               "recloser_breaker_state",
                                               "recloser_breaker_admitted_ratio",
                                               "recloser_breaker_metric_weight_ratio",
                                               "recloser_breaker_threshold_ratio",
                                               "recloser_config_info",
                                               "recloser_config_generation",
                                               "recloser_config_last_reload_successful"};

/// An enforced breaker and a shadow beside it.
Policies WithShadow() {
  Policies policies = Policies::Defaults();
  policies.defaults.shadow_breaker = BreakerOptions{};
  policies.defaults.shadow_breaker->mode = BreakerMode::kShadow;
  return policies;
}

class SeriesBoundsTest : public ::testing::Test {
 protected:
  SeriesBoundsTest() { VirtualClock::Reset(); }

  std::shared_ptr<Registry> registry_ = Registry::Create({64, 1});
  std::shared_ptr<PrometheusExporter> exporter_ = PrometheusExporter::Create(registry_, &VirtualClock::Read);
};

TEST_F(SeriesBoundsTest, AScrapeBeforeTrafficShowsEverySeriesWithZero) {
  const auto source = PolicySource::Create({}, {"policies.json", "9f86d081"});
  registry_->AddSource(source);
  const auto link = Link::Create("dns:///orders", WithShadow(), registry_);
  link->Method("/orders.Orders/Get", {}, VirtualClock::now);
  const Scraped scraped(*exporter_);

  for (const MetricInfo& metric : PrometheusMetrics()) {
    const std::string name(metric.name);
    EXPECT_EQ(scraped.SeriesOf(name) == 0, kUnknownAtFirst.count(name) == 1) << name;
    if (scraped.SeriesOf(name) == 0 || kNotZeroAtFirst.count(name) == 1) continue;
    const prometheus::MetricFamily& family = scraped.families().at(name);
    for (const auto& sample : family.metric) EXPECT_EQ(Scraped::ValueOf(family, sample), 0) << name;
  }

  EXPECT_EQ(scraped.SeriesOf("recloser_calls_handled_total"), 17u * 2);
  EXPECT_EQ(scraped.SeriesOf("recloser_attempts_handled_total"), 17u * 3);
  EXPECT_EQ(scraped.SeriesOf("recloser_attempt_duration_seconds"), 3u);
  EXPECT_EQ(scraped.SeriesOf("recloser_timeouts_total"), 6u);
  EXPECT_EQ(scraped.SeriesOf("recloser_retries_total"), 3u * 2);
  EXPECT_EQ(scraped.SeriesOf("recloser_retries_suppressed_total"), 10u);
  // The enforced breaker and the shadow beside it.
  EXPECT_EQ(scraped.SeriesOf("recloser_breaker_state"), 2u * 5);
  EXPECT_EQ(scraped.SeriesOf("recloser_breaker_time_in_state_seconds_total"), 2u * 5);
  EXPECT_EQ(scraped.SeriesOf("recloser_breaker_rejected_total"), 2u * 2);
  EXPECT_EQ(scraped.SeriesOf("recloser_breaker_probes_total"), 2u * 4);
  EXPECT_EQ(scraped.SeriesOf("recloser_breaker_threshold_ratio"), 2u * 2);
  EXPECT_EQ(scraped.SeriesOf("recloser_shadow_decisions_total"), static_cast<std::size_t>(kShadowAgreements)) << "of the shadow only";
  EXPECT_EQ(scraped.SeriesOf("recloser_shadow_results_total"), 4u);
  EXPECT_EQ(scraped.SeriesOf("recloser_config_reloads_total"), 3u);
  EXPECT_EQ(scraped.SeriesOf("recloser_problems_total"), static_cast<std::size_t>(kProblemKinds));
  const LabelMap opening = {{"target", "dns:///orders"},
                            {"grpc_service", "orders.Orders"},
                            {"grpc_method", "Get"},
                            {"from", "closed"},
                            {"to", "open"},
                            {"reason", "rating"},
                            {"mode", "enforce"}};
  EXPECT_THAT(scraped.Value("recloser_breaker_transitions_total", opening), Optional(0));
}

TEST_F(SeriesBoundsTest, EveryFamilyHasTheTypeHelpAndLabelsOfTheTable) {
  const auto source = PolicySource::Create({}, {"policies.json", "9f86d081"});
  registry_->AddSource(source);
  const auto link = Link::Create("dns:///orders", WithShadow(), registry_);
  const MethodContext& method = *link->Method("/orders.Orders/Get", {}, VirtualClock::now);
  const Admission admission = method.breaker->TryAcquire(VirtualClock::now, {});
  method.breaker->Record(admission.permit, VirtualClock::now, {});
  link->Method("/orders.Orders/Put", {}, VirtualClock::now)->breaker->ForceOpen(VirtualClock::now);
  const Scraped scraped(*exporter_);

  for (const MetricInfo& metric : PrometheusMetrics()) {
    const auto family = scraped.families().find(std::string(metric.name));
    ASSERT_NE(family, scraped.families().end()) << metric.name;
    EXPECT_EQ(family->second.type, metric.type) << metric.name;
    EXPECT_EQ(family->second.help, metric.help) << metric.name;
    for (const auto& sample : family->second.metric) {
      std::vector<std::string> names;
      for (const auto& label : sample.label) names.push_back(label.name);
      EXPECT_EQ(absl::StrJoin(names, ","), metric.labels) << metric.name;
    }
  }
  EXPECT_EQ(scraped.families().size(), PrometheusMetrics().size()) << "a family that is not in the table";
}

TEST_F(SeriesBoundsTest, AHundredThousandMethodsShareTheSeriesOfOtherBeyondTheLimit) {
  constexpr int kMethods = 100000;
  constexpr int kLimit = 50;
  const auto bounded = PrometheusExporter::Create(registry_, &VirtualClock::Read, {kLimit});
  for (int i = 0; i < kMethods; ++i) {
    bounded->ObserveMethod({absl::StrCat("ipv4:10.0.0.", i % 251), "scan.Scan", absl::StrCat("M", i)})->OnCallStarted();
  }

  const Scraped scraped(*bounded);
  EXPECT_EQ(scraped.SeriesOf("recloser_calls_started_total"), kLimit + 1u);
  const LabelMap other = {{"target", "other"}, {"grpc_service", "other"}, {"grpc_method", "other"}};
  EXPECT_THAT(scraped.Value("recloser_calls_started_total", other), Optional(kMethods - kLimit));
  EXPECT_THAT(scraped.Value("recloser_series_dropped_total", {{"kind", "method"}}), Optional(kMethods - kLimit));
}

TEST_F(SeriesBoundsTest, BudgetsOfTargetsBeyondTheLimitAreOne) {
  const auto bounded = PrometheusExporter::Create(registry_, &VirtualClock::Read, {2});
  std::vector<std::shared_ptr<Link>> links;
  for (const char* target : {"d", "c", "b", "a"}) links.push_back(Link::Create(target, Policies::Defaults(), registry_));
  const Scraped scraped(*bounded);
  EXPECT_EQ(scraped.SeriesOf("recloser_retry_budget_tokens"), 3u);
  for (const char* target : {"a", "b", "other"}) {
    EXPECT_NE(scraped.Value("recloser_retry_budget_max_tokens", {{"target", target}}), std::nullopt) << target;
  }
}

TEST_F(SeriesBoundsTest, AMethodThatHasSeriesKeepsThemWhenTheLimitIsReached) {
  const auto bounded = PrometheusExporter::Create(registry_, &VirtualClock::Read, {1});
  bounded->ObserveMethod({"t", "a.B", "First"})->OnCallStarted();
  bounded->ObserveMethod({"t", "a.B", "Second"})->OnCallStarted();
  bounded->ObserveMethod({"t", "a.B", "First"})->OnCallStarted();

  const LabelMap first = {{"target", "t"}, {"grpc_service", "a.B"}, {"grpc_method", "First"}};
  EXPECT_THAT(Scraped(*bounded).Value("recloser_calls_started_total", first), Optional(2));
}

TEST_F(SeriesBoundsTest, RefusedBreakersAndProblemsAreCounted) {
  const auto small = Registry::Create({1, 1});
  const auto exporter = PrometheusExporter::Create(small, &VirtualClock::Read);
  for (const char* method : {"A", "B", "C"}) small->FindOrCreate({"t", "s.S", method}, {}, VirtualClock::now);
  exporter->OnProblem({Problem::Kind::kCoreRetryPolicy, "t", "retryPolicy in the service config"});

  const Scraped scraped(*exporter);
  EXPECT_THAT(scraped.Value("recloser_series_dropped_total", {{"kind", "breaker"}}), Optional(2));
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "core_retry_policy"}}), Optional(1));
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "too_many_breakers"}}), Optional(1));
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "hook_threw"}}), Optional(0));
}

TEST_F(SeriesBoundsTest, EveryKindOfProblemHasASeriesOfItsOwn) {
  const auto exporter = PrometheusExporter::Create(Registry::Create(), &VirtualClock::Read);
  for (int i = 0; i < kProblemKinds; ++i) {
    for (int times = 0; times <= i; ++times) exporter->OnProblem({static_cast<Problem::Kind>(i), "t", ""});
  }
  const Scraped scraped(*exporter);
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "core_retry_policy"}}), Optional(1));
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "unsupported_message"}}), Optional(2));
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "too_many_breakers"}}), Optional(3));
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "too_many_methods"}}), Optional(4));
  EXPECT_THAT(scraped.Value("recloser_problems_total", {{"kind", "hook_threw"}}), Optional(5));
  EXPECT_NE(exporter->ObserveMethod({"t", "a.B", "C"}), nullptr);
}

TEST_F(SeriesBoundsTest, WhatAnObserverThrowsIsCounted) {
  class Thrower final : public Observer {
    void OnTransition(const SharedBreaker&, const BreakerTransition&) override { throw 1; }
  };
  registry_->AddObserver(std::make_shared<Thrower>());
  registry_->FindOrCreate({"t", "s.S", "M"}, {}, VirtualClock::now)->ForceOpen(VirtualClock::now);
  EXPECT_THAT(Scraped(*exporter_).Value("recloser_listener_errors_total", {}), Optional(1));
}

TEST_F(SeriesBoundsTest, NamesThatAreNoTextSpoilNoPage) {
  exporter_->ObserveMethod({"t", "s.S", "M\xff"})->OnCallStarted();
  registry_->FindOrCreate({"t\xfe", "s.S", "M"}, {}, VirtualClock::now);
  const Scraped scraped(*exporter_);
  EXPECT_THAT(scraped.Value("recloser_calls_started_total", {{"target", "t"}, {"grpc_service", "s.S"}, {"grpc_method", "M\uFFFD"}}),
              Optional(1));
  EXPECT_THAT(scraped.Value("recloser_breaker_admitted_ratio", {{"target", "t\uFFFD"}, {"grpc_service", "s.S"}, {"grpc_method", "M"}}),
              Optional(1));
}

TEST_F(SeriesBoundsTest, ACustomBreakerThatThrowsIsLeftOutAndCounted) {
  registry_->FindOrCreate({"t", "s.S", "Bad"}, ThrowingBreaker(), VirtualClock::now);
  registry_->FindOrCreate({"t", "s.S", "Good"}, {}, VirtualClock::now);
  const Scraped scraped(*exporter_);
  const auto admitted = [&](const char* method) {
    return scraped.Value("recloser_breaker_admitted_ratio", {{"target", "t"}, {"grpc_service", "s.S"}, {"grpc_method", method}});
  };
  EXPECT_EQ(admitted("Bad"), std::nullopt);
  EXPECT_THAT(admitted("Good"), Optional(1));
  EXPECT_THAT(scraped.Value("recloser_listener_errors_total", {}), Optional(1));
}

TEST_F(SeriesBoundsTest, AnExporterOutlivesItsRegistry) {
  exporter_->ObserveMethod({"t", "s.S", "M"})->OnCallStarted();
  const LabelMap method = {{"target", "t"}, {"grpc_service", "s.S"}, {"grpc_method", "M"}};
  const std::weak_ptr<Registry> alive = registry_;
  registry_.reset();
  EXPECT_TRUE(alive.expired()) << "the exporter must not keep its registry";
  EXPECT_THAT(Scraped(*exporter_).Value("recloser_calls_started_total", method), Optional(1));
}

}  // namespace
}  // namespace recloser
