// Each kind of fault, end to end, without a breaker.
#include <gtest/gtest.h>

#include "scenarios.h"

namespace recloser::sim {
namespace {

// Three of ten seconds at 480 calls per second.
constexpr double kHit = 1440;
constexpr double kTolerance = 5 * 38;  // five standard deviations

TEST(Faults, WithoutAnyEverythingIsGood) {
  const Figures f = Simulated(Base(), "none").figures;
  EXPECT_EQ(f.good, f.calls);
  EXPECT_EQ(f.attempts, f.calls);
  EXPECT_EQ(f.wasted, 0);
  EXPECT_EQ(f.rejected, 0);
  EXPECT_NEAR(static_cast<double>(f.calls), 4800, 350);
  EXPECT_FALSE(f.time_to_open_s.has_value());
  EXPECT_FALSE(f.blocking_latency_s.has_value());
}

TEST(Faults, RefusedFailsAtOnceAndCutsWhatIsInFlight) {
  const Figures f = Simulated(BaseWith(Plain(Fault::Kind::kRefused)), "none").figures;
  EXPECT_NEAR(static_cast<double>(f.wasted), kHit, kTolerance);
  EXPECT_EQ(f.calls - f.good, f.wasted);
  EXPECT_LT(f.p99_s, 0.2);

  // A service that takes 2 s per call: what began up to 2 s before the crash is cut too.
  Scenario slow = BaseWith(Plain(Fault::Kind::kRefused));
  slow.services[0].service_time = seconds(2);
  slow.services[0].sigma = 0;
  slow.services[0].workers = 10'000;
  slow.calls.attempt_timeout = slow.calls.slo = seconds(5);
  EXPECT_NEAR(static_cast<double>(Simulated(slow, "none").figures.wasted), kHit * 5 / 3, 2 * kTolerance);
}

TEST(Faults, BlackholeEndsAttemptsAtTheirDeadlines) {
  const Figures f = Simulated(BaseWith(Plain(Fault::Kind::kBlackhole)), "none").figures;
  EXPECT_NEAR(static_cast<double>(f.wasted), kHit, kTolerance);
  EXPECT_NEAR(f.p99_s, 1, 0.04);
}

TEST(Faults, SlowMissesTheSloWithoutAnError) {
  Fault slow = Plain(Fault::Kind::kSlow);
  slow.slow_factor = 30;  // 0.6 s on average
  Scenario scenario = BaseWith(slow);
  scenario.services[0].sigma = 0;
  scenario.services[0].workers = 1000;
  const Figures f = Simulated(scenario, "none").figures;
  EXPECT_NEAR(static_cast<double>(f.wasted), kHit, kTolerance);
  EXPECT_NEAR(f.p99_s, 0.6, 0.02);
}

TEST(Faults, ErrorsFailTheirShare) {
  Fault errors = Plain(Fault::Kind::kErrors);
  errors.error_share = 0.5;
  const Figures f = Simulated(BaseWith(errors), "none").figures;
  EXPECT_NEAR(static_cast<double>(f.wasted), kHit / 2, kTolerance);
}

TEST(Faults, ErrorsAtASmallShareAreNobodysWaste) {
  Scenario noisy = Base();
  noisy.services[0].background_errors = 0.05;
  const Figures f = Simulated(noisy, "none").figures;
  EXPECT_EQ(f.wasted, 0);
  EXPECT_NEAR(static_cast<double>(f.calls - f.good), 240, 80);
  noisy.services[0].background_errors = 0.06;
  const Figures more = Simulated(noisy, "none").figures;
  EXPECT_EQ(more.wasted, more.calls - more.good);
}

TEST(Faults, CapacityLimitsWhatIsServed) {
  for (const bool workers : {false, true}) {
    Fault squeeze = Plain(Fault::Kind::kCapacity);
    squeeze.capacity_start = squeeze.capacity_end = 0.25;  // 200 calls per second
    squeeze.capacity_scales_workers = workers;
    Scenario scenario = BaseWith(squeeze);
    scenario.services[0].queue_limit = 0;
    // 200 of 480 calls per second can be served; without a queue a little less is.
    const Figures f = Simulated(scenario, "none").figures;
    EXPECT_GT(static_cast<double>(f.wasted), 3 * 280 - kTolerance) << workers;
    EXPECT_LT(static_cast<double>(f.wasted), 3 * 330 + kTolerance) << workers;
  }
}

TEST(Faults, DelayHoldsNoWorker) {
  Fault delay = Plain(Fault::Kind::kDelay);
  delay.delay = milliseconds(300);
  const Figures f = Simulated(BaseWith(delay), "none").figures;
  EXPECT_EQ(f.good, f.calls);
  EXPECT_NEAR(f.p99_s, 0.36, 0.03);
}

TEST(Faults, FlappingIsDownInTurns) {
  Fault flapping = Plain(Fault::Kind::kFlapping);
  flapping.down = milliseconds(500);
  flapping.up = milliseconds(500);
  flapping.cycles = 6;
  flapping.jitter = 0;
  for (const bool blackhole : {false, true}) {
    flapping.down_is_blackhole = blackhole;
    EXPECT_NEAR(static_cast<double>(Simulated(BaseWith(flapping), "none").figures.wasted), kHit, kTolerance) << blackhole;
  }
}

// 480 calls per second more than can be served for three seconds: a backlog of 1440, which capacity works off at 160 per second, unless
// those whose callers are gone leave it.
TEST(Faults, AServerThatFinishesAbandonedWorkRecoversLate) {
  Fault squeeze = Plain(Fault::Kind::kCapacity);
  squeeze.capacity_start = squeeze.capacity_end = 0.2;
  Scenario scenario = BaseWith(squeeze);
  scenario.length = seconds(30);
  scenario.load.rate = 640;
  scenario.services[0].queue_limit = 100'000;
  EXPECT_NEAR(*Simulated(scenario, "none").figures.recovery_s, (1440 - 0.5 * 800) / 160, 3);
  scenario.services[0].finishes_abandoned = false;
  EXPECT_NEAR(*Simulated(scenario, "none").figures.recovery_s, (0.5 * 640) / 160, 1.5);
}

// Retries without a budget keep a service down for good after the cause is gone.
TEST(Faults, RetriesWithoutABudgetMakeAnOverloadMetastable) {
  Fault squeeze = Plain(Fault::Kind::kCapacity);
  squeeze.capacity_start = squeeze.capacity_end = 0.2;
  Scenario scenario = BaseWith(squeeze);
  scenario.length = seconds(30);
  scenario.load.rate = 640;
  scenario.calls.attempts = 3;
  scenario.calls.retry_budget = false;
  scenario.services[0].queue_limit = 100'000;
  const Figures f = Simulated(scenario, "none").figures;
  EXPECT_FALSE(f.recovery_s.has_value());
  EXPECT_GT(f.amplification(), 2);
  EXPECT_LT(*Simulated(scenario, "adaptive").figures.recovery_s, 1);
}

TEST(Faults, AFullQueueAnswersAsTheScenarioSays) {
  Scenario scenario = Base();
  scenario.load.rate = 2000;
  scenario.calls.attempts = 2;
  scenario.calls.retry_budget = false;
  scenario.services[0].queue_limit = 0;
  const Figures exhausted = Simulated(scenario, "none").figures;
  EXPECT_EQ(exhausted.attempts, exhausted.calls);  // RESOURCE_EXHAUSTED is not retried
  scenario.services[0].when_full = absl::StatusCode::kUnavailable;
  EXPECT_GT(Simulated(scenario, "none").figures.amplification(), 1.4);
}

}  // namespace
}  // namespace recloser::sim
