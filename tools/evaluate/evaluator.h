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
  std::vector<std::string> scenarios;
  std::vector<sim::Arm> arms;
  std::vector<sim::Pattern> patterns;
  Setting setting;  // but for the scenario; its seed is the first one
  int runs = 1;
  /// Live runs at the same time; all arms of a pattern always run together.
  int parallel = 10;
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
  /// All arms and patterns with one seed.
  absl::Status PlaySeed(const Setting& setting, std::vector<LiveResult>* live, MachineUse* use);
  absl::StatusOr<std::vector<LiveResult>> Together(const std::vector<LiveSpec>& specs, Duration length);
  absl::Status SimulateSeed(const Setting& setting, std::vector<sim::RunRecord>* simulated);
  void Keep(const sim::Scenario& scenario, const std::vector<LiveResult>& live, const std::vector<sim::RunRecord>& simulated);

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
