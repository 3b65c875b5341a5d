// Runs many simulations on all processors: seeds x scenarios x arms x patterns.
//
//   Plan plan;
//   plan.scenarios = ShippedScenarios();
//   plan.arms = DefaultArms();
//   std::vector<RunRecord> records = RunAll({plan}, [](const Progress& p) { Show(p); return !interrupted; });
//
// Thread safety: RunAll may be called from any thread; it starts threads of its own and joins them.
#ifndef RECLOSER_SIM_RUNNER_H_
#define RECLOSER_SIM_RUNNER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "recloser/core/time.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/scenario.h"
#include "recloser/sim/simulate.h"

namespace recloser::sim {

struct Plan {
  std::vector<Scenario> scenarios;
  std::vector<Arm> arms;
  std::vector<Pattern> patterns = {Pattern::kScenario};
  /// The seeds are first_seed, first_seed + 1, ...; the same for all arms.
  std::uint64_t first_seed = 1;
  int seeds = 1;
  /// Each seed plays its own variation (`Varied`) of the scenarios.
  bool varied = false;
  Duration series_step = Duration::zero();
};

struct RunRecord {
  std::string scenario;
  std::string arm;
  Pattern pattern = Pattern::kScenario;
  std::uint64_t seed = 0;
  RunResult result;
};

struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// The runs that were finished, seed by seed, in the plans' order whatever the number of threads. `progress` is called a few times per
/// second by the calling thread; when it returns false the runs under way are given up. It may be empty. `threads` 0: as many as there are
/// processors.
std::vector<RunRecord> RunAll(const std::vector<Plan>& plans, const std::function<bool(const Progress&)>& progress, int threads = 0);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_RUNNER_H_
