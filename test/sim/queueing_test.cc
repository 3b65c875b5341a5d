// The simulated server against queueing theory.
#include <gtest/gtest.h>

#include <cmath>

#include "scenarios.h"

namespace recloser::sim {
namespace {

/// Probability that an arrival waits in M/M/c (Erlang's C formula); `load` in workers.
double ErlangC(int workers, double load) {
  double term = 1;
  double sum = 1;
  for (int k = 1; k < workers; ++k) sum += term *= load / k;
  const double waiting = term * load / workers * workers / (workers - load);
  return waiting / (sum + waiting);
}

/// The mean of what lasts in the system, by Little's law: mean number at the service / rate.
struct Measured {
  double good = 0;
  double p50_s = 0;
  double p99_s = 0;
};

Measured Measure(const Scenario& scenario) {
  const Figures figures = Simulated(scenario, "none").figures;
  return {figures.goodput(), figures.p50_s, figures.p99_s};
}

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

TEST(Queueing, WithoutAQueueAnAnswerTakesAServiceTime) {
  const Measured m = Measure(Queue(100, 1000, milliseconds(20), 0.5));
  EXPECT_NEAR(m.p50_s, 0.020 * std::exp(-0.125), 0.0006);
  EXPECT_NEAR(m.p99_s, 0.020 * std::exp(-0.125 + 0.5 * 2.326), 0.003);
}

// M/D/1 at 80 % load waits rho / (2 mu (1 - rho)) = 2 service times on average; its median is known to be a little below the mean.
TEST(Queueing, OneWorkerWithConstantTimesQueuesAsTheorySays) {
  const Measured m = Measure(Queue(80, 1, milliseconds(10), 0));
  EXPECT_GT(m.p50_s, 0.018);
  EXPECT_LT(m.p50_s, 0.030);
  // The tail falls as exp(-0.4642 t / s) with s = 10 ms: P(wait > t) = 0.01 near t = 9.6 s.
  EXPECT_NEAR(m.p99_s, 0.106, 0.012);
}

// With a queue limit of 0 the share of refused calls is Erlang's B formula, whatever the distribution of the service times.
TEST(Queueing, RefusesAsErlangsBFormulaSays) {
  Scenario scenario = Queue(800, 16, milliseconds(20), 0.5);
  scenario.services[0].queue_limit = 0;
  const double c = ErlangC(16, 15.999999);
  EXPECT_NEAR(c, 1, 1e-3);  // the formula itself, at the edge
  double inverse_b = 1;
  for (int k = 1; k <= 16; ++k) inverse_b = 1 + k / 16.0 * inverse_b;
  EXPECT_NEAR(1 - Measure(scenario).good, 1 / inverse_b, 0.004);
}

TEST(Queueing, ServesNoMoreThanItsCapacity) {
  Scenario scenario = Queue(1600, 16, milliseconds(20), 0.5);
  scenario.length = seconds(40);
  scenario.calls.attempt_timeout = seconds(2);
  scenario.services[0].queue_limit = 100;
  // 800 of 1600 calls per second; those that are served wait for 100 others at most.
  const Measured m = Measure(scenario);
  EXPECT_NEAR(m.good, 0.5, 0.01);
}

}  // namespace
}  // namespace recloser::sim
