#include "recloser/sim/simulate.h"

#include "world.h"

namespace recloser::sim {

std::optional<RunResult> Simulate(const Scenario& scenario, const Arm& arm, const RunOptions& options, std::uint64_t seed) {
  World world(scenario, PoliciesOf(arm, options.pattern, scenario.calls), seed, options.series_step);
  if (!world.Run(options.stop)) return std::nullopt;
  RunResult result;
  result.figures = world.figures();
  result.series = world.series();
  result.trace_hash = world.trace_hash();
  return result;
}

}  // namespace recloser::sim
