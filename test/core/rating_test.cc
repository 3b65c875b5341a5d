#include "recloser/core/rating.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "breaker_driver.h"
#include "pick.h"

namespace recloser {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A metric whose score a test sets.
class Scripted final : public Metric {
 public:
  Scripted(std::string name, std::optional<double> score) : name_(std::move(name)), score_(score) {}
  absl::string_view name() const override { return name_; }
  std::optional<double> Score(const AttemptObservation&) const override { return score_; }

 private:
  const std::string name_;
  const std::optional<double> score_;
};

class Throwing final : public Metric {
 public:
  absl::string_view name() const override { return "throwing"; }
  std::optional<double> Score(const AttemptObservation&) const override { throw std::runtime_error("no"); }
};

AttemptObservation Observed(Outcome outcome, Duration duration) {
  AttemptObservation a;
  a.outcome = outcome;
  a.duration = duration;
  a.healthy_latency = milliseconds(20);
  a.slow_call_duration = milliseconds(500);
  return a;
}

struct Scored {
  double weight;
  std::optional<double> score;
};

std::vector<Scored> AnyScores() {
  std::vector<Scored> scores(Pick<std::size_t>(1, kMaxMetrics + 1));
  for (Scored& s : scores) {
    s.weight = 0.001 + PickFraction();
    if (Pick(0, 4) != 0) s.score = PickFraction();
  }
  return scores;
}

RatingSample Rate(const std::vector<Scored>& scores, double scale = 1) {
  RatingOptions options;
  options.metrics.clear();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    options.metrics.push_back({std::make_shared<Scripted>("m" + std::to_string(i), scores[i].score), scores[i].weight * scale});
  }
  return Rating(options).Rate({});
}

TEST(RatingProperty, IsBoundedAndUnknownOnlyWhenLittleIsKnown) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Scored> scores = AnyScores();
    const RatingSample sample = Rate(scores);
    double known = 0;
    double total = 0;
    for (const Scored& s : scores) {
      total += s.weight;
      known += s.score.has_value() ? s.weight : 0;
    }
    if (std::abs(known / total - RatingOptions().min_known_weight) > 1e-6) {
      RC_ASSERT(sample.rating.has_value() == (known / total > RatingOptions().min_known_weight));
    }
    RC_ASSERT(sample.optimistic_rating >= 0 && sample.optimistic_rating <= 1);
    if (sample.rating.has_value()) RC_ASSERT(*sample.rating >= 0 && *sample.rating <= sample.optimistic_rating + 1e-9);
  }));
}

TEST(RatingProperty, AWorseScoreNeverRaisesIt) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Scored> scores = AnyScores();
    const RatingSample before = Rate(scores);
    Scored& changed = scores[Pick<std::size_t>(0, scores.size())];
    RC_PRE(changed.score.has_value());
    changed.score = *changed.score * PickFraction();
    const RatingSample after = Rate(scores);
    RC_ASSERT(after.optimistic_rating <= before.optimistic_rating + 1e-9);
    if (before.rating.has_value()) RC_ASSERT(*after.rating <= *before.rating + 1e-9);
  }));
}

TEST(RatingProperty, OrderAndScaleOfTheWeightsDoNotMatter) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Scored> scores = AnyScores();
    const RatingSample before = Rate(scores);
    std::reverse(scores.begin(), scores.end());
    const RatingSample after = Rate(scores, 1 + 99 * PickFraction());
    RC_ASSERT(std::abs(after.optimistic_rating - before.optimistic_rating) < 1e-9);
    RC_ASSERT(after.rating.has_value() == before.rating.has_value());
    if (before.rating.has_value()) RC_ASSERT(std::abs(*after.rating - *before.rating) < 1e-9);
  }));
}

TEST(RatingProperty, AMetricAloneOpensTheLinkExactlyAboveItsVetoWeight) {
  EXPECT_TRUE(rc::check([] {
    // `errors` keeps a veto of its own, else the policy is refused.
    const double weight = 0.01 + 0.79 * PickFraction();
    AdaptiveBreakerOptions options;
    options.rating.metrics = {{ErrorsMetric(), 1 - weight}, {std::make_shared<Scripted>("m", 0.0), weight}};
    RC_PRE(std::abs(weight - (1 - options.rating.open_threshold)) > 1e-6);
    RC_PRE(options.Validate("").ok());
    Driver driver{Options(options)};
    driver.Calls(500, Ok());
    RC_ASSERT((driver.state() != BreakerState::kClosed) == (weight > 1 - options.rating.open_threshold));
  }));
}

TEST(RatingProperty, AMetricAloneBlocksClosingExactlyAboveItsVetoWeight) {
  EXPECT_TRUE(rc::check([] {
    const double weight = 0.01 + 0.79 * PickFraction();
    AdaptiveBreakerOptions options;
    const auto ambient = std::make_shared<AmbientMetric>("m", hours(24));
    options.rating.metrics = {{ErrorsMetric(), 1 - weight}, {ambient, weight}};
    RC_PRE(std::abs(weight - (1 - options.rating.close_threshold)) > 1e-6);
    RC_PRE(options.Validate("").ok());
    Driver driver{Options(options)};
    ambient->Report(1, driver.now);
    RC_ASSERT(driver.Open());
    ambient->Report(0, driver.now);
    driver.CallsUntil(BreakerState::kClosed, Ok());
    driver.breaker->TakeTransitions();
    const bool closes = driver.CallsUntil(BreakerState::kClosed, Ok());
    RC_ASSERT(closes == (weight <= 1 - options.rating.close_threshold));
  }));
}

TEST(RatingProperty, WhatOpenedIsAtOrBelowTheOpeningThreshold) {
  EXPECT_TRUE(rc::check([] {
    AdaptiveBreakerOptions options;
    options.evidence_min = Pick(1, 20);
    options.evidence_max = options.evidence_min + Pick(0, 5);
    options.consecutive_bad = Pick(2, 8);
    options.low_rate = *rc::gen::element(0.0, 10.0, 1000.0);
    Driver driver{Options(options), *rc::gen::arbitrary<std::uint64_t>()};
    for (int i = 0; i < 100; ++i) {
      const bool good = Pick(0, 3) == 0;
      driver.Call(good ? Ok() : Unavailable(), milliseconds(*rc::gen::element(5, 60, 200, 600)));
    }
    for (const BreakerTransition& t : driver.breaker->TakeTransitions()) {
      if (t.reason == TransitionReason::kRating) RC_ASSERT(*t.rating <= *t.open_threshold + 1e-6);
      if (t.to == BreakerState::kClosed) RC_ASSERT(*t.rating >= *t.close_threshold - 1e-5);
    }
  }));
}

TEST(Rating, DefaultsCountAFailureASlowAnswerAndAHangAsOneOneAndThree) {
  const Rating rating{RatingOptions()};
  const auto evidence = [&](const AttemptObservation& a) { return (5.0 / 6 - rating.Rate(a).optimistic_rating) * 6; };
  EXPECT_NEAR(evidence(Observed(Outcome::kFailure, milliseconds(1))), 1, 1e-9);
  EXPECT_NEAR(evidence(Observed(Outcome::kSuccess, milliseconds(500))), 1, 1e-9);
  EXPECT_NEAR(evidence(Observed(Outcome::kSuccess, milliseconds(40))), -1, 1e-9);
  AttemptObservation hang = Observed(Outcome::kSuccess, milliseconds(500));
  hang.marked = true;
  hang.anything_completed = false;
  EXPECT_NEAR(evidence(hang), 3, 1e-9);
}

TEST(Rating, NothingIsAsGoodAsUnknownWhenAMetricThrowsOrAnswersNonsense) {
  RatingOptions options;
  options.metrics.push_back({std::make_shared<Throwing>(), 1});
  options.metrics.push_back({std::make_shared<Scripted>("nan", std::numeric_limits<double>::quiet_NaN()), 1});
  options.metrics.push_back({std::make_shared<Scripted>("huge", 1e300), 1});
  const RatingSample sample = Rating(options).Rate(Observed(Outcome::kSuccess, milliseconds(1)));
  EXPECT_EQ(sample.scores[3], std::nullopt);
  EXPECT_EQ(sample.scores[4], std::nullopt);
  EXPECT_EQ(sample.scores[5], 1.0);
  EXPECT_EQ(sample.rating, 1.0);
}

TEST(LatencyMetric, FallsFromTwiceTheHealthyLatencyToTheSlowDuration) {
  const auto score = [](AttemptObservation a) { return LatencyMetric()->Score(a); };
  EXPECT_EQ(score(Observed(Outcome::kSuccess, milliseconds(40))), 1.0);
  EXPECT_NEAR(*score(Observed(Outcome::kSuccess, milliseconds(270))), 0.5, 1e-9);
  EXPECT_EQ(score(Observed(Outcome::kSuccess, milliseconds(500))), 0.0);
  EXPECT_EQ(score(Observed(Outcome::kSuccess, hours(1))), 0.0);
}

TEST(LatencyMetric, KnowsNothingOfFailuresAndStreams) {
  AttemptObservation refused = Observed(Outcome::kFailure, microseconds(50));
  EXPECT_EQ(LatencyMetric()->Score(refused), std::nullopt);
  AttemptObservation stream = Observed(Outcome::kSuccess, hours(1));
  stream.streaming = true;
  EXPECT_EQ(LatencyMetric()->Score(stream), std::nullopt);
}

TEST(AmbientMetric, IsUnknownBeforeTheFirstReportAndAfterTheAgeLimit) {
  AmbientMetric metric("load", seconds(10));
  AttemptObservation attempt;
  attempt.now = Time(hours(1));
  EXPECT_EQ(metric.Score(attempt), std::nullopt);
  metric.Report(0.25, attempt.now);
  EXPECT_NEAR(*metric.Score(attempt), 0.25, 1e-4);
  attempt.now += seconds(10);
  EXPECT_TRUE(metric.Score(attempt).has_value());
  attempt.now += milliseconds(1);
  EXPECT_EQ(metric.Score(attempt), std::nullopt);
  metric.Report(std::numeric_limits<double>::quiet_NaN(), attempt.now);
  EXPECT_EQ(metric.Score(attempt), std::nullopt);
}

std::string Refusal(const RatingOptions& options) { return std::string(options.Validate("breaker.rating").message()); }

TEST(RatingOptions, DefaultsAreValid) { EXPECT_EQ(Refusal({}), ""); }

TEST(RatingOptions, RefusesWhatWouldNotWorkAndNamesTheField) {
  RatingOptions no_hysteresis;
  no_hysteresis.close_threshold = no_hysteresis.open_threshold + 0.04;
  EXPECT_THAT(Refusal(no_hysteresis), AllOf(HasSubstr("breaker.rating.close_threshold"), HasSubstr("open_threshold")));

  RatingOptions duplicate;
  duplicate.metrics.push_back({ErrorsMetric(), 1});
  EXPECT_THAT(Refusal(duplicate), AllOf(HasSubstr("breaker.rating.metrics[3]"), HasSubstr("errors")));

  RatingOptions no_veto;
  no_veto.metrics[0].weight = 0.3;
  EXPECT_THAT(Refusal(no_veto), AllOf(HasSubstr("breaker.rating.metrics"), HasSubstr("errors alone could never open")));

  RatingOptions nan;
  nan.metrics[1].weight = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(Refusal(nan), HasSubstr("breaker.rating.metrics[1].weight: nan"));

  RatingOptions null;
  null.metrics.push_back({nullptr, 1});
  EXPECT_THAT(Refusal(null), HasSubstr("breaker.rating.metrics[3]"));

  RatingOptions none;
  none.metrics.clear();
  EXPECT_THAT(Refusal(none), HasSubstr("breaker.rating.metrics"));
}

}  // namespace
}  // namespace recloser
