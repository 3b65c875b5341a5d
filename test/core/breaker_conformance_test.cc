// What every breaker must do, whatever its rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "breaker_driver.h"

namespace recloser {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

struct Kind {
  const char* name;
  BreakerOptions options;
  int probe_limit;
};

class BreakerConformance : public ::testing::TestWithParam<Kind> {
 protected:
  Driver driver_{GetParam().options};
};

TEST_P(BreakerConformance, OpensOnFailuresAndClosesAfterRecoveryWithOneEventEach) {
  ASSERT_TRUE(driver_.Open());
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kClosed, Ok()));
  EXPECT_THAT(
      driver_.breaker->TakeTransitions(),
      ElementsAre(AllOf(Field(&BreakerTransition::from, BreakerState::kClosed), Field(&BreakerTransition::to, BreakerState::kOpen)),
                  AllOf(Field(&BreakerTransition::from, BreakerState::kOpen), Field(&BreakerTransition::to, BreakerState::kHalfOpen)),
                  AllOf(Field(&BreakerTransition::from, BreakerState::kHalfOpen), Field(&BreakerTransition::to, BreakerState::kClosed))));
  EXPECT_FALSE(driver_.breaker->has_transitions());
}

TEST_P(BreakerConformance, TheWindowIsEmptyAfterClosing) {
  ASSERT_TRUE(driver_.Open());
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kClosed, Ok()));
  EXPECT_EQ(driver_.Snapshot().window_calls, 0);
  driver_.Call(Unavailable());
  EXPECT_EQ(driver_.state(), BreakerState::kClosed);
}

TEST_P(BreakerConformance, AProbeThatNeverReportsIsReclaimed) {
  ASSERT_TRUE(driver_.Open());
  std::vector<Permit> lost;
  for (int i = 0; i < GetParam().probe_limit; ++i) {
    const Admission probe = driver_.AcquireWithin(seconds(4));
    ASSERT_TRUE(probe.admitted) << i;
    lost.push_back(probe.permit);
  }
  EXPECT_FALSE(driver_.AcquireWithin(milliseconds(100)).admitted);
  driver_.Step(seconds(6));
  const Admission next = driver_.Acquire();
  EXPECT_TRUE(next.admitted);
  EXPECT_EQ(driver_.Snapshot().leases_expired, lost.size());

  const BreakerState before = driver_.state();
  for (const Permit& permit : lost) driver_.End(permit, Ok());
  EXPECT_EQ(driver_.state(), before);
  EXPECT_EQ(driver_.Snapshot().stale_results, lost.size());
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, 1);
}

TEST_P(BreakerConformance, ALeaseEndsToTheNanosecond) {
  ASSERT_TRUE(driver_.Open());
  const Admission probe = driver_.AcquireWithin(seconds(4));
  ASSERT_TRUE(probe.admitted);
  driver_.Step(seconds(5) - nanoseconds(1));
  driver_.breaker->FreshEvidence(driver_.now);
  EXPECT_EQ(driver_.Snapshot().leases_expired, 0u);
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, 1);
  driver_.Step(nanoseconds(1));
  driver_.breaker->FreshEvidence(driver_.now);
  EXPECT_EQ(driver_.Snapshot().leases_expired, 1u);
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, 0);
}

TEST_P(BreakerConformance, AnIgnoredProbeMovesNothingAndMakesRoomForAnother) {
  ASSERT_TRUE(driver_.Open());
  Admission probe = driver_.AcquireWithin(seconds(4));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(probe.admitted) << i;
    const BreakerState before = driver_.state();
    EXPECT_EQ(driver_.End(probe.permit, i % 2 == 0 ? CancelledByCaller() : Ended(absl::StatusCode::kUnimplemented)), Outcome::kIgnored);
    EXPECT_EQ(driver_.state(), before);
    probe = driver_.AcquireWithin(milliseconds(60));
  }
  EXPECT_EQ(driver_.Snapshot().probes[static_cast<int>(ProbeResult::kIgnored)], 20u);
}

TEST_P(BreakerConformance, ADroppedProbeIsAvailableAtOnce) {
  ASSERT_TRUE(driver_.Open());
  Admission probe = driver_.AcquireWithin(seconds(4));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(probe.admitted) << i;
    driver_.breaker->Drop(probe.permit, driver_.now);
    probe = driver_.Acquire();
  }
}

TEST_P(BreakerConformance, CallsOfAnOlderGenerationMintNoPermits) {
  std::vector<Permit> old;
  for (int i = 0; i < 12; ++i) old.push_back(driver_.Acquire().permit);
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kOpen, Unavailable()));
  ASSERT_TRUE(driver_.AcquireWithin(seconds(4)).admitted);
  for (const Permit& permit : old) driver_.End(permit, CancelledByCaller());
  for (int i = 0; i < 2000; ++i) {
    driver_.Acquire();
    ASSERT_LE(driver_.Snapshot().probes_in_flight, GetParam().probe_limit);
    driver_.Step(milliseconds(2));
  }
  EXPECT_EQ(driver_.Snapshot().stale_results, old.size());
}

TEST_P(BreakerConformance, ASuccessAdmittedBeforeTheTripIsStale) {
  std::vector<Permit> old;
  for (int i = 0; i < 12; ++i) old.push_back(driver_.Acquire().permit);
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kOpen, Unavailable()));
  const std::uint64_t generation = driver_.Snapshot().generation;
  for (const Permit& permit : old) driver_.End(permit, Ok());
  EXPECT_EQ(driver_.state(), BreakerState::kOpen);
  EXPECT_EQ(driver_.Snapshot().generation, generation);
  EXPECT_EQ(driver_.Snapshot().stale_results, old.size());
}

TEST_P(BreakerConformance, AskingUsesNothingUp) {
  ASSERT_TRUE(driver_.Open());
  driver_.Step(seconds(3));
  const CircuitBreaker& breaker = *driver_.breaker;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(breaker.state(), BreakerState::kOpen);
    EXPECT_EQ(breaker.Snapshot(driver_.now + seconds(i)).permits_in_flight, 0);
    breaker.healthy_latency();
  }
  EXPECT_TRUE(driver_.Acquire().admitted);
}

TEST_P(BreakerConformance, OneBadCallOnAHealthyServiceDoesNotOpenItAgain) {
  ASSERT_TRUE(driver_.Open());
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kHalfOpen, Ok()));
  driver_.breaker->TakeTransitions();
  while (!driver_.Call(Unavailable())) {
  }
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kClosed, Ok()));
  EXPECT_THAT(driver_.breaker->TakeTransitions(), ElementsAre(Field(&BreakerTransition::to, BreakerState::kClosed)));
}

TEST_P(BreakerConformance, SilenceWhileOpenMovesNothing) {
  ASSERT_TRUE(driver_.Open());
  driver_.Step(minutes(10));
  EXPECT_EQ(driver_.state(), BreakerState::kOpen);
  EXPECT_EQ(driver_.Snapshot().rating, std::nullopt);
  const Admission probe = driver_.Acquire();
  ASSERT_TRUE(probe.admitted);
  driver_.End(probe.permit, Unavailable());
  EXPECT_NE(driver_.state(), BreakerState::kClosed);
}

TEST_P(BreakerConformance, SteppingClocksChangeNothingOnAHealthyLink) {
  for (const Duration step : {Duration(-seconds(2)), Duration(-hours(1)), Duration(hours(24)), Duration(-hours(24))}) {
    driver_.Calls(100, Ok());
    driver_.now += step;
    driver_.Calls(100, Ok());
  }
  EXPECT_THAT(driver_.breaker->TakeTransitions(), IsEmpty());
  EXPECT_EQ(driver_.Snapshot().clock_anomalies, 3u);
}

TEST_P(BreakerConformance, AClockThatSteppedBackDoesNotKeepItOpen) {
  ASSERT_TRUE(driver_.Open());
  driver_.now = Time(minutes(1));
  const Time before = driver_.now;
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kClosed, Ok()));
  EXPECT_LT(driver_.now - before, seconds(4));
  EXPECT_LE(driver_.Snapshot().since, driver_.now);
}

TEST_P(BreakerConformance, SmallStepsBackBetweenThreadsAreNoAnomaly) {
  for (int i = 0; i < 100; ++i) {
    const Admission admission = driver_.Acquire();
    driver_.Step(milliseconds(20));
    driver_.breaker->Record(admission.permit, driver_.now - microseconds(300), Ok());
  }
  EXPECT_EQ(driver_.Snapshot().clock_anomalies, 0u);
}

TEST_P(BreakerConformance, HalfOfTheCallsCancelledOnAHealthyServiceDoesNotOpenIt) {
  for (int i = 0; i < 2000; ++i) {
    const Admission cancelled = driver_.Acquire();
    driver_.Step(milliseconds(5));
    const Admission answered = driver_.Acquire();
    ASSERT_TRUE(cancelled.admitted && answered.admitted);
    driver_.Step(milliseconds(20));
    driver_.End(answered.permit, Ok());
    driver_.Step(milliseconds(50));
    driver_.End(cancelled.permit, CancelledByCaller());
  }
  EXPECT_EQ(driver_.state(), BreakerState::kClosed);
}

TEST_P(BreakerConformance, MessagesTooLargeAreNeutralAndOverloadIsNot) {
  AttemptResult too_large = Ended(absl::StatusCode::kResourceExhausted);
  too_large.message = "Received message larger than max (5000000 vs. 4194304)";
  driver_.Calls(200, too_large);
  EXPECT_EQ(driver_.state(), BreakerState::kClosed);
  EXPECT_EQ(driver_.Snapshot().window_calls, 0);
  EXPECT_TRUE(driver_.CallsUntil(BreakerState::kOpen, Ended(absl::StatusCode::kResourceExhausted)));
}

TEST_P(BreakerConformance, OwnRejectionsNeverEnterTheWindow) {
  AttemptResult rejected = Unavailable();
  rejected.rejected_by_recloser = true;
  driver_.Calls(200, rejected);
  EXPECT_EQ(driver_.state(), BreakerState::kClosed);
  EXPECT_EQ(driver_.Snapshot().window_calls, 0);
}

TEST_P(BreakerConformance, RecoversUnderConstantLoad) {
  ASSERT_TRUE(driver_.Open());
  const Time end = driver_.now + seconds(20);
  while (driver_.now < end) driver_.Call(Unavailable(), milliseconds(1), milliseconds(2));
  int rejected = 0;
  while (driver_.state() != BreakerState::kClosed && rejected < 2000)
    rejected += driver_.Call(Ok(), milliseconds(1), milliseconds(2)) ? 0 : 1;
  EXPECT_EQ(driver_.state(), BreakerState::kClosed);
}

TEST_P(BreakerConformance, ForcedOpenAdmitsNothingUntilReset) {
  driver_.breaker->ForceOpen(driver_.now);
  driver_.breaker->ForceOpen(driver_.now);
  for (int i = 0; i < 100; ++i) {
    const Admission admission = driver_.Acquire();
    ASSERT_FALSE(admission.admitted);
    EXPECT_EQ(admission.rejection.state, BreakerState::kForcedOpen);
    EXPECT_EQ(admission.rejection.retry_after, kForever);
    driver_.Step(minutes(1));
  }
  driver_.breaker->Reset(driver_.now);
  EXPECT_TRUE(driver_.Call(Ok()));
  EXPECT_EQ(driver_.breaker->TakeTransitions().size(), 2u);
  EXPECT_EQ(driver_.Snapshot().rejected, 100u);
}

TEST_P(BreakerConformance, DisabledAdmitsEverythingAndLearnsNothing) {
  driver_.breaker->Disable(driver_.now);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(driver_.Call(Unavailable()));
  EXPECT_EQ(driver_.state(), BreakerState::kDisabled);
  EXPECT_EQ(driver_.Snapshot().window_calls, 0);
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, 0);
}

TEST_P(BreakerConformance, ResetEmptiesTheWindowOfAClosedBreakerWithoutATransition) {
  driver_.Calls(4, Unavailable());
  driver_.breaker->Reset(driver_.now);
  EXPECT_EQ(driver_.Snapshot().window_calls, 0);
  EXPECT_THAT(driver_.breaker->TakeTransitions(), IsEmpty());
}

TEST_P(BreakerConformance, APermitGivenBackTwiceCountsOnce) {
  const Admission admission = driver_.Acquire();
  for (int i = 0; i < 100; ++i) driver_.End(admission.permit, Unavailable());
  driver_.breaker->Drop(admission.permit, driver_.now);
  EXPECT_EQ(driver_.state(), BreakerState::kClosed);
  EXPECT_EQ(driver_.Snapshot().window_calls, 1);
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, 0);
}

TEST_P(BreakerConformance, TimeInStatesAddsUp) {
  const Time start = driver_.now;
  ASSERT_TRUE(driver_.Open());
  ASSERT_TRUE(driver_.CallsUntil(BreakerState::kClosed, Ok()));
  driver_.breaker->ForceOpen(driver_.now);
  driver_.Step(seconds(3));
  const BreakerSnapshot snapshot = driver_.Snapshot();
  EXPECT_EQ(std::accumulate(snapshot.time_in_state.begin(), snapshot.time_in_state.end(), Duration::zero()), driver_.now - start);
  EXPECT_EQ(snapshot.time_in_state[static_cast<int>(BreakerState::kForcedOpen)], seconds(3));
}

TEST_P(BreakerConformance, AStreamsFirstMessageEndsItsProbe) {
  ASSERT_TRUE(driver_.Open());
  for (int i = 0; i < 400 && driver_.state() != BreakerState::kClosed; ++i) {
    const Admission stream = driver_.Acquire(true);
    if (stream.admitted) driver_.breaker->StreamStarted(stream.permit, driver_.now);
    EXPECT_EQ(driver_.Snapshot().probes_in_flight, 0);
    if (stream.admitted && !stream.permit.probe) driver_.End(stream.permit, Ok());
    driver_.Step(milliseconds(10));
  }
  EXPECT_EQ(driver_.state(), BreakerState::kClosed);
}

TEST_P(BreakerConformance, TheEventSaysWhy) {
  ASSERT_TRUE(driver_.Open());
  const std::vector<BreakerTransition> transitions = driver_.breaker->TakeTransitions();
  ASSERT_EQ(transitions.size(), 1u);
  const BreakerTransition& opened = transitions[0];
  EXPECT_EQ(opened.reason, TransitionReason::kRating);
  EXPECT_GE(opened.context_failed, 5);
  EXPECT_GE(opened.context_calls, opened.context_failed);
  EXPECT_EQ(opened.admitted_share, 0);
  EXPECT_GT(opened.time_in_from, Duration::zero());
  EXPECT_TRUE(opened.rating.has_value() || opened.failure_rate.has_value());
  EXPECT_THAT(Explain(opened), ::testing::AllOf(::testing::StartsWith("opened by rating:"), ::testing::HasSubstr("failed")));
}

// The outcome of each of gRPC's 17 codes, closed and half-open.
struct CodeCase {
  absl::StatusCode code;
  Outcome outcome;
};

constexpr CodeCase kCodes[] = {
    {absl::StatusCode::kOk, Outcome::kSuccess},
    {absl::StatusCode::kCancelled, Outcome::kIgnored},
    {absl::StatusCode::kUnknown, Outcome::kFailure},
    {absl::StatusCode::kInvalidArgument, Outcome::kSuccess},
    {absl::StatusCode::kDeadlineExceeded, Outcome::kFailure},
    {absl::StatusCode::kNotFound, Outcome::kSuccess},
    {absl::StatusCode::kAlreadyExists, Outcome::kSuccess},
    {absl::StatusCode::kPermissionDenied, Outcome::kSuccess},
    {absl::StatusCode::kResourceExhausted, Outcome::kFailure},
    {absl::StatusCode::kFailedPrecondition, Outcome::kSuccess},
    {absl::StatusCode::kAborted, Outcome::kSuccess},
    {absl::StatusCode::kOutOfRange, Outcome::kSuccess},
    {absl::StatusCode::kUnimplemented, Outcome::kIgnored},
    {absl::StatusCode::kInternal, Outcome::kFailure},
    {absl::StatusCode::kUnavailable, Outcome::kFailure},
    {absl::StatusCode::kDataLoss, Outcome::kFailure},
    {absl::StatusCode::kUnauthenticated, Outcome::kSuccess},
};

TEST_P(BreakerConformance, AFloodOfEachCodeOpensOnlyOnFailures) {
  static_assert(std::size(kCodes) == 17);
  for (const CodeCase& c : kCodes) {
    Driver driver(GetParam().options);
    for (int i = 0; i < 100; ++i) {
      const Admission admission = driver.Acquire();
      driver.Step(milliseconds(20));
      if (!admission.admitted) continue;
      EXPECT_EQ(driver.End(admission.permit, Ended(c.code)), c.outcome) << CodeName(c.code);
    }
    EXPECT_EQ(driver.state() == BreakerState::kClosed, c.outcome != Outcome::kFailure) << CodeName(c.code);
  }
}

TEST_P(BreakerConformance, EachCodeHalfOpenClosesReopensOrMovesNothing) {
  for (const CodeCase& c : kCodes) {
    Driver driver(GetParam().options);
    ASSERT_TRUE(driver.Open());
    ASSERT_TRUE(driver.CallsUntil(BreakerState::kHalfOpen, Ok()));
    for (int i = 0; i < 100 && driver.state() == BreakerState::kHalfOpen; ++i) driver.Call(Ended(c.code));
    const BreakerState expected = c.outcome == Outcome::kSuccess   ? BreakerState::kClosed
                                  : c.outcome == Outcome::kFailure ? BreakerState::kOpen
                                                                   : BreakerState::kHalfOpen;
    EXPECT_EQ(driver.state(), expected) << CodeName(c.code);
  }
}

/// resilience4j's time window never healed after the clock had stepped back.
StandardBreakerOptions SmallStandardByTime() {
  StandardBreakerOptions options = SmallStandard();
  options.window = StandardBreakerOptions::Window::kTime;
  options.window_time = milliseconds(500);
  return options;
}

INSTANTIATE_TEST_SUITE_P(Kinds, BreakerConformance,
                         ::testing::Values(Kind{"standard", Options(SmallStandard()), 3},
                                           Kind{"standard_by_time", Options(SmallStandardByTime()), 3},
                                           Kind{"adaptive", BreakerOptions(), 3}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace recloser
