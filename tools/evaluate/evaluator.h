// Plays scenarios live and in the simulator, and compares.
#ifndef RECLOSER_TOOLS_EVALUATE_EVALUATOR_H_
#define RECLOSER_TOOLS_EVALUATE_EVALUATOR_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "demo_services/common/interrupt.h"
#include "evaluate/comparison.h"
#include "evaluate/live_run.h"
#include "evaluate/progress.h"
#include "evaluate/setting.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/evaluation.h"

namespace recloser::tools {

struct EvaluateOptions {
  std::vector<sim::Arm> arms;
  std::vector<sim::Pattern> patterns;
  Setting setting;  // but for the scenario; its seed is the first one
  /// Live runs of each scenario, arm and pattern, with a seed each.
  int runs = 2;
  /// Live runs at the same time; all arms of a pattern and seed always run together.
  int parallel = 40;
  /// Simulated runs of each live one.
  int replicas = 20;
};

/// How long the live runs take if none is repeated.
Duration Estimate(const EvaluateOptions& options, const std::vector<sim::Scenario>& scenarios);

/// Thread safety: none.
class Evaluator {
 public:
  /// `program`: this one, which is started for the live runs.
  Evaluator(EvaluateOptions options, std::string program, const demo::Interrupt& interrupt, EvaluationProgress* progress);

  /// The next scenario; what it prints is in `text`. CANCELLED when it was interrupted.
  absl::Status Play(const std::string& scenario, std::string* text);

  const sim::Evaluation& evaluation() const { return evaluation_; }
  /// Every scenario and pattern so far was judged and agrees.
  bool all_agree() const;

 private:
  /// All runs of a scenario, of that length each; those that were too late once more.
  absl::StatusOr<std::vector<LiveResult>> PlayLive(const Setting& setting, Duration length, MachineUse* use);
  absl::StatusOr<std::vector<LiveResult>> Together(const std::vector<LiveSpec>& specs, Duration length);
  /// One seed of the fault times.
  absl::Status Simulate(const Setting& setting, std::vector<sim::SimulatedRecord>* simulated);
  void Keep(const sim::Scenario& scenario, const std::vector<LiveResult>& live, std::vector<sim::SimulatedRecord> simulated);

  const EvaluateOptions options_;
  const std::string program_;
  const demo::Interrupt& interrupt_;
  EvaluationProgress* const progress_;
  sim::Evaluation evaluation_;
  double cpu_seconds_ = 0;  // of the scenario's live runs, and their time
  double wall_seconds_ = 0;
};

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_EVALUATOR_H_
