// Other people's rules behave as their sources say.
#include <gtest/gtest.h>

#include "baselines/pid_breaker.h"
#include "baselines/sre_throttle.h"
#include "baselines/threshold_breaker.h"
#include "scenarios.h"

namespace recloser::sim {
namespace {

constexpr Time kStart{hours(1)};

/// A call each 10 ms that ends at once.
class Driver {
 public:
  explicit Driver(CircuitBreaker* breaker) : breaker_(breaker) {}

  bool Call(bool ok) {
    now_ += milliseconds(10);
    const Admission admission = breaker_->TryAcquire(now_, {});
    if (!admission.admitted) return false;
    AttemptResult result;
    result.code = ok ? absl::StatusCode::kOk : absl::StatusCode::kUnavailable;
    result.has_response = ok;
    breaker_->Record(admission.permit, now_, result);
    return true;
  }
  int Admitted(int calls, bool ok) {
    int admitted = 0;
    for (int i = 0; i < calls; ++i) admitted += Call(ok) ? 1 : 0;
    return admitted;
  }
  Time now() const { return now_; }

 private:
  CircuitBreaker* const breaker_;
  Time now_ = kStart;
};

TEST(Threshold, OpensAtFortyPercentOfAtLeastFiveCalls) {
  ThresholdBreaker breaker(kStart, false);
  Driver driver(&breaker);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(driver.Call(false));
  EXPECT_EQ(breaker.state(), BreakerState::kClosed);
  EXPECT_TRUE(driver.Call(false));
  EXPECT_EQ(breaker.state(), BreakerState::kOpen);
  EXPECT_EQ(breaker.TakeTransitions().size(), 1u);
}

TEST(Threshold, ReclosesAtOnceWhenItOpenedAtFortyPercent) {
  ThresholdBreaker breaker(kStart, false);
  Driver driver(&breaker);
  for (int i = 0; i < 6; ++i) driver.Call(true);
  for (int i = 0; i < 4; ++i) driver.Call(false);
  ASSERT_EQ(breaker.state(), BreakerState::kOpen);
  EXPECT_NEAR(*breaker.Snapshot(driver.now()).rating, 0.4 * 0.6 + 0.15 + 0.35 * 0.6, 1e-9);
  EXPECT_TRUE(driver.Call(true));
}

TEST(Threshold, IsATimerOfTenSecondsOnceAllFailed) {
  ThresholdBreaker breaker(kStart, false);
  Driver driver(&breaker);
  driver.Admitted(10, false);
  EXPECT_EQ(driver.Admitted(980, true), 0);
  EXPECT_GT(driver.Admitted(20, true), 0);
}

TEST(Threshold, TheKeptWindowRejectsGoodCallsAgainTheClearedOneDoesNot) {
  for (const bool clears : {false, true}) {
    ThresholdBreaker breaker(kStart, clears);
    Driver driver(&breaker);
    driver.Admitted(10, false);
    driver.Admitted(1000, true);  // the timer is over
    EXPECT_EQ(driver.Admitted(500, true) == 500, clears);
  }
}

TEST(Sre, DropsByTheBooksFormulaAndCountsItsOwnDrops) {
  SreThrottle breaker(kStart, Random(1));
  Driver driver(&breaker);
  EXPECT_EQ(driver.Admitted(300, true), 300);
  // 300 accepts allow 450 in total, and 5 more.
  EXPECT_EQ(driver.Admitted(155, false), 155);
  EXPECT_LT(driver.Admitted(200, false), 190);
  EXPECT_EQ(breaker.state(), BreakerState::kHalfOpen);
}

TEST(Sre, ForgetsAfterTenSeconds) {
  SreThrottle breaker(kStart, Random(1));
  Driver driver(&breaker);
  driver.Admitted(500, false);
  EXPECT_LT(driver.Admitted(100, true), 50);
  const Admission later = breaker.TryAcquire(driver.now() + seconds(11), {});
  EXPECT_TRUE(later.admitted);
  EXPECT_EQ(breaker.state(), BreakerState::kClosed);
}

TEST(Pid, FollowsTheErrorRateOncePerWindow) {
  PidBreaker breaker(kStart, Random(1));
  Driver driver(&breaker);
  EXPECT_EQ(driver.Admitted(999, false), 999);  // ten seconds
  EXPECT_LT(driver.Admitted(1000, false), 20);
  EXPECT_EQ(breaker.state(), BreakerState::kOpen);
}

TEST(Baselines, KeepCountOfTheirPermits) {
  ThresholdBreaker breaker(kStart, false);
  const Admission a = breaker.TryAcquire(kStart, {});
  const Admission b = breaker.TryAcquire(kStart, {});
  EXPECT_EQ(breaker.Snapshot(kStart).permits_in_flight, 2);
  breaker.Drop(a.permit, kStart);
  breaker.Record(b.permit, kStart, {});
  EXPECT_EQ(breaker.Snapshot(kStart).permits_in_flight, 0);
}

TEST(Baselines, ObeyTheHand) {
  SreThrottle breaker(kStart, Random(1));
  breaker.ForceOpen(kStart);
  EXPECT_FALSE(breaker.TryAcquire(kStart, {}).admitted);
  breaker.ForceOpen(kStart);
  EXPECT_EQ(breaker.TakeTransitions().size(), 1u);
  breaker.Reset(kStart);
  EXPECT_TRUE(breaker.TryAcquire(kStart, {}).admitted);
}

}  // namespace
}  // namespace recloser::sim
