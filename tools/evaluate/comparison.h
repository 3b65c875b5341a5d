// One scenario with one pattern: every arm live and simulated, as tables for a terminal.
//
// Thread safety: pure.
#ifndef RECLOSER_TOOLS_EVALUATE_COMPARISON_H_
#define RECLOSER_TOOLS_EVALUATE_COMPARISON_H_

#include <string>
#include <vector>

#include "evaluate/live_run.h"
#include "recloser/sim/agreement.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/evaluation.h"
#include "recloser/sim/scenario.h"

namespace recloser::tools {

/// What is printed about the machine: of the runs of one scenario.
struct MachineUse {
  double processors = 0;  // used by the runs' processes on average
  int repeated = 0;
};

/// The arms' runs of `pattern`, in the order of `arms`, by the seeds of the simulated runs; live runs that are invalid are left out.
std::vector<sim::ArmRuns> RunsOf(sim::Pattern pattern, const std::vector<sim::Arm>& arms, const std::vector<LiveResult>& live,
                                 const std::vector<sim::SimulatedRecord>& simulated);

/// Two tables, at most 100 columns wide: means over the runs of the seeds that can be used; times to open and blocking latencies: medians.
std::string ComparisonTables(const sim::Scenario& scenario, sim::Pattern pattern, const std::vector<sim::ArmRuns>& runs,
                             const sim::Agreement& agreement);

/// In one or two lines.
std::string Verdict(const sim::Agreement& agreement);

/// The use of the machine, and a line for each run that was not used.
std::string MachineLines(const MachineUse& use, const std::vector<LiveResult>& live);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_COMPARISON_H_
