#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "recloser/core/random.h"
#include "recloser/core/registry.h"
#include "recloser/prometheus/exporter.h"
#include "scraped.h"

namespace recloser {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Ge;
using ::testing::Le;
using ::testing::Optional;

const LabelMap kPay = {{"target", "dns:///pay"}, {"grpc_service", "pay.Pay"}, {"grpc_method", "Charge"}};

/// Opens after four failures of four, waits a second, decides on two half-open calls.
BreakerOptions SmallStandardBreaker(BreakerMode mode = BreakerMode::kEnforce) {
  StandardBreakerOptions standard;
  standard.window_calls = standard.minimum_calls = 4;
  standard.wait = seconds(1);
  standard.permitted_half_open_calls = 2;
  BreakerOptions options;
  options.mode = mode;
  options.kind = standard;
  return options;
}

class BreakerSeriesTest : public ::testing::Test {
 protected:
  BreakerSeriesTest() { VirtualClock::Reset(); }

  void Make(const BreakerOptions& options) {
    breaker_ = registry_->FindOrCreate({"dns:///pay", "pay.Pay", "Charge"}, options, VirtualClock::now);
  }

  std::optional<double> Value(const std::string& name, const LabelMap& more = {}) const {
    return Scraped(*exporter_).Value("recloser_" + name, Plus(kPay, more));
  }

  /// One attempt that takes `duration`. False when it was rejected.
  bool Attempt(absl::StatusCode code, Duration duration = milliseconds(10)) {
    const Admission admission = breaker_->TryAcquire(VirtualClock::now, {});
    if (!admission.admitted) return false;
    VirtualClock::Advance(duration);
    AttemptResult result;
    result.code = code;
    result.has_response = code == absl::StatusCode::kOk;
    breaker_->Record(admission.permit, VirtualClock::now, result);
    return true;
  }
  void Attempts(int count, absl::StatusCode code) {
    for (int i = 0; i < count; ++i) Attempt(code);
  }

  /// The state whose series is 1; fails the test unless all others are 0.
  std::string State() const {
    const Scraped scraped(*exporter_);
    std::string on;
    for (const char* state : {"closed", "open", "half_open", "forced_open", "disabled"}) {
      const double value = scraped.Value("recloser_breaker_state", Plus(kPay, {{"state", state}})).value();
      if (value == 1) {
        EXPECT_EQ(on, "") << "two states at once";
        on = state;
      } else {
        EXPECT_EQ(value, 0) << state;
      }
    }
    return on;
  }

  std::optional<double> Transitions(const std::string& from, const std::string& to, const std::string& reason,
                                    const std::string& mode = "enforce") const {
    return Value("breaker_transitions_total", {{"from", from}, {"to", to}, {"reason", reason}, {"mode", mode}});
  }

  std::shared_ptr<Registry> registry_ = Registry::Create({64, 1});
  std::shared_ptr<PrometheusExporter> exporter_ = PrometheusExporter::Create(registry_, &VirtualClock::Read);
  std::shared_ptr<SharedBreaker> breaker_;
};

TEST_F(BreakerSeriesTest, StateIsOneHotThroughOutageAndRecovery) {
  Make(SmallStandardBreaker());
  EXPECT_EQ(State(), "closed");
  EXPECT_THAT(Value("breaker_admitted_ratio"), Optional(1));

  Attempts(4, absl::StatusCode::kUnavailable);
  EXPECT_EQ(State(), "open");
  EXPECT_THAT(Value("breaker_admitted_ratio"), Optional(0));
  EXPECT_FALSE(Attempt(absl::StatusCode::kOk));
  EXPECT_FALSE(Attempt(absl::StatusCode::kOk));
  EXPECT_THAT(Value("breaker_rejected_total", {{"mode", "enforce"}}), Optional(2));

  VirtualClock::Advance(seconds(1));
  EXPECT_TRUE(Attempt(absl::StatusCode::kOk));
  EXPECT_EQ(State(), "half_open");
  EXPECT_TRUE(Attempt(absl::StatusCode::kOk));
  EXPECT_EQ(State(), "closed");

  EXPECT_THAT(Transitions("closed", "open", "rating"), Optional(1));
  EXPECT_THAT(Transitions("open", "half_open", "probe"), Optional(1));
  EXPECT_THAT(Transitions("half_open", "closed", "probe"), Optional(1));
  EXPECT_THAT(Transitions("half_open", "open", "probe"), Optional(0));
  EXPECT_THAT(Value("breaker_probes_total", {{"result", "success"}}), Optional(2));
  EXPECT_THAT(Value("breaker_probes_total", {{"result", "failure"}}), Optional(0));
}

TEST_F(BreakerSeriesTest, ManualControlShowsAsStateAndReason) {
  Make(SmallStandardBreaker());
  breaker_->ForceOpen(VirtualClock::now);
  EXPECT_EQ(State(), "forced_open");
  breaker_->Disable(VirtualClock::now);
  EXPECT_EQ(State(), "disabled");
  EXPECT_THAT(Value("breaker_admitted_ratio"), Optional(1));
  breaker_->Reset(VirtualClock::now);
  breaker_->Reset(VirtualClock::now);
  EXPECT_EQ(State(), "closed");
  EXPECT_THAT(Transitions("closed", "forced_open", "manual"), Optional(1));
  EXPECT_THAT(Transitions("forced_open", "disabled", "manual"), Optional(1));
  EXPECT_THAT(Transitions("disabled", "closed", "manual"), Optional(1));
}

TEST_F(BreakerSeriesTest, ABreakerThatTheConfigurationDisabledShowsAsDisabledUntilItIsBack) {
  Make(SmallStandardBreaker());
  Attempts(4, absl::StatusCode::kUnavailable);
  ASSERT_EQ(State(), "open");
  ASSERT_TRUE(breaker_->Reconfigure(SmallStandardBreaker(BreakerMode::kDisabled), VirtualClock::now, Random(1)));
  EXPECT_EQ(State(), "disabled");
  EXPECT_THAT(Value("breaker_admitted_ratio"), Optional(1));
  ASSERT_TRUE(breaker_->Reconfigure(SmallStandardBreaker(), VirtualClock::now, Random(1)));
  EXPECT_EQ(State(), "open");
  EXPECT_THAT(Value("breaker_admitted_ratio"), Optional(0));
}

TEST_F(BreakerSeriesTest, TimeInStateIsExactWithoutSampling) {
  Make(SmallStandardBreaker());
  const auto in = [this](const char* state) { return Value("breaker_time_in_state_seconds_total", {{"state", state}}); };
  VirtualClock::Advance(seconds(5));
  Attempts(4, absl::StatusCode::kUnavailable);  // 10 ms each
  VirtualClock::Advance(milliseconds(2500));
  breaker_->ForceOpen(VirtualClock::now);
  VirtualClock::Advance(seconds(7));

  EXPECT_THAT(in("closed"), Optional(DoubleNear(5.04, 1e-9)));
  EXPECT_THAT(in("open"), Optional(DoubleNear(2.5, 1e-9)));
  EXPECT_THAT(in("forced_open"), Optional(DoubleNear(7, 1e-9)));
  EXPECT_THAT(in("half_open"), Optional(0));
}

TEST_F(BreakerSeriesTest, OpenDurationsAreObservedWhenOpenEnds) {
  Make(SmallStandardBreaker());
  Attempts(4, absl::StatusCode::kUnavailable);
  VirtualClock::Advance(milliseconds(1500));
  EXPECT_EQ(Scraped(*exporter_).Histogram("recloser_breaker_open_duration_seconds", kPay)->sample_count, 0u) << "still open";
  Attempt(absl::StatusCode::kOk);

  const auto histogram = Scraped(*exporter_).Histogram("recloser_breaker_open_duration_seconds", kPay);
  EXPECT_EQ(histogram->sample_count, 1u);
  EXPECT_THAT(histogram->sample_sum, DoubleNear(1.5, 1e-9));
}

TEST_F(BreakerSeriesTest, TheLastTransitionIsAbsentUntilThereIsOneAndThenUnixTime) {
  Make(SmallStandardBreaker());
  EXPECT_EQ(Value("breaker_last_transition_timestamp_seconds"), std::nullopt);

  const auto unix_now = [] { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); };
  const double before = unix_now();
  breaker_->ForceOpen(VirtualClock::now);
  EXPECT_THAT(Value("breaker_last_transition_timestamp_seconds"), Optional(AllOf(Ge(before - 1e-3), Le(unix_now() + 1e-3))));
}

TEST_F(BreakerSeriesTest, ShadowCountsWhatItWouldHaveRejected) {
  Make(SmallStandardBreaker(BreakerMode::kShadow));
  Attempts(4, absl::StatusCode::kUnavailable);
  EXPECT_TRUE(Attempt(absl::StatusCode::kOk)) << "shadow blocks nothing";
  EXPECT_THAT(Value("breaker_rejected_total", {{"mode", "shadow"}}), Optional(1));
  EXPECT_THAT(Value("breaker_rejected_total", {{"mode", "enforce"}}), Optional(0));
  EXPECT_THAT(Transitions("closed", "open", "rating", "shadow"), Optional(1));
}

TEST_F(BreakerSeriesTest, ShadowCountsItsDecisionsAndWhatCameOfThem) {
  Make(SmallStandardBreaker(BreakerMode::kShadow));
  Attempts(4, absl::StatusCode::kUnavailable);  // it opens with the last
  Attempts(2, absl::StatusCode::kUnavailable);
  Attempts(1, absl::StatusCode::kOk);
  const auto decisions = [this](const char* agreement) { return Value("shadow_decisions_total", {{"agreement", agreement}}); };
  const auto results = [this](const char* decision, const char* result) {
    return Value("shadow_results_total", {{"decision", decision}, {"result", result}});
  };
  EXPECT_THAT(decisions("both_admit"), Optional(4));
  EXPECT_THAT(decisions("only_shadow_rejects"), Optional(3));
  EXPECT_THAT(decisions("both_reject"), Optional(0));
  EXPECT_THAT(decisions("only_enforced_rejects"), Optional(0));
  EXPECT_THAT(results("admit", "bad"), Optional(4));
  EXPECT_THAT(results("admit", "good"), Optional(0));
  EXPECT_THAT(results("reject", "bad"), Optional(2));
  EXPECT_THAT(results("reject", "good"), Optional(1));
}

TEST_F(BreakerSeriesTest, AnEnforcedBreakerHasNoShadowSeries) {
  Make(SmallStandardBreaker());
  Attempts(1, absl::StatusCode::kOk);
  EXPECT_EQ(Scraped(*exporter_).SeriesOf("recloser_shadow_decisions_total"), 0u);
}

TEST_F(BreakerSeriesTest, TheRatingItsPartsAndItsThresholdsCanBeDrawn) {
  Make({});
  EXPECT_EQ(Value("breaker_rating_ratio"), std::nullopt) << "nothing is known yet";
  EXPECT_EQ(Value("breaker_metric_score_ratio", {{"metric", "errors"}}), std::nullopt);
  EXPECT_THAT(Value("breaker_threshold_ratio", {{"edge", "open"}}), Optional(DoubleNear(5.0 / 6, 1e-9)));
  EXPECT_THAT(Value("breaker_threshold_ratio", {{"edge", "close"}}), Optional(DoubleNear(11.0 / 12, 1e-9)));
  for (const char* metric : {"errors", "latency", "throughput"}) {
    EXPECT_THAT(Value("breaker_metric_weight_ratio", {{"metric", metric}}), Optional(DoubleNear(1.0 / 3, 1e-9))) << metric;
  }

  for (int i = 0; i < 3; ++i) {
    Attempt(absl::StatusCode::kOk);
    Attempt(absl::StatusCode::kOk);
    Attempt(absl::StatusCode::kOk);
    Attempt(absl::StatusCode::kInternal);
  }
  // Of the errors metric a quarter is bad; a failure's latency is unknown, so its rating is (0 + 1) / 2 with throughput 1.
  EXPECT_THAT(Value("breaker_metric_score_ratio", {{"metric", "errors"}}), Optional(DoubleNear(0.75, 1e-6)));
  EXPECT_THAT(Value("breaker_metric_score_ratio", {{"metric", "throughput"}}), Optional(DoubleNear(1, 1e-6)));
  EXPECT_THAT(Value("breaker_rating_ratio"), Optional(DoubleNear((9 * 1.0 + 3 * 0.5) / 12, 1e-6)));
  EXPECT_THAT(Value("breaker_window_calls"), Optional(12));
  EXPECT_THAT(Value("breaker_window_seconds"), Optional(AllOf(Ge(0.1), Le(0.13))));
  EXPECT_GT(Value("breaker_offered_rate").value(), 0);
}

TEST_F(BreakerSeriesTest, PermitsInFlightAndStaleResultsAreShown) {
  Make(SmallStandardBreaker());
  const Admission early = breaker_->TryAcquire(VirtualClock::now, {});
  EXPECT_THAT(Value("breaker_permits_in_flight"), Optional(1));
  Attempts(4, absl::StatusCode::kUnavailable);
  ASSERT_EQ(State(), "open");
  breaker_->Record(early.permit, VirtualClock::now, {});
  EXPECT_THAT(Value("breaker_permits_in_flight"), Optional(0));
  EXPECT_THAT(Value("breaker_stale_results_total"), Optional(1));
  EXPECT_THAT(Value("invariant_violations_total"), Optional(0));
}

TEST_F(BreakerSeriesTest, AClockThatStepsBackIsCounted) {
  Make({});
  Attempt(absl::StatusCode::kOk);
  breaker_->TryAcquire(VirtualClock::now - seconds(10), {});
  EXPECT_THAT(Value("clock_anomalies_total"), Optional(1));
}

TEST_F(BreakerSeriesTest, ABreakerWiderThanAMethodShowsStarsAsLabels) {
  registry_->FindOrCreate({"dns:///pay", "pay.Pay", ""}, {}, VirtualClock::now);
  registry_->FindOrCreate({"dns:///pay", "", ""}, {}, VirtualClock::now);
  const Scraped scraped(*exporter_);
  const auto closed = [&](const char* service, const char* method) {
    return scraped.Value("recloser_breaker_state",
                         {{"target", "dns:///pay"}, {"grpc_service", service}, {"grpc_method", method}, {"state", "closed"}});
  };
  EXPECT_THAT(closed("pay.Pay", "*"), Optional(1));
  EXPECT_THAT(closed("*", "*"), Optional(1));
}

class AnyBreakerSeriesTest : public BreakerSeriesTest, public ::testing::WithParamInterface<bool> {
 protected:
  /// One step of random traffic, seldom an act by hand.
  void Step() {
    const double draw = random_.Uniform();
    if (draw < 0.02) {
      breaker_->ForceOpen(VirtualClock::now);
    } else if (draw < 0.04) {
      breaker_->Disable(VirtualClock::now);
    } else if (draw < 0.12) {
      breaker_->Reset(VirtualClock::now);
    } else if (draw < 0.2) {
      VirtualClock::Advance(milliseconds(700));
    } else {
      Attempts(5, random_.Uniform() < 0.5 ? absl::StatusCode::kUnavailable : absl::StatusCode::kOk);
    }
  }

  /// Counters have not fallen since the last time, no series has vanished, nothing is NaN, one state holds.
  void ExpectMonotone(int step) {
    const Scraped scraped(*exporter_);
    std::map<std::string, double> now = scraped.Counters();
    for (const auto& [series, value] : before_) {
      const auto found = now.find(series);
      ASSERT_NE(found, now.end()) << series << " vanished in step " << step;
      ASSERT_GE(found->second, value) << series << " in step " << step;
    }
    for (const auto& [name, family] : scraped.families()) {
      for (const auto& sample : family.metric) ASSERT_TRUE(std::isfinite(Scraped::ValueOf(family, sample))) << name;
    }
    ASSERT_NE(State(), "") << "in step " << step;
    before_ = std::move(now);
  }

  Random random_{20260101};
  std::map<std::string, double> before_;
};

TEST_P(AnyBreakerSeriesTest, CountersAreMonotoneOverRandomTrafficAndResets) {
  Make(GetParam() ? SmallStandardBreaker() : BreakerOptions{});
  ExpectMonotone(0);
  const std::size_t series = before_.size();
  for (int step = 1; step <= 600 && !HasFatalFailure(); ++step) {
    Step();
    ExpectMonotone(step);
    ASSERT_EQ(before_.size(), series) << "a series was not there from the start, in step " << step;
  }
  EXPECT_THAT(Value("invariant_violations_total"), Optional(0));
  EXPECT_GE(Transitions("closed", "open", "rating").value(), 1) << "the traffic was to open it";
}

TEST_P(AnyBreakerSeriesTest, CountersAreMonotoneOverChangesOfKindAndMode) {
  Make(GetParam() ? SmallStandardBreaker() : BreakerOptions{});
  for (int step = 0; step < 600 && !HasFatalFailure(); ++step) {
    if (random_.Uniform() < 0.1) {
      constexpr BreakerMode kModes[] = {BreakerMode::kEnforce, BreakerMode::kShadow, BreakerMode::kDisabled};
      BreakerOptions options = random_.Uniform() < 0.5 ? SmallStandardBreaker() : BreakerOptions{};
      options.mode = kModes[static_cast<std::size_t>(random_.Uniform() * 3)];
      ASSERT_TRUE(breaker_->Reconfigure(options, VirtualClock::now, Random(registry_->NextSeed())));
    }
    Step();
    ExpectMonotone(step);
  }
  EXPECT_THAT(Value("invariant_violations_total"), Optional(0));
  for (const char* mode : {"enforce", "shadow"}) {
    EXPECT_GE(Transitions("closed", "open", "rating", mode).value_or(0), 1) << "the traffic was to open it in mode " << mode;
    EXPECT_GE(Value("breaker_rejected_total", {{"mode", mode}}).value(), 1) << mode;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyBreakerSeriesTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "standard" : "adaptive"; });

}  // namespace
}  // namespace recloser
