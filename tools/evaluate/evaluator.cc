#include "evaluate/evaluator.h"

#include <algorithm>
#include <utility>

#include "evaluate/live_runs.h"
#include "recloser/sim/agreement.h"
#include "recloser/sim/runner.h"

namespace recloser::tools {
namespace {

// Starting and ending processes.
constexpr Duration kAround = std::chrono::seconds(3);

/// Patterns that run at the same time: as many as fit, at least one.
std::size_t PatternsTogether(const EvaluateOptions& options) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(options.parallel) / options.arms.size());
}

Duration Expected(const sim::Scenario& scenario) { return scenario.warm_up + scenario.length + kAround; }

sim::LiveRecord RecordOf(const sim::Scenario& scenario, const LiveResult& result) {
  sim::LiveRecord record;
  record.run.scenario = scenario.id;
  record.run.arm = result.spec.arm;
  record.run.pattern = result.spec.pattern;
  record.run.seed = result.spec.setting.seed;
  record.run.result.figures = result.figures;
  record.lag_p99_ms = std::max(result.client.lag_p99_ms(), result.server.lag_p99_ms());
  record.lag_max_ms = std::max(result.client.lag_max_ms(), result.server.lag_max_ms());
  record.cpu_seconds = result.cpu_seconds;
  record.invalid = result.invalid;
  return record;
}

}  // namespace

Duration Estimate(const EvaluateOptions& options, const std::vector<sim::Scenario>& scenarios) {
  const std::size_t together = PatternsTogether(options);
  const auto groups = static_cast<int>((options.patterns.size() + together - 1) / together);
  Duration sum = Duration::zero();
  for (const sim::Scenario& scenario : scenarios) sum += groups * options.runs * Expected(scenario);
  return sum;
}

Evaluator::Evaluator(EvaluateOptions options, std::string program, const demo::Interrupt& interrupt, EvaluationProgress* progress)
    : options_(std::move(options)), program_(std::move(program)), interrupt_(interrupt), progress_(progress) {}

absl::Status Evaluator::Play(const std::string& name, std::string* text) {
  Setting setting = options_.setting;
  setting.scenario = name;
  const absl::StatusOr<sim::Scenario> scenario = MakeReady(setting);
  if (!scenario.ok()) return scenario.status();
  std::vector<LiveResult> live;
  std::vector<sim::RunRecord> simulated;
  MachineUse use;
  cpu_seconds_ = wall_seconds_ = 0;
  for (int run = 0; run < options_.runs; ++run, ++setting.seed) {
    if (absl::Status status = SimulateSeed(setting, &simulated); !status.ok()) return status;
    if (absl::Status status = PlaySeed(setting, &live, &use); !status.ok()) return status;
  }
  use.processors = wall_seconds_ > 0 ? cpu_seconds_ / wall_seconds_ : 0;
  for (const sim::Pattern pattern : options_.patterns) {
    const std::vector<sim::ArmRuns> runs = RunsOf(pattern, options_.arms, live, simulated);
    const sim::Agreement agreement = Compare(runs);
    *text += ComparisonTables(*scenario, pattern, runs) + Verdict(agreement);
    evaluation_.agreements.push_back({scenario->id, pattern, agreement});
  }
  *text += MachineLines(use, live);
  Keep(*scenario, live, simulated);
  return absl::OkStatus();
}

bool Evaluator::all_agree() const {
  return std::all_of(evaluation_.agreements.begin(), evaluation_.agreements.end(),
                     [](const sim::AgreementRecord& record) { return record.agreement.agrees(); });
}

absl::Status Evaluator::SimulateSeed(const Setting& setting, std::vector<sim::RunRecord>* simulated) {
  absl::StatusOr<sim::Scenario> scenario = MakeReady(setting);
  if (!scenario.ok()) return scenario.status();
  sim::Plan plan;
  plan.scenarios = {*std::move(scenario)};
  plan.arms = options_.arms;
  plan.patterns = options_.patterns;
  plan.seeds = options_.replicas;
  std::vector<sim::RunRecord> records = sim::RunAll({plan}, [this](const sim::Progress&) { return !interrupt_.requested(); });
  if (interrupt_.requested()) return absl::CancelledError("interrupted");
  simulated->insert(simulated->end(), std::make_move_iterator(records.begin()), std::make_move_iterator(records.end()));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<LiveResult>> Evaluator::Together(const std::vector<LiveSpec>& specs, Duration length) {
  progress_->BeginGroup(specs.front(), static_cast<int>(specs.size()), length);
  absl::StatusOr<std::vector<LiveResult>> results =
      RunTogether(specs, program_, interrupt_, [this](Duration since) { progress_->Show(since); });
  if (!results.ok()) return results;
  progress_->EndGroup();
  for (const LiveResult& result : *results) cpu_seconds_ += result.cpu_seconds;
  wall_seconds_ += ToSeconds(length);
  return results;
}

absl::Status Evaluator::PlaySeed(const Setting& setting, std::vector<LiveResult>* live, MachineUse* use) {
  const Duration length = Expected(*MakeReady(setting));
  const std::size_t together = PatternsTogether(options_);
  for (std::size_t first = 0; first < options_.patterns.size(); first += together) {
    std::vector<LiveSpec> specs;
    for (std::size_t i = first; i < std::min(first + together, options_.patterns.size()); ++i) {
      for (const sim::Arm& arm : options_.arms) specs.push_back({setting, arm.name, options_.patterns[i]});
    }
    absl::StatusOr<std::vector<LiveResult>> results = Together(specs, length);
    if (!results.ok()) return results.status();
    std::vector<LiveSpec> again;
    for (const LiveResult& result : *results) {
      if (!result.invalid.empty()) again.push_back(result.spec);
    }
    if (!again.empty()) {
      const absl::StatusOr<std::vector<LiveResult>> repeated = Together(again, length);
      if (!repeated.ok()) return repeated.status();
      auto next = repeated->begin();
      for (LiveResult& result : *results) {
        if (!result.invalid.empty()) result = *next++;
      }
      use->repeated += static_cast<int>(again.size());
    }
    live->insert(live->end(), results->begin(), results->end());
  }
  return absl::OkStatus();
}

void Evaluator::Keep(const sim::Scenario& scenario, const std::vector<LiveResult>& live, const std::vector<sim::RunRecord>& simulated) {
  for (const LiveResult& result : live) evaluation_.live.push_back(RecordOf(scenario, result));
  evaluation_.simulated.insert(evaluation_.simulated.end(), simulated.begin(), simulated.end());
}

}  // namespace recloser::tools
