// Runs a scenario in virtual time with the product's own policies.
//
//   RunResult result = Simulate(scenario, *FindArm("adaptive"), {}, 42);
//   std::cout << result.figures.goodput();
//
// Equal arguments give equal results, bit for bit, whatever the compiler and its options. Thread safety: pure; runs share nothing.
#ifndef RECLOSER_SIM_SIMULATE_H_
#define RECLOSER_SIM_SIMULATE_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "recloser/core/time.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/figures.h"
#include "recloser/sim/scenario.h"

namespace recloser::sim {

struct RunOptions {
  Pattern pattern = Pattern::kScenario;
  /// Step of the time series. Zero: none is kept. Default: zero.
  Duration series_step = Duration::zero();
  /// Asked now and then; true ends the run. May be empty.
  std::function<bool()> stop;
};

struct RunResult {
  Figures figures;
  Series series;
  std::uint64_t trace_hash = 0;
};

/// `scenario` and `arm` must be valid. Nothing when `options.stop` ended it.
std::optional<RunResult> Simulate(const Scenario& scenario, const Arm& arm, const RunOptions& options, std::uint64_t seed);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SIMULATE_H_
