// The simulator: calls per second of one processor.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <optional>

#include "recloser/sim/arms.h"
#include "recloser/sim/scenario.h"
#include "recloser/sim/simulate.h"

namespace recloser::sim {
namespace {

/// Without a warm-up, so that all calls are counted; in chains those of all hops.
void Simulation(benchmark::State& state, const char* scenario_id, const char* arm) {
  Scenario scenario = *FindShippedScenario(scenario_id);
  scenario.warm_up = Duration::zero();
  std::uint64_t seed = 0;
  std::int64_t calls = 0;
  for (auto _ : state) calls += Simulate(scenario, *FindArm(arm), {}, ++seed)->figures.all_calls;
  state.SetItemsProcessed(calls);
}
BENCHMARK_CAPTURE(Simulation, healthy_none, "S0-1", "none");
BENCHMARK_CAPTURE(Simulation, healthy_adaptive, "S0-1", "adaptive");
BENCHMARK_CAPTURE(Simulation, healthy_standard, "S0-1", "standard-c20-w1s");
BENCHMARK_CAPTURE(Simulation, retry_storm_adaptive, "S11", "adaptive");
BENCHMARK_CAPTURE(Simulation, fleet_adaptive, "S13-S1", "adaptive");
BENCHMARK_CAPTURE(Simulation, chain_adaptive, "S14-chain-S9", "adaptive");

}  // namespace
}  // namespace recloser::sim
