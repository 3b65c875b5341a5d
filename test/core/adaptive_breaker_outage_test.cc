// The adaptive breaker's behaviour as a whole: outages from end to end, and what must not open it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "outage_simulation.h"

namespace recloser {
namespace {

constexpr int kSeeds = 101;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Outage {
  double to_open;   // median, from the fault's begin
  double blocking;  // median, from the fault's end to the last rejection
  double attempts;  // median, of those sent into the fault after the opening
};

/// 20 s of `fault` after 10 s of health, then 10 s of health.
Outage Measure(double rate, const std::function<Answer()>& fault) {
  std::vector<double> to_open;
  std::vector<double> blocking;
  std::vector<double> attempts;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    // The fault's end meets any phase of the probes.
    const double fault_end = 30 + Random(seed + 1000).Uniform(0, 5);
    Simulation simulation(BreakerOptions(), rate, seed);
    const Service service = [&](Duration t, Random* random) {
      const double s = ToSeconds(t);
      return s >= 10 && s < fault_end ? fault() : HealthyAnswer(random);
    };
    const Observed observed = simulation.Run(seconds(45), service);
    EXPECT_EQ(simulation.breaker().state(), BreakerState::kClosed) << seed;
    const BreakerSnapshot snapshot = simulation.breaker().Snapshot(simulation.now());
    EXPECT_EQ(snapshot.invariant_violations, 0u);
    to_open.push_back(ToSeconds(observed.transitions.at(0).at - Time(hours(1))) - 10);
    blocking.push_back(std::max(0.0, ToSeconds(observed.last_rejection) - fault_end));
    double probes = 0;
    for (const std::uint64_t count : snapshot.probes) probes += static_cast<double>(count);
    attempts.push_back(probes);
  }
  return {Median(to_open), Median(blocking), Median(attempts)};
}

TEST(AdaptiveBreakerOutage, ACrashIsSeenWithinADozenCallsAndForgottenWithinAFractionOfASecond) {
  const Outage outage = Measure(480, Refused);
  EXPECT_LE(outage.to_open, 0.1);
  EXPECT_LE(outage.blocking, 0.4);
  EXPECT_LE(outage.attempts, 120);
}

TEST(AdaptiveBreakerOutage, ABlackholeIsSeenAtTheSlowDurationAndForgottenWithinAFractionOfASecond) {
  const Outage outage = Measure(480, Swallowed);
  EXPECT_LE(outage.to_open, 0.6);
  EXPECT_LE(outage.blocking, 0.4);
  EXPECT_LE(outage.attempts, 120);
}

TEST(AdaptiveBreakerOutage, WithLittleLoadItRecoversToo) {
  for (const double rate : {2.0, 20.0}) {
    const Outage outage = Measure(rate, Refused);
    // The evidence limit is 5 failures at 2 calls/s, 10 at 20.
    EXPECT_LE(outage.to_open, 12 / rate) << rate;
    EXPECT_LE(outage.blocking, 2.5) << rate;
  }
}

Service WithErrors(double share) {
  return [share](Duration, Random* random) {
    return random->Uniform() < share ? Answer{milliseconds(5), Unavailable()} : HealthyAnswer(random);
  };
}

TEST(AdaptiveBreakerOutage, OnePercentErrorsNeverOpenItInAMillionCalls) {
  Simulation simulation(BreakerOptions(), 480, 1);
  const Observed observed = simulation.Run(FromSeconds(1e6 / 480), WithErrors(0.01));
  EXPECT_NEAR(static_cast<double>(observed.calls), 1e6, 5e3);
  EXPECT_EQ(observed.rejected, 0);
  EXPECT_TRUE(observed.transitions.empty());
}

TEST(AdaptiveBreakerOutage, FivePercentErrorsOfAQuietLinkOpenItAtMostOnceInAMillionCalls) {
  Simulation simulation(BreakerOptions(), 2, 1);
  const Observed observed = simulation.Run(FromSeconds(1e6 / 2), WithErrors(0.05));
  const auto openings = std::count_if(observed.transitions.begin(), observed.transitions.end(),
                                      [](const BreakerTransition& t) { return t.reason == TransitionReason::kRating; });
  EXPECT_LE(openings, 1);
}

// The prototype this breaker descends from changed its state 67 times per 1000 such calls.
TEST(AdaptiveBreakerOutage, AServiceThatFailsHalfOfItsCallsDoesNotMakeItFlap) {
  for (const double rate : {20.0, 480.0}) {
    Simulation simulation(BreakerOptions(), rate, 1);
    simulation.Run(seconds(10), WithErrors(0));
    const Observed observed = simulation.Run(FromSeconds(20000 / rate), WithErrors(0.5));
    EXPECT_LE(static_cast<double>(observed.transitions.size()) / static_cast<double>(observed.calls), 0.03) << rate;
  }
}

TEST(AdaptiveBreakerOutage, ASlowRecoveryOfCapacityEndsClosedAfterFewTransitions) {
  // One queue; its capacity grows from 5 % to 100 % within 20 s after the outage. Attempts end at a deadline of 1 s.
  constexpr double kRate = 480;
  double idle_at = 0;
  const Service service = [&](Duration t, Random* random) {
    const double s = ToSeconds(t);
    if (s < 10) return HealthyAnswer(random);
    if (s < 20) return Refused();
    const double capacity = kRate * 1.6 * std::min(1.0, 0.05 + 0.95 * (s - 20) / 20);
    idle_at = std::max(idle_at, s) + 1 / capacity;
    if (idle_at - s > 1) return Swallowed();
    Answer answer = HealthyAnswer(random);
    answer.latency += FromSeconds(idle_at - s);
    return answer;
  };
  Simulation simulation(BreakerOptions(), kRate, 5);
  const Observed observed = simulation.Run(seconds(60), service);
  EXPECT_EQ(simulation.breaker().state(), BreakerState::kClosed);
  EXPECT_LE(observed.transitions.size(), 30u);
  EXPECT_LE(observed.last_rejection, seconds(36));
}

}  // namespace
}  // namespace recloser
