// Scenarios made in code, for tests.
#ifndef RECLOSER_TEST_SIM_SCENARIOS_H_
#define RECLOSER_TEST_SIM_SCENARIOS_H_

#include <chrono>
#include <string>
#include <utility>

#include "recloser/sim/arms.h"
#include "recloser/sim/scenario.h"
#include "recloser/sim/simulate.h"

namespace recloser::sim {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// The base case: one client of 480 calls/s, one service of 16 workers and 20 ms; 2 s of warm-up.
inline Scenario Base(Duration length = seconds(10)) {
  Scenario scenario;
  scenario.id = "test";
  scenario.warm_up = seconds(2);
  scenario.length = length;
  scenario.services.emplace_back();
  scenario.services[0].name = "service";
  scenario.services[0].background_errors = 0;
  return scenario;
}

/// From 3 s to 6 s, without jitter.
inline Fault Plain(Fault::Kind kind) {
  Fault fault;
  fault.kind = kind;
  fault.at = seconds(3);
  fault.length = seconds(3);
  fault.end_jitter = Duration::zero();
  return fault;
}

inline Scenario BaseWith(Fault fault) {
  Scenario scenario = Base();
  scenario.services[0].faults.push_back(std::move(fault));
  return scenario;
}

inline RunResult Simulated(const Scenario& scenario, const std::string& arm, std::uint64_t seed = 1, const RunOptions& options = {}) {
  return *Simulate(scenario, *FindArm(arm), options, seed);
}

}  // namespace recloser::sim

#endif  // RECLOSER_TEST_SIM_SCENARIOS_H_
