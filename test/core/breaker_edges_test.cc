// Rules that only show at their edges: what is learnt, what is forgotten, and what does not count.
#include <gtest/gtest.h>

#include "breaker_driver.h"

namespace recloser {
namespace {

AttemptResult TimedOut() {
  AttemptResult result = Ended(absl::StatusCode::kCancelled);
  result.attempt_timed_out = true;
  return result;
}

TEST(AdaptiveBreakerEdges, AnAttemptThatRecloserEndedIsNotSomethingThatCameBack) {
  Driver driver{BreakerOptions()};
  driver.Calls(20, Ok());
  const Admission hung = driver.Acquire();
  const Admission timed_out = driver.Acquire();
  driver.Step(milliseconds(60));
  driver.End(timed_out.permit, TimedOut());
  const double before = *driver.Snapshot().evidence;
  driver.Step(milliseconds(60));
  driver.End(hung.permit, CancelledByCaller());
  EXPECT_GT(*driver.Snapshot().evidence, before + 1) << "so the other one is a hang";
}

TEST(AdaptiveBreakerEdges, ACancelledCallIsNoHangWhenAnotherOneWasAnsweredMeanwhile) {
  Driver driver{BreakerOptions()};
  driver.Calls(20, Ok());
  const Admission cancelled = driver.Acquire();
  driver.Call(Ok());
  driver.Step(milliseconds(200));
  const std::int64_t calls = driver.Snapshot().window_calls;
  driver.End(cancelled.permit, CancelledByCaller());
  EXPECT_EQ(driver.Snapshot().evidence, 0);
  EXPECT_EQ(driver.Snapshot().window_calls, calls);
}

TEST(AdaptiveBreakerEdges, NothingIsLearntWhileThereIsEvidenceAgainstTheLink) {
  Driver driver{BreakerOptions()};
  for (int i = 0; i < 10; ++i) driver.Call(Ok(), milliseconds(20));
  const std::optional<Duration> healthy = driver.Snapshot().healthy_latency;
  ASSERT_TRUE(healthy.has_value());
  for (int i = 0; i < 4; ++i) driver.Call(Unavailable());
  driver.Call(Ok(), milliseconds(1));
  EXPECT_EQ(driver.Snapshot().healthy_latency, healthy);
  for (int i = 0; i < 4; ++i) driver.Call(Ok(), milliseconds(1));
  EXPECT_LT(driver.Snapshot().healthy_latency, healthy);
}

TEST(AdaptiveBreakerEdges, ASilenceEarnsTheHealthyLatencyNoMoreRiseThanAMinute) {
  Driver driver{BreakerOptions()};
  for (int i = 0; i < 200; ++i) driver.Call(Ok(), milliseconds(20));
  const double healthy = ToSeconds(*driver.Snapshot().healthy_latency);
  driver.Step(hours(1));
  driver.Call(Ok(), milliseconds(40));
  EXPECT_GT(ToSeconds(*driver.Snapshot().healthy_latency), healthy);
  EXPECT_LE(ToSeconds(*driver.Snapshot().healthy_latency), healthy * 1.0101);
}

TEST(AdaptiveBreakerEdges, BadAttemptsWithAGoodOneBetweenAreNotInARow) {
  AdaptiveBreakerOptions options;
  options.evidence_min = options.evidence_max = 100;
  Driver driver(Options(options));
  const auto fail = [&](int times) {
    for (int i = 0; i < times; ++i) driver.Call(Unavailable(), Duration::zero(), seconds(1));
  };
  fail(5);
  driver.Call(Ok(), Duration::zero(), seconds(1));
  fail(5);
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  fail(1);
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

TEST(AdaptiveBreakerEdges, AnIgnoredProbeMakesTheNextOneDueAfterTheMinimumInterval) {
  Driver driver{BreakerOptions()};
  ASSERT_TRUE(driver.Open());
  driver.Step(seconds(10));
  const Admission probe = driver.Acquire();
  ASSERT_TRUE(probe.admitted);
  driver.Step(milliseconds(1));
  driver.End(probe.permit, CancelledByCaller());
  driver.Step(milliseconds(48));
  EXPECT_FALSE(driver.Acquire().admitted);
  driver.Step(milliseconds(1));
  EXPECT_TRUE(driver.Acquire().admitted);
}

/// Under 480 calls/s: five seconds of outage, then good calls up to the first share of the ramp.
double FirstShare(Driver* driver) {
  for (int i = 0; i < 4800; ++i) driver->Call(Ok(), Duration::zero(), milliseconds(2));
  for (int i = 0; i < 2400; ++i) driver->Call(Unavailable(), Duration::zero(), milliseconds(2));
  while (driver->state() == BreakerState::kOpen) driver->Call(Ok(), Duration::zero(), milliseconds(2));
  return driver->Snapshot().admitted_share;
}

void Next(Driver* driver, const AttemptResult& result) {
  while (!driver->Call(result, Duration::zero(), milliseconds(2))) {
  }
}

TEST(AdaptiveBreakerEdges, ARampThatPassedCleanlyDoublesTheFirstShareOfTheNext) {
  Driver driver{BreakerOptions()};
  EXPECT_NEAR(FirstShare(&driver), 0.25, 1e-9);
  EXPECT_NEAR(FirstShare(&driver), 0.5, 1e-9);
  EXPECT_NEAR(FirstShare(&driver), 1, 1e-9);
}

TEST(AdaptiveBreakerEdges, ARampWithASetbackTeachesNothing) {
  Driver driver{BreakerOptions()};
  FirstShare(&driver);
  Next(&driver, Ok());
  Next(&driver, Unavailable());
  Next(&driver, Unavailable());
  ASSERT_EQ(driver.state(), BreakerState::kHalfOpen);
  EXPECT_NEAR(FirstShare(&driver), 0.25, 1e-9);
}

TEST(AdaptiveBreakerEdges, AResetForgetsWhatTheRampsHaveLearnt) {
  Driver driver{BreakerOptions()};
  FirstShare(&driver);
  while (driver.state() == BreakerState::kHalfOpen) Next(&driver, Unavailable());
  driver.breaker->Reset(driver.now);
  EXPECT_NEAR(FirstShare(&driver), 0.25, 1e-9);
}

TEST(StandardBreakerEdges, ProbesOfAnEarlierOutageCountAgainstTheLimit) {
  Driver driver(Options(SmallStandard()));
  ASSERT_TRUE(driver.Open());
  driver.Step(seconds(1));
  std::vector<Permit> old;
  for (Admission probe = driver.Acquire(); probe.admitted; probe = driver.Acquire()) old.push_back(probe.permit);
  ASSERT_EQ(old.size(), 3u);
  driver.breaker->Reset(driver.now);
  ASSERT_TRUE(driver.CallsUntil(BreakerState::kOpen, Unavailable()));
  driver.Step(seconds(1));
  EXPECT_FALSE(driver.Acquire().admitted);
  driver.End(old[0], Ok());
  EXPECT_TRUE(driver.Acquire().admitted);
  EXPECT_FALSE(driver.Acquire().admitted);
  EXPECT_EQ(driver.Snapshot().invariant_violations, 0u);
}

}  // namespace
}  // namespace recloser
