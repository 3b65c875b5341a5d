#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>

#include "recloser/core/call_session.h"
#include "recloser/core/link.h"
#include "recloser/prometheus/exporter.h"
#include "scraped.h"

namespace recloser {
namespace {

using std::chrono::milliseconds;
using ::testing::DoubleNear;
using ::testing::Optional;

const LabelMap kGet = {{"target", "dns:///orders"}, {"grpc_service", "orders.Orders"}, {"grpc_method", "Get"}};

class MethodSeriesTest : public ::testing::Test {
 protected:
  MethodSeriesTest() { VirtualClock::Reset(); }

  std::optional<double> Value(const std::string& name, const LabelMap& more = {}) const {
    return Scraped(*exporter_).Value("recloser_" + name, Plus(kGet, more));
  }
  std::optional<prometheus::ClientMetric::Histogram> Histogram(const std::string& name, const LabelMap& more = {}) const {
    return Scraped(*exporter_).Histogram("recloser_" + name, Plus(kGet, more));
  }

  std::shared_ptr<Registry> registry_ = Registry::Create({64, 1});
  std::shared_ptr<PrometheusExporter> exporter_ = PrometheusExporter::Create(registry_, &VirtualClock::Read);
  std::shared_ptr<MethodObserver> method_ = exporter_->ObserveMethod({"dns:///orders", "orders.Orders", "Get"});
};

TEST_F(MethodSeriesTest, CallsAreCountedByCodeAndOrigin) {
  for (int i = 0; i < 3; ++i) method_->OnCallStarted();
  method_->OnCallFinished({absl::StatusCode::kOk, false, milliseconds(7), 1});
  method_->OnCallFinished({absl::StatusCode::kDeadlineExceeded, true, milliseconds(700), 1});

  EXPECT_THAT(Value("calls_started_total"), Optional(3));
  EXPECT_THAT(Value("calls_in_flight"), Optional(1));
  EXPECT_THAT(Value("calls_handled_total", {{"grpc_code", "OK"}, {"origin", "server"}}), Optional(1));
  EXPECT_THAT(Value("calls_handled_total", {{"grpc_code", "OK"}, {"origin", "local"}}), Optional(0));
  EXPECT_THAT(Value("calls_handled_total", {{"grpc_code", "DEADLINE_EXCEEDED"}, {"origin", "local"}}), Optional(1));
  EXPECT_THAT(Value("calls_handled_total", {{"grpc_code", "DEADLINE_EXCEEDED"}, {"origin", "server"}}), Optional(0));
}

TEST_F(MethodSeriesTest, AttemptsAreCountedByCodeAndOutcome) {
  for (int i = 0; i < 4; ++i) method_->OnAttemptStarted(1);
  method_->OnAttemptFinished({absl::StatusCode::kNotFound, Outcome::kSuccess, milliseconds(3), 1});
  method_->OnAttemptFinished({absl::StatusCode::kUnavailable, Outcome::kFailure, milliseconds(3), 2});
  method_->OnAttemptFinished({absl::StatusCode::kCancelled, Outcome::kIgnored, milliseconds(3), 3});

  EXPECT_THAT(Value("attempts_started_total"), Optional(4));
  EXPECT_THAT(Value("attempts_in_flight"), Optional(1));
  EXPECT_THAT(Value("attempts_handled_total", {{"grpc_code", "NOT_FOUND"}, {"outcome", "success"}}), Optional(1));
  EXPECT_THAT(Value("attempts_handled_total", {{"grpc_code", "UNAVAILABLE"}, {"outcome", "failure"}}), Optional(1));
  EXPECT_THAT(Value("attempts_handled_total", {{"grpc_code", "CANCELLED"}, {"outcome", "ignored"}}), Optional(1));
  EXPECT_THAT(Value("attempts_handled_total", {{"grpc_code", "UNAVAILABLE"}, {"outcome", "success"}}), Optional(0));
  for (const char* outcome : {"success", "failure", "ignored"}) {
    EXPECT_EQ(Histogram("attempt_duration_seconds", {{"outcome", outcome}})->sample_count, 1u) << outcome;
  }
}

TEST_F(MethodSeriesTest, ACodeThatGrpcDoesNotDefineIsCountedAsOther) {
  EXPECT_EQ(Value("calls_handled_total", {{"grpc_code", "OTHER"}, {"origin", "server"}}), std::nullopt);
  for (const int code : {17, 200, -1}) {
    method_->OnCallStarted();
    method_->OnCallFinished({static_cast<absl::StatusCode>(code), false, milliseconds(1), 1});
  }
  EXPECT_THAT(Value("calls_handled_total", {{"grpc_code", "OTHER"}, {"origin", "server"}}), Optional(3));
  EXPECT_THAT(Value("calls_in_flight"), Optional(0));
}

TEST_F(MethodSeriesTest, DurationsFallIntoTheBucketWhoseBoundTheyDoNotExceed) {
  const Duration durations[] = {Duration::zero(), std::chrono::microseconds(300), std::chrono::nanoseconds(300'001), milliseconds(250),
                                std::chrono::seconds(11)};
  for (const Duration duration : durations) method_->OnCallFinished({absl::StatusCode::kOk, false, duration, 1});

  const auto histogram = Histogram("call_duration_seconds");
  ASSERT_TRUE(histogram.has_value());
  std::map<double, std::uint64_t> cumulative;
  for (const auto& bucket : histogram->bucket) cumulative[bucket.upper_bound] = bucket.cumulative_count;
  EXPECT_EQ(cumulative.at(0.0001), 1u);
  EXPECT_EQ(cumulative.at(0.0003), 2u) << "a bound belongs to its bucket";
  EXPECT_EQ(cumulative.at(0.001), 3u);
  EXPECT_EQ(cumulative.at(0.1), 3u);
  EXPECT_EQ(cumulative.at(0.25), 4u);
  EXPECT_EQ(cumulative.at(10), 4u);
  EXPECT_EQ(histogram->bucket.back().cumulative_count, 5u);
  EXPECT_EQ(histogram->sample_count, 5u);
  EXPECT_THAT(histogram->sample_sum, DoubleNear(11.2506, 1e-7));
}

TEST_F(MethodSeriesTest, HistogramsHaveAtMostSixteenBuckets) {
  const Scraped scraped(*exporter_);
  int histograms = 0;
  for (const auto& [name, family] : scraped.families()) {
    if (family.type != prometheus::MetricType::Histogram) continue;
    ++histograms;
    for (const auto& sample : family.metric) EXPECT_LE(sample.histogram.bucket.size(), 16u) << name;
  }
  EXPECT_EQ(histograms, 3);
}

TEST_F(MethodSeriesTest, TimeoutsSayWhatTimedOutAndWhoSetIt) {
  method_->OnTimeout(TimeoutScope::kAttempt, TimeoutSource::kPolicy);
  method_->OnTimeout(TimeoutScope::kCall, TimeoutSource::kCaller);
  method_->OnTimeout(TimeoutScope::kCall, TimeoutSource::kCaller);
  for (int i = 0; i < 3; ++i) method_->OnTimeout(TimeoutScope::kStreamIdle, TimeoutSource::kPolicy);

  EXPECT_THAT(Value("timeouts_total", {{"scope", "attempt"}, {"source", "policy"}}), Optional(1));
  EXPECT_THAT(Value("timeouts_total", {{"scope", "call"}, {"source", "caller"}}), Optional(2));
  EXPECT_THAT(Value("timeouts_total", {{"scope", "stream_idle"}, {"source", "policy"}}), Optional(3));
  EXPECT_THAT(Value("timeouts_total", {{"scope", "call"}, {"source", "policy"}}), Optional(0));
  EXPECT_THAT(Value("timeouts_total", {{"scope", "attempt"}, {"source", "caller"}}), Optional(0));
}

TEST_F(MethodSeriesTest, EveryReasonForNotRetryingHasASeriesOfItsOwn) {
  for (int i = 0; i < kRetrySuppressedReasons; ++i) {
    for (int n = 0; n <= i; ++n) method_->OnRetrySuppressed(static_cast<RetrySuppressed>(i));
  }
  const Scraped scraped(*exporter_);
  for (int i = 0; i < kRetrySuppressedReasons; ++i) {
    const std::string why(RetrySuppressedName(static_cast<RetrySuppressed>(i)));
    EXPECT_THAT(scraped.Value("recloser_retries_suppressed_total", Plus(kGet, {{"why", why}})), Optional(i + 1)) << why;
  }
}

TEST_F(MethodSeriesTest, TheSameMethodIsNotCountedTwiceWhenSeveralChannelsObserveIt) {
  const auto second_channel = exporter_->ObserveMethod({"dns:///orders", "orders.Orders", "Get"});
  method_->OnCallStarted();
  second_channel->OnCallStarted();
  EXPECT_THAT(Value("calls_started_total"), Optional(2));
  EXPECT_EQ(Scraped(*exporter_).SeriesOf("recloser_calls_started_total"), 1u);
}

// The whole path: a link resolves the method, a session makes a call that fails once and recovers.
TEST_F(MethodSeriesTest, ARecoveredCallShowsItsAttemptsItsRetryAndItsBackOff) {
  Policies policies = Policies::Defaults();
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.defaults.retry.backoff.base = policies.defaults.retry.backoff.cap = milliseconds(40);
  const auto link = Link::Create("dns:///orders", policies, registry_);
  CallSession session(link->Method("/orders.Orders/Get", {}, VirtualClock::now), {}, 7);

  const Time started = VirtualClock::now;
  ASSERT_EQ(session.Start(VirtualClock::now, kInfiniteFuture).kind, Action::Kind::kSend);
  EXPECT_THAT(Value("attempts_in_flight"), Optional(1));
  EXPECT_THAT(Value("breaker_permits_in_flight"), Optional(1));

  VirtualClock::Advance(milliseconds(10));
  AttemptResult refused;
  refused.code = absl::StatusCode::kUnavailable;
  refused.has_response = false;
  const Action wait = session.OnAttemptFinished(VirtualClock::now, refused);
  ASSERT_EQ(wait.kind, Action::Kind::kWait);
  EXPECT_THAT(Value("breaker_permits_in_flight"), Optional(0)) << "back-off holds no permit";
  EXPECT_THAT(Scraped(*exporter_).Value("recloser_retry_budget_tokens", {{"target", "dns:///orders"}}), Optional(99));

  const double waited = ToSeconds(Elapsed(VirtualClock::now, wait.wake));
  VirtualClock::now = wait.wake;
  ASSERT_EQ(session.OnTimer(VirtualClock::now).kind, Action::Kind::kSend);
  VirtualClock::Advance(milliseconds(20));
  ASSERT_EQ(session.OnAttemptFinished(VirtualClock::now, {}).kind, Action::Kind::kDeliver);

  EXPECT_THAT(Value("calls_started_total"), Optional(1));
  EXPECT_THAT(Value("calls_in_flight"), Optional(0));
  EXPECT_THAT(Value("calls_handled_total", {{"grpc_code", "OK"}, {"origin", "server"}}), Optional(1));
  EXPECT_THAT(Value("attempts_started_total"), Optional(2));
  EXPECT_THAT(Value("attempts_in_flight"), Optional(0));
  EXPECT_THAT(Value("attempts_handled_total", {{"grpc_code", "UNAVAILABLE"}, {"outcome", "failure"}}), Optional(1));
  EXPECT_THAT(Value("attempts_handled_total", {{"grpc_code", "OK"}, {"outcome", "success"}}), Optional(1));
  EXPECT_THAT(Value("retries_total", {{"reason", "code"}, {"result", "success"}}), Optional(1));
  EXPECT_THAT(Value("retries_total", {{"reason", "code"}, {"result", "failure"}}), Optional(0));
  EXPECT_EQ(Histogram("retry_backoff_seconds")->sample_count, 1u);
  EXPECT_THAT(Histogram("retry_backoff_seconds")->sample_sum, DoubleNear(waited, 1e-7));
  EXPECT_THAT(Histogram("call_duration_seconds")->sample_sum, DoubleNear(ToSeconds(Elapsed(started, VirtualClock::now)), 1e-7));
  EXPECT_THAT(Scraped(*exporter_).Value("recloser_retry_budget_tokens", {{"target", "dns:///orders"}}), Optional(DoubleNear(99.1, 1e-9)));
  EXPECT_THAT(Scraped(*exporter_).Value("recloser_retry_budget_max_tokens", {{"target", "dns:///orders"}}), Optional(100));
}

TEST_F(MethodSeriesTest, AChannelMadeAnewGoesOnCounting) {
  std::map<std::string, double> before;
  for (int channel = 1; channel <= 3; ++channel) {
    const auto link = Link::Create("dns:///orders", Policies::Defaults(), registry_);
    CallSession session(link->Method("/orders.Orders/Get", {}, VirtualClock::now), {}, 7);
    session.Start(VirtualClock::now, kInfiniteFuture);
    session.OnAttemptFinished(VirtualClock::now, {});
    EXPECT_THAT(Value("calls_started_total"), Optional(channel));
    EXPECT_THAT(Value("attempts_handled_total", {{"grpc_code", "OK"}, {"outcome", "success"}}), Optional(channel));
    const auto now = Scraped(*exporter_).Counters();
    for (const auto& [series, value] : before) EXPECT_GE(now.at(series), value) << series;
    before = now;
  }
}

TEST_F(MethodSeriesTest, OfSeveralBudgetsOfOneTargetTheEmptiestIsShown) {
  const auto small = std::make_shared<RetryBudget>(RetryBudgetOptions{true, 10, 0.1});
  const auto large = std::make_shared<RetryBudget>(RetryBudgetOptions{true, 100, 0.1});
  registry_->AddBudget("dns:///orders", large);
  registry_->AddBudget("dns:///orders", small);
  for (int i = 0; i < 5; ++i) large->Withdraw();
  small->Withdraw();  // 9 of 10 is emptier than 95 of 100

  const Scraped scraped(*exporter_);
  EXPECT_THAT(scraped.Value("recloser_retry_budget_tokens", {{"target", "dns:///orders"}}), Optional(9));
  EXPECT_THAT(scraped.Value("recloser_retry_budget_max_tokens", {{"target", "dns:///orders"}}), Optional(10));
  EXPECT_EQ(scraped.SeriesOf("recloser_retry_budget_tokens"), 1u);
}

TEST_F(MethodSeriesTest, ScrapesDuringCallsNeverSeeMoreEndedThanStarted) {
  constexpr int kThreads = 2;
  constexpr int kCalls = 20000;
  std::vector<std::thread> callers;
  for (int i = 0; i < kThreads; ++i) {
    callers.emplace_back([this] {
      for (int call = 0; call < kCalls; ++call) {
        method_->OnCallStarted();
        method_->OnCallFinished({absl::StatusCode::kOk, false, milliseconds(1), 1});
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    const Scraped scraped(*exporter_);
    const double in_flight = scraped.Value("recloser_calls_in_flight", kGet).value();
    EXPECT_GE(in_flight, 0);
    EXPECT_LE(in_flight, kThreads * kCalls);
    const auto histogram = scraped.Histogram("recloser_call_duration_seconds", kGet).value();
    EXPECT_EQ(histogram.sample_count, histogram.bucket.back().cumulative_count);
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(Value("calls_in_flight"), Optional(0));
  EXPECT_EQ(Histogram("call_duration_seconds")->sample_count, std::uint64_t{kThreads} * kCalls);
}

}  // namespace
}  // namespace recloser
