// The figures on traces made by hand.
#include "account.h"

#include <gtest/gtest.h>

#include "scenarios.h"

namespace recloser::sim {
namespace {

constexpr Time kOrigin{seconds(100)};

Time At(double s) { return kOrigin + FromSeconds(s); }

class Books : public ::testing::Test {
 protected:
  void Call(double at, double latency, bool good) {
    account_.OnCallStarted(At(at), true);
    account_.OnAttemptStarted(At(at));
    if (!good) account_.OnAttemptWasted(At(at + latency));
    account_.OnClientCallEnded(At(at), At(at + latency), good);
  }
  void RejectedCall(double at, double worth) {
    account_.OnCallStarted(At(at), true);
    account_.OnCallRejected(At(at), worth);
    account_.OnClientCallEnded(At(at), At(at), false);
  }
  void Transition(double at, BreakerState from, BreakerState to, std::size_t caller = 0, bool counts = true) {
    BreakerTransition transition;
    transition.from = from;
    transition.to = to;
    transition.at = At(at);
    account_.OnTransition(caller, transition, counts);
  }
  Figures figures() const { return account_.Finish(0); }

  Account account_{kOrigin, seconds(30), FaultSpan{At(10), At(15)}, 2, Duration::zero()};
};

TEST_F(Books, CountCallsAttemptsAndCosts) {
  for (int i = 0; i < 10; ++i) Call(0.1 * i, 0.02, i != 3);
  RejectedCall(2, 0.5);
  RejectedCall(2, 0);
  const Figures f = figures();
  EXPECT_EQ(f.calls, 12);
  EXPECT_EQ(f.good, 9);
  EXPECT_EQ(f.attempts, 10);
  EXPECT_EQ(f.wasted, 1);
  EXPECT_EQ(f.rejected, 2);
  EXPECT_EQ(f.good_rejected, 0.5);
  EXPECT_EQ(f.Cost(3), 3.5);
  EXPECT_EQ(f.goodput(), 0.75);
  EXPECT_DOUBLE_EQ(f.amplification(), 10.0 / 12);
}

TEST_F(Books, BlockingLatencyIsThatOfTheLastGoodRejectionAfterTheFault) {
  RejectedCall(12, 0);  // the service is down
  RejectedCall(15.2, 1);
  RejectedCall(15.75, 0.1);
  RejectedCall(16, 0);    // worth nothing
  RejectedCall(25.5, 1);  // too late to be put down to it
  EXPECT_DOUBLE_EQ(*figures().blocking_latency_s, 0.75);
}

TEST_F(Books, BlockingLatencyIsZeroWithoutRejections) { EXPECT_EQ(figures().blocking_latency_s, 0); }

TEST_F(Books, TimeToOpenIsTheMeanOfEachCallersFirstOpeningSinceTheFaultsBegin) {
  Transition(9, BreakerState::kClosed, BreakerState::kOpen);  // a false one, before
  Transition(9.5, BreakerState::kOpen, BreakerState::kHalfOpen);
  Transition(9.6, BreakerState::kHalfOpen, BreakerState::kClosed);
  Transition(10.5, BreakerState::kClosed, BreakerState::kOpen);
  Transition(12, BreakerState::kClosed, BreakerState::kOpen);  // again
  EXPECT_DOUBLE_EQ(*figures().time_to_open_s, 0.5);
  Transition(11.5, BreakerState::kClosed, BreakerState::kOpen, 1);
  EXPECT_DOUBLE_EQ(*figures().time_to_open_s, 1);
  EXPECT_EQ(figures().openings, 4);
  EXPECT_EQ(figures().transitions, 6);
}

TEST_F(Books, TimeToOpenLooksAtBreakersOfFaultyServicesOnly) {
  Transition(10.5, BreakerState::kClosed, BreakerState::kOpen, 0, /*counts=*/false);
  EXPECT_FALSE(figures().time_to_open_s.has_value());
}

TEST_F(Books, RecoveryIsWhenTheGoodputIsBackToStay) {
  for (int i = 0; i < 300; ++i) {
    const double at = 0.1 * i + 0.05;
    const bool down = at > 10 && at < 15;
    const bool relapse = at > 15.5 && at < 16.2;
    Call(at, 0.02, !down && !relapse);
  }
  EXPECT_NEAR(*figures().recovery_s, 1.2, 0.01);
}

TEST_F(Books, WithoutRecoveryThereIsNoTimeOfIt) {
  for (int i = 0; i < 300; ++i) Call(0.1 * i, 0.02, i < 100);
  EXPECT_FALSE(figures().recovery_s.has_value());
}

TEST_F(Books, TheWorstAmplificationNeedsTenCalls) {
  for (int i = 0; i < 20; ++i) Call(5 + 0.01 * i, 0.02, true);
  for (int i = 0; i < 20; ++i) account_.OnAttemptStarted(At(5 + 0.01 * i));
  Call(7, 0.02, true);
  for (int i = 0; i < 5; ++i) account_.OnAttemptStarted(At(7));
  EXPECT_DOUBLE_EQ(figures().amplification_worst, 2);
}

TEST_F(Books, QuantilesAreExactToThreePercent) {
  for (int i = 1; i <= 100; ++i) Call(1, 0.001 * i, true);
  EXPECT_NEAR(figures().p50_s, 0.050, 0.0015);
  EXPECT_NEAR(figures().p99_s, 0.099, 0.003);
}

TEST(Series, PutsEachCallIntoTheStepOfItsArrival) {
  Account account(kOrigin, seconds(1), std::nullopt, 1, milliseconds(100));
  account.OnCallStarted(At(0.25), true);
  account.OnClientCallEnded(At(0.25), At(0.45), true);
  account.OnCallRejected(At(0.9), 1);
  BreakerSnapshot snapshot;
  snapshot.state = BreakerState::kOpen;
  snapshot.rating = 0.25;
  account.OnSample(At(1), 0.5, &snapshot);
  const Series& series = account.series();
  ASSERT_EQ(series.steps.size(), 10u);
  EXPECT_EQ(series.steps[2].offered, 1);
  EXPECT_EQ(series.steps[2].good, 1);
  EXPECT_EQ(series.steps[9].rejected, 1);
  EXPECT_EQ(series.steps[9].state, BreakerState::kOpen);
  EXPECT_EQ(series.steps[9].worth, 0.5);
  EXPECT_EQ(series.steps[9].rating, 0.25);
}

}  // namespace
}  // namespace recloser::sim
