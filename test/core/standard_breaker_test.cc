// The rules of the standard breaker at their edges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "breaker_driver.h"

namespace recloser {
namespace {

TEST(StandardBreaker, OpensExactlyAtTheFailureThreshold) {
  Driver driver(Options(SmallStandard()));
  driver.Calls(6, Ok());
  driver.Calls(4, Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  driver.Call(Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

TEST(StandardBreaker, JudgesNothingOnFewerThanTheMinimumCalls) {
  Driver driver(Options(SmallStandard()));
  driver.Calls(9, Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  driver.Call(Ok());
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

TEST(StandardBreaker, ACountWindowLowersTheMinimumToItsSize) {
  StandardBreakerOptions options = SmallStandard();
  options.minimum_calls = 100;
  Driver driver(Options(options));
  driver.Calls(10, Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

TEST(StandardBreaker, ACountWindowForgetsTheOldestCall) {
  Driver driver(Options(SmallStandard()));
  for (int i = 0; i < 50; ++i) {
    driver.Calls(4, Unavailable());
    driver.Calls(6, Ok());
  }
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  EXPECT_EQ(driver.Snapshot().window_calls, 10);
  EXPECT_DOUBLE_EQ(*driver.Snapshot().failure_rate, 0.4);
}

TEST(StandardBreaker, SlowIsLongerThanTheSlowDuration) {
  StandardBreakerOptions options = SmallStandard();
  options.slow_call_duration = milliseconds(100);
  options.slow_call_rate_threshold = 0.8;
  Driver at_limit(Options(options));
  for (int i = 0; i < 50; ++i) at_limit.Call(Ok(), milliseconds(100));
  EXPECT_EQ(at_limit.state(), BreakerState::kClosed);
  Driver above(Options(options));
  for (int i = 0; i < 2; ++i) above.Call(Ok(), milliseconds(100));
  for (int i = 0; i < 7; ++i) above.Call(Ok(), milliseconds(100) + nanoseconds(1));
  EXPECT_EQ(above.state(), BreakerState::kClosed);
  above.Call(Ok(), milliseconds(100) + nanoseconds(1));
  EXPECT_EQ(above.state(), BreakerState::kOpen);
}

TEST(StandardBreaker, ATimeWindowForgetsWhatIsOlder) {
  StandardBreakerOptions options = SmallStandard();
  options.window = StandardBreakerOptions::Window::kTime;
  options.window_time = seconds(10);
  Driver driver(Options(options));
  for (int i = 0; i < 9; ++i) driver.Call(Unavailable(), milliseconds(1), milliseconds(1));
  EXPECT_EQ(driver.Snapshot().window_calls, 9);
  driver.Step(seconds(9));
  EXPECT_EQ(driver.Snapshot().window_calls, 9);
  driver.Step(seconds(1));
  EXPECT_EQ(driver.Snapshot().window_calls, 0);
  EXPECT_EQ(driver.Snapshot().failure_rate, std::nullopt);
  driver.Call(Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
}

TEST(StandardBreaker, ATimeWindowCountsLikeBruteForce) {
  StandardBreakerOptions options = SmallStandard();
  options.window = StandardBreakerOptions::Window::kTime;
  options.window_time = seconds(1);
  options.minimum_calls = 100000;
  Driver driver(Options(options));
  Random random(7);
  const Time origin = driver.now;
  std::vector<Time> ends;
  for (int i = 0; i < 5000; ++i) {
    driver.Step(FromSeconds(random.Uniform() < 0.01 ? random.Uniform(0, 3) : random.Uniform(0, 0.01)));
    driver.Call(Ok(), Duration::zero(), Duration::zero());
    ends.push_back(driver.now);
    const auto slice = [&](Time t) { return (t - origin) / milliseconds(100); };
    const auto in_window = std::count_if(ends.begin(), ends.end(), [&](Time t) { return slice(t) > slice(driver.now) - 10; });
    ASSERT_EQ(driver.Snapshot().window_calls, in_window);
  }
}

TEST(StandardBreaker, WaitsToTheNanosecond) {
  Driver driver(Options(SmallStandard()));
  for (int i = 0; i < 10; ++i) driver.Call(Unavailable(), milliseconds(20), Duration::zero());
  ASSERT_EQ(driver.state(), BreakerState::kOpen);
  driver.Step(seconds(1) - nanoseconds(1));
  const Admission early = driver.Acquire();
  EXPECT_FALSE(early.admitted);
  EXPECT_EQ(early.rejection.retry_after, nanoseconds(1));
  driver.Step(nanoseconds(1));
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
  EXPECT_TRUE(driver.Acquire().admitted);
  EXPECT_EQ(driver.state(), BreakerState::kHalfOpen);
}

TEST(StandardBreaker, AdmitsExactlyThePermittedCallsAndDecidesWhenAllEnded) {
  StandardBreakerOptions options = SmallStandard();
  options.permitted_half_open_calls = 4;
  Driver driver(Options(options));
  driver.Calls(10, Unavailable());
  driver.Step(seconds(1));
  std::vector<Permit> permits;
  for (Admission a = driver.Acquire(); a.admitted; a = driver.Acquire()) permits.push_back(a.permit);
  ASSERT_EQ(permits.size(), 4u);
  driver.End(permits[0], Ok());
  driver.End(permits[1], Ok());
  driver.End(permits[2], Ok());
  EXPECT_FALSE(driver.Acquire().admitted);
  EXPECT_EQ(driver.state(), BreakerState::kHalfOpen);
  driver.End(permits[3], Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
}

TEST(StandardBreaker, HalfOpenReopensAtTheThreshold) {
  StandardBreakerOptions options = SmallStandard();
  options.permitted_half_open_calls = 4;
  Driver driver(Options(options));
  driver.Calls(10, Unavailable());
  driver.Step(seconds(1));
  for (int i = 0; i < 2; ++i) driver.Call(Ok());
  for (int i = 0; i < 2; ++i) driver.Call(Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

/// The waits of ten openings in a row.
std::vector<Duration> Waits(const StandardBreakerOptions& options, std::uint64_t seed) {
  Driver driver(Options(options), seed);
  driver.CallsUntil(BreakerState::kOpen, Unavailable());
  std::vector<Duration> waits;
  for (int i = 0; i < 10; ++i) {
    waits.push_back(driver.Snapshot().retry_after + milliseconds(5));
    driver.Step(driver.Snapshot().retry_after);
    for (int call = 0; call < options.permitted_half_open_calls; ++call) driver.Call(Unavailable());
  }
  return waits;
}

TEST(StandardBreaker, WaitsGrowUpToTheCap) {
  StandardBreakerOptions options = SmallStandard();
  options.wait_multiplier = 2;
  options.wait_cap = seconds(10);
  const std::vector<Duration> waits = Waits(options, 1);
  EXPECT_EQ(waits[0], seconds(1));
  EXPECT_EQ(waits[1], seconds(2));
  EXPECT_EQ(waits[3], seconds(8));
  EXPECT_EQ(waits[4], seconds(10));
  EXPECT_EQ(waits[9], seconds(10));
}

TEST(StandardBreaker, JitterSpreadsTheWait) {
  StandardBreakerOptions options = SmallStandard();
  options.wait_jitter = 0.2;
  Duration shortest = kForever;
  Duration longest = Duration::zero();
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    for (const Duration wait : Waits(options, seed)) {
      shortest = std::min(shortest, wait);
      longest = std::max(longest, wait);
    }
  }
  EXPECT_GE(shortest, milliseconds(800));
  EXPECT_LT(shortest, milliseconds(820));
  EXPECT_LE(longest, milliseconds(1200));
  EXPECT_GT(longest, milliseconds(1180));
}

TEST(StandardBreaker, TheLongestDurationsSaturate) {
  StandardBreakerOptions options = SmallStandard();
  options.wait = options.wait_cap = hours(24);
  options.wait_multiplier = 10;
  options.permit_lease = hours(24);
  Driver driver(Options(options));
  driver.now = kInfiniteFuture - hours(1);
  ASSERT_TRUE(driver.CallsUntil(BreakerState::kOpen, Unavailable()));
  EXPECT_FALSE(driver.Acquire().admitted);
  EXPECT_GT(driver.Snapshot().retry_after, Duration::zero());
}

}  // namespace
}  // namespace recloser
