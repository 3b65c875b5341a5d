// The load client's parts: arrivals, latencies, counts, arms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>
#include <vector>

#include "demo_services/common/histogram.h"
#include "demo_services/common/interrupt.h"
#include "demo_services/load_client/arms.h"
#include "demo_services/load_client/arrivals.h"
#include "demo_services/load_client/recorder.h"

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

SteadyTime At(Duration since) { return SteadyTime(seconds(1000) + since); }

CallEnd Ended(int code, Duration latency, bool rejected = false) {
  CallEnd end;
  end.arrival = At(Duration::zero());
  end.end = At(latency);
  end.code = code;
  end.rejected = rejected;
  return end;
}

TEST(InterruptDeathTest, TheFirstCtrlCIsARequestAndTheSecondEndsTheProcess) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static Interrupt interrupt;
        interrupt.CatchSignals();
        kill(getpid(), SIGINT);
        const auto long_enough = std::chrono::steady_clock::now() + seconds(60);
        if (!interrupt.WaitUntil(long_enough)) _exit(1);
        kill(getpid(), SIGINT);  // at the same time: still the first
        std::this_thread::sleep_for(milliseconds(400));
        std::fputs("still here\n", stderr);
        kill(getpid(), SIGINT);
        std::this_thread::sleep_until(long_enough);
        _exit(1);
      },
      ::testing::ExitedWithCode(kExitInterrupted), "still here");
}

TEST(PoissonArrivals, AreTheSameForTheSameSeedAndOthersForAnother) {
  PoissonArrivals a(100, 7);
  PoissonArrivals b(100, 7);
  PoissonArrivals other(100, 8);
  bool differs = false;
  for (int i = 0; i < 1000; ++i) {
    const Duration at = a.Next();
    EXPECT_EQ(at, b.Next());
    differs = differs || at != other.Next();
  }
  EXPECT_TRUE(differs);
}

TEST(PoissonArrivals, KeepTheRateAndTheSpreadOfAPoissonProcess) {
  constexpr int kCalls = 100000;
  PoissonArrivals arrivals(50, 1);
  Duration last = Duration::zero();
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kCalls; ++i) {
    const Duration at = arrivals.Next();
    ASSERT_GE(at, last);
    const double gap = ToSeconds(at - last);
    sum += gap;
    squares += gap * gap;
    last = at;
  }
  const double mean = sum / kCalls;
  EXPECT_NEAR(mean, 0.02, 0.0003);
  // An exponential gap's standard deviation is its mean; a metronome's would be 0.
  EXPECT_NEAR(std::sqrt(squares / kCalls - mean * mean), 0.02, 0.0005);
}

TEST(LatencyHistogram, AnswersEveryQuantileToOnePercent) {
  Random random(3);
  LatencyHistogram histogram;
  std::vector<Duration> exact;
  for (int i = 0; i < 20000; ++i) {
    const Duration latency = FromSeconds(std::exp(random.Uniform(-11, 3)));  // 17 us to 20 s
    histogram.Add(latency);
    exact.push_back(latency);
  }
  std::sort(exact.begin(), exact.end());
  for (const double quantile : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double expected = ToSeconds(exact[static_cast<std::size_t>(std::ceil(quantile * 20000)) - 1]);
    EXPECT_NEAR(ToSeconds(histogram.Quantile(quantile)), expected, 0.01 * expected + 1e-6) << quantile;
  }
  EXPECT_EQ(histogram.max(), exact.back());
}

TEST(LatencyHistogram, BearsNothingAndExtremes) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.Quantile(0.5), Duration::zero());
  histogram.Add(Duration(-5));
  histogram.Add(std::chrono::hours(10));
  EXPECT_EQ(histogram.Quantile(0.5), Duration::zero());
  EXPECT_NEAR(ToSeconds(histogram.Quantile(1)), 3600, 36);
  EXPECT_EQ(histogram.count(), 2u);
}

TEST(Recorder, CountsAnOkAsGoodUpToTheSloAndNotBeyond) {
  Recorder recorder(milliseconds(500), false);
  for (int i = 0; i < 3; ++i) recorder.OnSent();
  recorder.OnEnded(Ended(0, milliseconds(500)));
  recorder.OnEnded(Ended(0, milliseconds(500) + Duration(1)));
  recorder.OnEnded(Ended(14, milliseconds(1), true));
  recorder.OnNotSent(At(Duration::zero()));
  const LoadCounts counts = recorder.counts();
  EXPECT_EQ(counts.offered, 4u);
  EXPECT_EQ(counts.not_sent, 1u);
  EXPECT_EQ(counts.ok, 2u);
  EXPECT_EQ(counts.good, 1u);
  EXPECT_EQ(counts.rejected, 1u);
  EXPECT_EQ(counts.codes[14], 1u);
  EXPECT_EQ(counts.outstanding(), 0u);
  EXPECT_EQ(counts.outstanding_max, 3u);
}

TEST(Recorder, TracesOnlyWhenAsked) {
  for (const bool wanted : {false, true}) {
    Recorder recorder(milliseconds(500), wanted);
    recorder.OnSent();
    recorder.OnAttempt(At(milliseconds(1)));
    recorder.OnBackgroundFailure(At(milliseconds(2)));
    recorder.OnRejected(At(milliseconds(3)));
    recorder.OnBreakerChange(At(milliseconds(2)), "closed", "open");
    recorder.OnEnded(Ended(4, milliseconds(3)));
    recorder.OnNotSent(At(milliseconds(4)));
    const v1::LoadTrace trace = recorder.trace();
    EXPECT_EQ(trace.calls_size(), wanted ? 2 : 0);
    EXPECT_EQ(trace.attempt_starts_ns_size(), wanted ? 1 : 0);
    EXPECT_EQ(trace.changes_size(), wanted ? 1 : 0);
    EXPECT_EQ(trace.background_failures_ns_size(), wanted ? 1 : 0);
    EXPECT_EQ(trace.rejections_ns_size(), wanted ? 1 : 0);
    if (!wanted) continue;
    EXPECT_EQ(trace.calls(0).end_ns() - trace.calls(0).arrival_ns(), 3000000u);
    EXPECT_TRUE(trace.calls(0).sent());
    EXPECT_FALSE(trace.calls(1).sent());
    EXPECT_EQ(trace.rejections_ns(0) - trace.background_failures_ns(0), 1000000u);
  }
}

TEST(Arms, AllHaveValidPoliciesAndTheSameAttemptTimeout) {
  for (const Arm arm : kArms) {
    ArmOptions options;
    options.arm = arm;
    options.attempt_timeout = milliseconds(700);
    const Policies policies = PoliciesOf(options);
    EXPECT_TRUE(policies.Validate().ok()) << ArmName(arm) << ": " << policies.Validate();
    EXPECT_EQ(policies.defaults.attempt_timeout.value_or(milliseconds(700)), milliseconds(700)) << ArmName(arm);
    EXPECT_EQ(policies.defaults.attempt_timeout.has_value(), arm != Arm::kNone) << ArmName(arm);
    EXPECT_EQ(policies.defaults.breaker.mode == BreakerMode::kEnforce, HasBreaker(arm)) << ArmName(arm);
  }
}

TEST(Arms, NaiveRetriesThreeTimesAtOnceAndWithoutEnd) {
  ArmOptions options;
  options.arm = Arm::kNaiveRetry;
  const Policies policies = PoliciesOf(options);
  Random random(1);
  EXPECT_EQ(policies.defaults.retry.max_attempts, 3);
  EXPECT_EQ(BackoffDelay(policies.defaults.retry.backoff, 2, random), Duration::zero());
  EXPECT_FALSE(policies.retry_budget.enabled);
}

TEST(Arms, RecloserIsTheUntouchedDefault) {
  const Policies policies = PoliciesOf({});
  const Policies defaults = Policies::Defaults();
  EXPECT_EQ(policies.defaults.retry.max_attempts, defaults.defaults.retry.max_attempts);
  ASSERT_TRUE(std::holds_alternative<AdaptiveBreakerOptions>(policies.defaults.breaker.kind));
  EXPECT_EQ(std::get<AdaptiveBreakerOptions>(policies.defaults.breaker.kind).wasted_attempt_cost,
            std::get<AdaptiveBreakerOptions>(defaults.defaults.breaker.kind).wasted_attempt_cost);
  EXPECT_EQ(policies.retry_budget.max_tokens, defaults.retry_budget.max_tokens);
}

}  // namespace
}  // namespace recloser::demo
