// The simulated server against queueing theory.
#include <gtest/gtest.h>

#include <cmath>

#include "scenarios.h"

namespace recloser::sim {
namespace {

Scenario Queue(double rate, int workers, Duration service_time, double sigma) {
  Scenario scenario = Base(seconds(400));
  scenario.load.rate = rate;
  scenario.calls.round_trip = Duration::zero();
  scenario.calls.attempt_timeout = scenario.calls.deadline = seconds(60);
  scenario.services[0].workers = workers;
  scenario.services[0].service_time = service_time;
  scenario.services[0].sigma = sigma;
  return scenario;
}

Figures Measure(const Scenario& scenario) { return Simulated(scenario, "none").figures; }

TEST(Queueing, WithoutAQueueAnAnswerTakesAServiceTime) {
  const Figures m = Measure(Queue(100, 1000, milliseconds(20), 0.5));
  EXPECT_NEAR(m.p50_s, 0.020 * std::exp(-0.125), 0.0006);
  EXPECT_NEAR(m.p99_s, 0.020 * std::exp(-0.125 + 0.5 * 2.326), 0.003);
}

// Poisson arrivals see the time average: the share that waits for one worker is its utilisation.
TEST(Queueing, TheShareThatWaitsForOneWorkerIsItsUtilisation) {
  for (const double utilisation : {0.3, 0.8}) {
    Scenario scenario = Queue(100 * utilisation, 1, milliseconds(10), 0);
    scenario.calls.slo = milliseconds(10);  // to be missed by whoever waits at all
    EXPECT_NEAR(1 - Measure(scenario).goodput(), utilisation, 0.02);
  }
}

// M/D/1 at 80 %: the tail of the waiting time falls as exp(-0.4642 t) in service times (the root of its Lundberg equation), which puts the
// 99th percentile of the whole near 10.6 of them; the mean is 3 (Pollaczek-Khinchine), and the median below it.
TEST(Queueing, OneWorkerWithConstantTimesQueuesAsTheorySays) {
  const Figures m = Measure(Queue(80, 1, milliseconds(10), 0));
  EXPECT_GT(m.p50_s, 0.018);
  EXPECT_LT(m.p50_s, 0.030);
  EXPECT_NEAR(m.p99_s, 0.106, 0.012);
}

// With a queue limit of 0 the share of refused calls is Erlang's B formula, whatever the distribution of the service times.
TEST(Queueing, RefusesAsErlangsBFormulaSays) {
  Scenario scenario = Queue(800, 16, milliseconds(20), 0.5);
  scenario.services[0].queue_limit = 0;
  double inverse_b = 1;
  for (int k = 1; k <= 16; ++k) inverse_b = 1 + k / 16.0 * inverse_b;
  EXPECT_NEAR(1 - Measure(scenario).goodput(), 1 / inverse_b, 0.004);
}

TEST(Queueing, ServesNoMoreThanItsCapacity) {
  Scenario scenario = Queue(1600, 16, milliseconds(20), 0.5);
  scenario.length = seconds(40);
  scenario.calls.attempt_timeout = seconds(2);
  scenario.services[0].queue_limit = 100;
  // 800 of 1600 calls per second; those that are served wait for 100 others at most.
  EXPECT_NEAR(Measure(scenario).goodput(), 0.5, 0.01);
}

}  // namespace
}  // namespace recloser::sim
