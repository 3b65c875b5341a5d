// The rules of the adaptive breaker, one at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "breaker_driver.h"

namespace recloser {
namespace {

using ::testing::IsEmpty;

/// A call arrives every `gap` and ends at once, so that the offered rate is 1 / gap.
void CallsAtRate(Driver* driver, double rate, Duration time, const AttemptResult& result, Duration latency = Duration::zero()) {
  const Time end = driver->now + time;
  const Duration gap = FromSeconds(1 / rate);
  while (driver->now < end) driver->Call(result, std::min(latency, gap), gap - std::min(latency, gap));
}

int FailuresToOpen(Driver* driver, double rate) {
  int failures = 0;
  while (driver->state() == BreakerState::kClosed && failures < 1000) {
    driver->Call(Unavailable(), Duration::zero(), FromSeconds(1 / rate));
    ++failures;
  }
  return failures;
}

TEST(AdaptiveBreaker, OneConfigurationJudgesOneAndTenThousandCallsPerSecondByEvidence) {
  for (const double rate : {1.0, 16.0, 480.0, 10000.0}) {
    Driver driver{BreakerOptions()};
    CallsAtRate(&driver, rate, seconds(20), Ok());
    const int failures = FailuresToOpen(&driver, rate);
    EXPECT_NEAR(failures, std::clamp(0.5 * rate, 5.0, 12.0), 1.01) << rate;
  }
}

TEST(AdaptiveBreaker, EvidenceOneBelowTheLimitDoesNotOpen) {
  Driver driver{BreakerOptions()};
  for (int i = 0; i < 4; ++i) driver.Call(Unavailable(), Duration::zero(), seconds(1));
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  EXPECT_NEAR(*driver.Snapshot().evidence, 4, 1e-9);
  driver.Call(Ok(), Duration::zero(), seconds(1));
  driver.Call(Unavailable(), Duration::zero(), seconds(1));
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  driver.Call(Unavailable(), Duration::zero(), seconds(1));
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

TEST(AdaptiveBreaker, BadAttemptsInARowOpenALinkWithLittleLoad) {
  AdaptiveBreakerOptions options;
  options.evidence_min = options.evidence_max = 100;
  Driver slow(Options(options));
  for (int i = 0; i < 5; ++i) slow.Call(Unavailable(), Duration::zero(), seconds(1));
  EXPECT_EQ(slow.state(), BreakerState::kClosed);
  slow.Call(Unavailable());
  EXPECT_EQ(slow.state(), BreakerState::kOpen);

  Driver busy(Options(options));
  CallsAtRate(&busy, 100, seconds(5), Ok());
  for (int i = 0; i < 50; ++i) busy.Call(Unavailable(), Duration::zero(), milliseconds(10));
  EXPECT_EQ(busy.state(), BreakerState::kClosed);
}

TEST(AdaptiveBreaker, OpensByTheAgeOfWhatHangsBeforeAnythingEnds) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 200, seconds(2), Ok(), milliseconds(4));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(driver.Acquire().admitted);
  driver.Step(milliseconds(499));
  ASSERT_TRUE(driver.Acquire().admitted);
  driver.Step(milliseconds(1));
  EXPECT_FALSE(driver.Acquire().admitted);
  const std::vector<BreakerTransition> transitions = driver.breaker->TakeTransitions();
  ASSERT_EQ(transitions.size(), 1u);
  EXPECT_EQ(transitions[0].context_calls, 4);
  EXPECT_EQ(transitions[0].context_failed, 0);
  EXPECT_EQ(transitions[0].context_slow, 4);
}

TEST(AdaptiveBreaker, WithoutJudgingInFlightOnlyEndsOpenIt) {
  AdaptiveBreakerOptions options;
  options.judge_in_flight = false;
  Driver driver(Options(options));
  CallsAtRate(&driver, 200, seconds(2), Ok(), milliseconds(4));
  std::vector<Admission> hung;
  for (int i = 0; i < 20; ++i) hung.push_back(driver.Acquire());
  driver.Step(seconds(1));
  EXPECT_TRUE(driver.Acquire().admitted);
  for (const Admission& admission : hung) driver.End(admission.permit, Ended(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

TEST(AdaptiveBreaker, WithoutTheSequentialTestTheMeanOverTheWindowOpensIt) {
  AdaptiveBreakerOptions options;
  options.sequential_opening = false;
  Driver driver(Options(options));
  // 20 calls are the context here; half of them must have failed.
  CallsAtRate(&driver, 100, seconds(5), Ok());
  EXPECT_NEAR(FailuresToOpen(&driver, 100), 10, 1);

  Driver young(Options(options));
  for (int i = 0; i < 19; ++i) young.Call(Unavailable());
  EXPECT_EQ(young.state(), BreakerState::kClosed);  // too few to judge
  young.Call(Unavailable());
  EXPECT_EQ(young.state(), BreakerState::kOpen);
}

TEST(AdaptiveBreaker, AMarkedAttemptIsNotCountedAgainWhenItEnds) {
  Driver driver{BreakerOptions()};
  driver.Calls(20, Ok());
  const std::int64_t before = driver.Snapshot().window_calls;
  const Admission slow = driver.Acquire();
  driver.Step(milliseconds(600));
  driver.Call(Ok());
  const double evidence = *driver.Snapshot().evidence;
  EXPECT_GT(evidence, 0);
  driver.End(slow.permit, Unavailable());
  EXPECT_EQ(*driver.Snapshot().evidence, evidence);
  EXPECT_LE(driver.Snapshot().window_calls, before + 2);
  EXPECT_EQ(driver.Snapshot().permits_in_flight, 0);
}

TEST(AdaptiveBreaker, ASlowAnswerOfAQuietLinkIsSlowAndNotAHang) {
  Driver driver{BreakerOptions()};
  driver.Calls(20, Ok());
  driver.Call(Ok(), milliseconds(600));
  EXPECT_NEAR(*driver.Snapshot().evidence, 1, 1e-9);
}

TEST(AdaptiveBreaker, AProbeThatIsStillOutNeverHalfOpensTheLink) {
  AdaptiveBreakerOptions options;
  options.rating.metrics = {{ErrorsMetric(), 1}, {LatencyMetric(), 0}, {ThroughputMetric(), 1}};
  Driver driver(Options(options));
  ASSERT_TRUE(driver.Open());
  const Admission first = driver.AcquireWithin(seconds(3));
  const Admission second = driver.AcquireWithin(seconds(3));
  ASSERT_TRUE(first.admitted && second.admitted);
  driver.Step(milliseconds(1));
  driver.End(second.permit, Unavailable());
  driver.Step(seconds(1));
  driver.Acquire();
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

TEST(AdaptiveBreaker, AmbientReportsAreReadOnTheCallersClockAfterItSteppedBack) {
  const auto load = std::make_shared<AmbientMetric>("load_report", seconds(30));
  AdaptiveBreakerOptions options;
  options.rating.metrics.push_back({load, 1});
  Driver driver(Options(options));
  driver.Calls(10, Ok());
  driver.now = Time(minutes(10));
  load->Report(0.9, driver.now);
  driver.breaker->Reset(driver.now);
  driver.Calls(10, Ok());
  EXPECT_THAT(driver.Snapshot().scores, ::testing::Contains(::testing::Key("load_report")));
}

TEST(AdaptiveBreaker, StreamsAreNeverMarked) {
  Driver driver{BreakerOptions()};
  driver.Calls(20, Ok());
  std::vector<Permit> streams;
  for (int i = 0; i < 100; ++i) streams.push_back(driver.Acquire(true).permit);
  driver.Step(hours(1));
  EXPECT_TRUE(driver.Call(Ok()));
  for (const Permit& permit : streams) driver.End(permit, Ok());
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  EXPECT_LT(*driver.Snapshot().healthy_latency, seconds(1));
}

TEST(AdaptiveBreaker, ManyHungCallsThatTheirCallersCancelOpenIt) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 100, seconds(5), Ok(), milliseconds(10));
  std::vector<Permit> hung;
  int cancelled = 0;
  // Each call hangs and is cancelled after 100 ms, ten calls later.
  while (driver.state() == BreakerState::kClosed && cancelled < 1000) {
    hung.push_back(driver.Acquire().permit);
    if (hung.size() > 10) driver.End(hung[static_cast<std::size_t>(cancelled++)], CancelledByCaller());
    driver.Step(milliseconds(10));
  }
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
  EXPECT_LE(cancelled, 20);
}

TEST(AdaptiveBreaker, RefusalsTooQuickToBeTrueImproveNothing) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 480, seconds(10), Ok(), milliseconds(2));
  const std::optional<Duration> healthy = driver.Snapshot().healthy_latency;
  int failures = 0;
  for (; driver.state() == BreakerState::kClosed; ++failures) driver.Call(Unavailable(), microseconds(50), milliseconds(2));
  EXPECT_LE(failures, 12);
  EXPECT_EQ(driver.Snapshot().healthy_latency, healthy);
}

TEST(AdaptiveBreaker, ASlowRampIsNotLearntAsHealthy) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 10, minutes(1), Ok(), milliseconds(20));
  const double healthy = ToSeconds(*driver.Snapshot().healthy_latency);
  EXPECT_NEAR(healthy, 0.020, 1e-6);
  const Time start = driver.now;
  while (driver.now - start < minutes(10)) {
    const double progress = ToSeconds(driver.now - start) / 600;
    driver.Call(Ok(), FromSeconds(0.020 * (1 + 9 * progress)), milliseconds(50));
  }
  EXPECT_LE(ToSeconds(*driver.Snapshot().healthy_latency), healthy * 1.11);
}

TEST(AdaptiveBreaker, ServicesAreJudgedAgainstTheirOwnHealthyLatency) {
  for (const Duration latency : {Duration(milliseconds(1)), Duration(seconds(10))}) {
    Driver driver{BreakerOptions()};
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(driver.Call(Ok(), latency));
    EXPECT_EQ(driver.state(), BreakerState::kClosed) << ToSeconds(latency);
    EXPECT_NEAR(ToSeconds(*driver.Snapshot().healthy_latency), ToSeconds(latency), 1e-9);
    EXPECT_NEAR(*driver.Snapshot().rating, 1, 1e-9);
  }
}

TEST(AdaptiveBreaker, NothingIsCountedWhenTooLittleIsKnown) {
  AdaptiveBreakerOptions options;
  options.rating.min_known_weight = 1;
  Driver driver(Options(options));
  // A failure leaves latency unknown.
  driver.Calls(200, Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  EXPECT_EQ(driver.Snapshot().rating, std::nullopt);
  EXPECT_EQ(driver.Snapshot().evidence, 0);
}

TEST(AdaptiveBreaker, ProbesAreSpacedAsTheFormulaSays) {
  for (const double rate : {2.0, 20.0, 480.0, 5000.0}) {
    Driver driver{BreakerOptions()};
    CallsAtRate(&driver, rate, seconds(10), Ok());
    FailuresToOpen(&driver, rate);
    const Time opened = driver.breaker->TakeTransitions().at(0).at;
    Time last_probe = opened;
    double interval = std::min(2.0, std::max(0.05, 1 / (0.05 * rate)));
    while (driver.now - opened < seconds(30)) {
      const Admission probe = driver.Acquire();
      if (probe.admitted) {
        const double waited = ToSeconds(driver.now - last_probe);
        EXPECT_GE(waited, interval * 0.8 - 1e-6) << rate;
        EXPECT_LE(waited, interval * 1.2 + 1 / rate + 1e-6) << rate;
        last_probe = driver.now;
        const double outage = ToSeconds(driver.now - opened);
        const double offered = driver.Snapshot().offered_rate;
        interval = std::min(2.0, std::max({0.05, 1 / (0.05 * offered), std::sqrt(2 * 3 * outage / offered)}));
        driver.End(probe.permit, Unavailable());
      }
      driver.Step(FromSeconds(1 / rate));
    }
    EXPECT_EQ(driver.state(), BreakerState::kOpen);
  }
}

TEST(AdaptiveBreaker, AHungProbeDoesNotDelayTheNext) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 480, seconds(5), Ok(), milliseconds(2));
  FailuresToOpen(&driver, 480);
  ASSERT_TRUE(driver.AcquireWithin(milliseconds(100)).admitted);
  ASSERT_TRUE(driver.AcquireWithin(milliseconds(200)).admitted);
  const Admission third = driver.AcquireWithin(milliseconds(300));
  ASSERT_TRUE(third.admitted);
  EXPECT_FALSE(driver.AcquireWithin(seconds(1)).admitted);
  driver.End(third.permit, Unavailable());
  EXPECT_TRUE(driver.Acquire().admitted);
}

TEST(AdaptiveBreaker, FreshEvidenceLetsTheNextCallProbe) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 20, seconds(5), Ok(), milliseconds(20));
  FailuresToOpen(&driver, 20);
  driver.Step(seconds(10));
  ASSERT_TRUE(driver.Acquire().admitted);
  driver.Step(milliseconds(60));
  ASSERT_FALSE(driver.Acquire().admitted);
  driver.breaker->FreshEvidence(driver.now);
  EXPECT_TRUE(driver.Acquire().admitted);
  driver.breaker->FreshEvidence(driver.now);
  driver.Step(milliseconds(49));
  EXPECT_FALSE(driver.Acquire().admitted) << "not more often than the minimum interval";
  driver.Step(milliseconds(1));
  EXPECT_TRUE(driver.Acquire().admitted);
}

TEST(AdaptiveBreaker, AnAnswerToACallOfBeforeTheTripLetsTheNextCallProbe) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 100, seconds(5), Ok(), milliseconds(5));
  const Admission late = driver.Acquire();
  FailuresToOpen(&driver, 100);
  ASSERT_FALSE(driver.Acquire().admitted);
  driver.Step(milliseconds(50));
  ASSERT_FALSE(driver.Acquire().admitted);
  driver.End(late.permit, Ok());
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
  EXPECT_TRUE(driver.Acquire().admitted);
}

TEST(AdaptiveBreaker, ALateAnswerThatIsNoGoodNewsChangesNothing) {
  const struct {
    const char* what;
    AttemptResult result;
    Duration age;
  } late[] = {{"a failure", Unavailable(), milliseconds(50)},
              {"a cancellation", CancelledByCaller(), milliseconds(50)},
              {"a slow success", Ok(), seconds(1)}};
  for (const auto& [what, result, age] : late) {
    Driver driver{BreakerOptions()};
    CallsAtRate(&driver, 100, seconds(5), Ok(), milliseconds(5));
    driver.Step(seconds(1) - age);
    const Admission before = driver.Acquire();
    FailuresToOpen(&driver, 100);
    driver.Step(age);
    ASSERT_TRUE(driver.AcquireWithin(seconds(2)).admitted) << "a probe, so that the next is not due";
    const Duration wait = driver.Snapshot().retry_after;
    ASSERT_GT(wait, Duration::zero());
    driver.End(before.permit, result);
    EXPECT_EQ(driver.Snapshot().retry_after, wait) << what;
    EXPECT_EQ(driver.Snapshot().stale_results, 1u) << what;
  }
}

TEST(AdaptiveBreaker, ManyLateAnswersProbeNoMoreOftenThanTheMinimumInterval) {
  Driver driver{BreakerOptions()};
  CallsAtRate(&driver, 100, seconds(5), Ok(), milliseconds(5));
  std::vector<Permit> before;
  for (int i = 0; i < 20; ++i) before.push_back(driver.Acquire().permit);
  FailuresToOpen(&driver, 100);
  int probes = 0;
  for (const Permit& permit : before) {
    driver.Step(milliseconds(5));
    driver.End(permit, Ok());
    const Admission admission = driver.Acquire();
    if (!admission.admitted) continue;
    ++probes;
    driver.End(admission.permit, Unavailable());
  }
  EXPECT_EQ(probes, 2) << "in 100 ms";
}

/// An open breaker under a load of `rate`, five seconds into the outage.
Driver OpenAt(double rate, const BreakerOptions& options = {}) {
  Driver driver{options};
  CallsAtRate(&driver, rate, seconds(10), Ok(), milliseconds(1));
  FailuresToOpen(&driver, rate);
  CallsAtRate(&driver, rate, seconds(5), Unavailable());
  driver.breaker->TakeTransitions();
  return driver;
}

/// The share of failures among good answers above which the link opens.
double OpeningShare(double cost) {
  AdaptiveBreakerOptions options;
  options.wasted_attempt_cost = cost;
  const BreakerSnapshot snapshot = Driver{Options(options)}.Snapshot();
  EXPECT_GE(*snapshot.close_threshold - *snapshot.open_threshold, kMinHysteresis - 1e-9) << cost;
  return (1 - *snapshot.open_threshold) * 3;
}

TEST(AdaptiveBreaker, OpensAtHalfOfTheAttemptsUpToTheDefaultCostAndEarlierAboveIt) {
  EXPECT_NEAR(OpeningShare(0.01), 0.5, 1e-9);
  EXPECT_NEAR(OpeningShare(3), 0.5, 1e-9);
  EXPECT_NEAR(OpeningShare(6), 1.0 / 3, 1e-9);
  EXPECT_NEAR(OpeningShare(9), 0.25, 1e-9);
  EXPECT_NEAR(OpeningShare(1000), 0.2, 1e-9);
}

/// Calls of which the first `bad` of each ten fail, until the link opens, at most 1000.
int CallsUntilOpen(double cost, int bad) {
  AdaptiveBreakerOptions options;
  options.wasted_attempt_cost = cost;
  Driver driver{Options(options)};
  int calls = 0;
  for (; calls < 1000 && driver.state() == BreakerState::kClosed; ++calls) {
    driver.Call(calls % 10 < bad ? Unavailable() : Ok(), Duration::zero(), milliseconds(2));
  }
  return calls;
}

TEST(AdaptiveBreaker, AHighCostOpensALinkThatFailsThreeCallsInTen) {
  EXPECT_EQ(CallsUntilOpen(3, 3), 1000);
  EXPECT_LT(CallsUntilOpen(30, 3), 200);
  EXPECT_EQ(CallsUntilOpen(30, 1), 1000);
}

TEST(AdaptiveBreaker, CallersWhoStayAwayDuringAnOutageDoNotMakeProbesRarer) {
  Driver driver = OpenAt(480);
  // Two calls a second are left: each of them would be 50 % of the load, and half a second apart they are as frequent as the law allows.
  int probes = 0;
  for (int i = 0; i < 40; ++i) probes += driver.Call(Unavailable(), Duration::zero(), milliseconds(500)) ? 1 : 0;
  EXPECT_GE(probes, 30);
}

TEST(AdaptiveBreaker, WithLittleLoadTheRampRejectsNothing) {
  Driver driver = OpenAt(5);
  while (driver.state() == BreakerState::kOpen) driver.Call(Ok(), Duration::zero(), milliseconds(200));
  int calls = 0;
  for (; driver.state() == BreakerState::kHalfOpen; ++calls) ASSERT_TRUE(driver.Call(Ok(), Duration::zero(), milliseconds(200)));
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  EXPECT_EQ(calls, 3);
}

TEST(AdaptiveBreaker, UnderLoadTheRampAdmitsAGrowingShare) {
  Driver driver = OpenAt(480);
  while (driver.state() == BreakerState::kOpen) driver.Call(Ok(), Duration::zero(), milliseconds(2));
  EXPECT_NEAR(driver.Snapshot().admitted_share, 0.25, 1e-9);
  double last = 0;
  while (driver.state() == BreakerState::kHalfOpen) {
    EXPECT_GE(driver.Snapshot().admitted_share, last);
    last = driver.Snapshot().admitted_share;
    driver.Call(Ok(), Duration::zero(), milliseconds(2));
  }
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(driver.Snapshot().evidence, 0);
}

TEST(AdaptiveBreaker, ATotallyFailedRampOpensAgainAndTheOutageGoesOn) {
  Driver driver = OpenAt(480);
  while (driver.state() == BreakerState::kOpen) driver.Call(Ok(), Duration::zero(), milliseconds(2));
  while (driver.state() == BreakerState::kHalfOpen) driver.Call(Unavailable(), Duration::zero(), milliseconds(2));
  ASSERT_EQ(driver.state(), BreakerState::kOpen);
  const BreakerTransition opened = driver.breaker->TakeTransitions().back();
  EXPECT_EQ(opened.reason, TransitionReason::kRamp);
  EXPECT_EQ(opened.context_calls, 2);
  // Five seconds of outage at 480 calls/s: 0.25 s +-20 %, not the 50 ms of a new outage.
  EXPECT_GT(driver.Snapshot().retry_after, milliseconds(150));
  // The first share of the next ramp is a quarter of this one's.
  while (driver.state() == BreakerState::kOpen) driver.Call(Ok(), Duration::zero(), milliseconds(2));
  EXPECT_NEAR(driver.Snapshot().admitted_share, 0.0625, 1e-9);
}

TEST(AdaptiveBreaker, APartlyFailedStageHalvesTheShare) {
  Driver driver = OpenAt(480);
  while (driver.state() == BreakerState::kOpen) driver.Call(Ok(), Duration::zero(), milliseconds(2));
  const auto next = [&](const AttemptResult& result) {
    while (!driver.Call(result, Duration::zero(), milliseconds(2))) {
    }
  };
  next(Ok());
  next(Unavailable());
  next(Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kHalfOpen);
  EXPECT_NEAR(driver.Snapshot().admitted_share, 0.125, 1e-9);
  EXPECT_EQ(driver.breaker->TakeTransitions().size(), 1u);
}

TEST(AdaptiveBreaker, AHangInTheRampOpensItAgain) {
  Driver driver = OpenAt(480);
  while (driver.state() == BreakerState::kOpen) driver.Call(Ok(), Duration::zero(), milliseconds(2));
  const Time start = driver.now;
  while (driver.state() == BreakerState::kHalfOpen && driver.now - start < seconds(5)) {
    driver.Acquire();
    driver.Step(milliseconds(2));
  }
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
  EXPECT_LT(driver.now - start, milliseconds(600));
}

/// A ramp that rejects nothing.
Driver OnTheRamp(const BreakerOptions& options = {}) {
  Driver driver = OpenAt(5, options);
  while (driver.state() == BreakerState::kOpen) driver.Call(Ok(), milliseconds(1), milliseconds(199));
  driver.breaker->TakeTransitions();
  return driver;
}

TEST(AdaptiveBreaker, LostPermitsOfTheRampAreReclaimed) {
  Driver driver = OnTheRamp();
  // Streams, so that their age does not count as a hang.
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(driver.Acquire(true).admitted);
  EXPECT_EQ(driver.Snapshot().permits_in_flight, 10);
  ASSERT_TRUE(driver.Call(Ok())) << "something comes back, so the streams' silence says nothing";
  driver.Step(seconds(6));
  ASSERT_TRUE(driver.Call(Ok()));
  EXPECT_EQ(driver.Snapshot().permits_in_flight, 0);
  EXPECT_EQ(driver.Snapshot().leases_expired, 10u);
  EXPECT_TRUE(driver.CallsUntil(BreakerState::kClosed, Ok()));
}

TEST(AdaptiveBreaker, AHangThatIsNeverMarkedEndsTheRampByTheLeases) {
  AdaptiveBreakerOptions late;
  late.judge_in_flight = false;
  const struct {
    BreakerOptions options;
    bool streaming;
  } hangs[] = {{BreakerOptions(), true}, {Options(late), false}};
  for (const auto& [options, streaming] : hangs) {
    Driver driver = OnTheRamp(options);
    const Permit first = driver.Acquire(streaming).permit;
    driver.Acquire(streaming);
    driver.Step(seconds(5) - nanoseconds(1));
    ASSERT_TRUE(driver.Acquire(streaming).admitted);
    driver.Step(nanoseconds(1));
    EXPECT_FALSE(driver.Acquire(streaming).admitted);
    const std::vector<BreakerTransition> transitions = driver.breaker->TakeTransitions();
    ASSERT_EQ(transitions.size(), 1u);
    const BreakerTransition& opened = transitions[0];
    EXPECT_EQ(opened.to, BreakerState::kOpen);
    EXPECT_EQ(opened.reason, TransitionReason::kLease);
    EXPECT_EQ(opened.context_calls, 2);
    EXPECT_EQ(opened.context_failed, 0);
    EXPECT_EQ(opened.lease, seconds(5));
    EXPECT_THAT(Explain(opened), ::testing::AllOf(::testing::StartsWith("opened by lease: rating 0.00"),
                                                  ::testing::HasSubstr("nothing came back within the lease of 5s")));

    // What comes after all changes nothing by itself; a probe does.
    driver.End(first, Ok());
    EXPECT_EQ(driver.state(), BreakerState::kOpen);
    EXPECT_EQ(driver.Snapshot().stale_results, 1u);
    EXPECT_TRUE(driver.CallsUntil(BreakerState::kClosed, Ok()));
    EXPECT_EQ(driver.Snapshot().invariant_violations, 0u);
  }
}

TEST(AdaptiveBreaker, WhatComesBackAfterItsLeaseSpeaksForTheOthers) {
  using Back = void (*)(Driver&, const Permit&);
  const Back backs[] = {[](Driver& driver, const Permit& permit) { driver.breaker->StreamStarted(permit, driver.now); },
                        [](Driver& driver, const Permit& permit) { driver.End(permit, Ok()); }};
  for (const Back back : backs) {
    Driver driver = OnTheRamp();
    const Permit first = driver.Acquire(true).permit;
    driver.Step(seconds(2));
    ASSERT_TRUE(driver.Acquire(true).admitted);
    driver.Step(seconds(4));
    ASSERT_TRUE(driver.Acquire(true).admitted) << "the first one's lease alone has ended";
    ASSERT_EQ(driver.Snapshot().leases_expired, 1u);
    const BreakerSnapshot before = driver.Snapshot();
    back(driver, first);
    const BreakerSnapshot after = driver.Snapshot();
    EXPECT_EQ(after.window_calls, before.window_calls) << "it is judged already";
    EXPECT_EQ(after.permits_in_flight, before.permits_in_flight);
    driver.Step(seconds(2));
    EXPECT_TRUE(driver.Acquire(true).admitted);
    EXPECT_EQ(driver.Snapshot().leases_expired, 2u);
    EXPECT_EQ(driver.state(), BreakerState::kHalfOpen);
  }
}

TEST(AdaptiveBreaker, TakesOverFromABreakerThatKnowsNoRate) {
  for (const double rate : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    Driver driver{BreakerOptions()};
    BreakerSnapshot before;
    before.state = BreakerState::kOpen;
    before.offered_rate = rate;
    driver.breaker->TakeOver(before, driver.now);
    EXPECT_EQ(driver.Snapshot().offered_rate, 0);
    EXPECT_TRUE(driver.CallsUntil(BreakerState::kClosed, Ok()));
  }
}

TEST(AdaptiveBreaker, OneLostPermitDoesNotEndTheRamp) {
  Driver driver = OnTheRamp();
  ASSERT_TRUE(driver.Acquire(true).admitted);
  driver.Step(std::chrono::minutes(1));
  EXPECT_TRUE(driver.Acquire().admitted);
  EXPECT_EQ(driver.state(), BreakerState::kHalfOpen);
}

TEST(AdaptiveBreaker, AStreamThatHasBegunHoldsNoLeaseAndMayBeSilent) {
  Driver driver = OnTheRamp();
  for (int i = 0; i < 3; ++i) driver.breaker->StreamStarted(driver.Acquire(true).permit, driver.now);
  driver.Step(std::chrono::minutes(1));
  EXPECT_TRUE(driver.Acquire(true).admitted);
  EXPECT_EQ(driver.state(), BreakerState::kHalfOpen);
}

TEST(AdaptiveBreaker, AServiceThatStaysBetweenTheThresholdsIsNotHalfOpenForEver) {
  Driver driver = OpenAt(480);
  // A quarter of the calls fails: a mean rating of 7/8, between 5/6 and 11/12, once enough calls were seen.
  Random random(3);
  const Time start = driver.now;
  while (driver.state() != BreakerState::kClosed && driver.now - start < seconds(10)) {
    driver.Call(random.Uniform() < 0.25 ? Unavailable() : Ok(), Duration::zero(), milliseconds(2));
  }
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
}

TEST(AdaptiveBreaker, AUsersMetricOpensItWithoutAnyFailure) {
  const auto load = std::make_shared<AmbientMetric>("load_report", seconds(30));
  AdaptiveBreakerOptions options;
  options.rating.metrics.push_back({load, 1});
  Driver driver(Options(options));
  driver.Calls(100, Ok());
  EXPECT_THAT(driver.breaker->TakeTransitions(), IsEmpty());
  load->Report(0, driver.now);
  driver.Calls(20, Ok());
  const std::vector<BreakerTransition> transitions = driver.breaker->TakeTransitions();
  ASSERT_EQ(transitions.size(), 1u);
  EXPECT_THAT(transitions[0].scores, ::testing::Contains(::testing::Pair("load_report", 0)));
  EXPECT_EQ(transitions[0].context_failed, 0);
}

}  // namespace
}  // namespace recloser
