#include "evaluate/evaluator.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluate/live_runs.h"
#include "evaluate/reconnects.h"
#include "recloser/sim/agreement.h"
#include "recloser/sim/runner.h"

namespace recloser::tools {
namespace {

// Starting and ending processes.
constexpr Duration kAround = std::chrono::seconds(3);

/// A pattern and a seed are a block: all its arms run at the same time. So many blocks do, at least one.
std::size_t BlocksTogether(const EvaluateOptions& options) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(options.parallel) / options.arms.size());
}

/// In blocks.
std::vector<LiveSpec> AllSpecs(const EvaluateOptions& options, Setting setting) {
  std::vector<LiveSpec> specs;
  for (int run = 0; run < options.runs; ++run, ++setting.seed) {
    for (const sim::Pattern pattern : options.patterns) {
      for (const sim::Arm& arm : options.arms) specs.push_back({setting, arm.name, pattern});
    }
  }
  return specs;
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
  const std::size_t together = BlocksTogether(options);
  const std::size_t blocks = options.patterns.size() * static_cast<std::size_t>(options.runs);
  const auto groups = static_cast<int>((blocks + together - 1) / together);
  Duration sum = Duration::zero();
  for (const sim::Scenario& scenario : scenarios) sum += groups * Expected(scenario);
  return sum;
}

Evaluator::Evaluator(EvaluateOptions options, std::string program, const demo::Interrupt& interrupt, EvaluationProgress* progress)
    : options_(std::move(options)), program_(std::move(program)), interrupt_(interrupt), progress_(progress) {}

absl::Status Evaluator::Play(const std::string& name, std::string* text) {
  Setting setting = options_.setting;
  setting.scenario = name;
  const absl::StatusOr<sim::Scenario> scenario = MakeReady(setting);
  if (!scenario.ok()) return scenario.status();
  std::vector<sim::SimulatedRecord> simulated;
  for (int run = 0; run < options_.runs; ++run, ++setting.seed) {
    if (absl::Status status = Simulate(setting, &simulated); !status.ok()) return status;
  }
  setting.seed = options_.setting.seed;
  MachineUse use;
  const absl::StatusOr<std::vector<LiveResult>> live = PlayLive(setting, Expected(*scenario), &use);
  if (!live.ok()) return live.status();
  for (const sim::Pattern pattern : options_.patterns) {
    const std::vector<sim::ArmRuns> runs = RunsOf(pattern, options_.arms, *live, simulated);
    const sim::Agreement agreement = Compare(runs);
    absl::StrAppend(text, ComparisonTables(*scenario, pattern, runs, agreement), Verdict(agreement));
    evaluation_.agreements.push_back({scenario->id, pattern, agreement});
  }
  absl::StrAppend(text, MachineLines(use, *live));
  Keep(*scenario, *live, std::move(simulated));
  return absl::OkStatus();
}

bool Evaluator::all_agree() const {
  return std::all_of(evaluation_.agreements.begin(), evaluation_.agreements.end(),
                     [](const sim::AgreementRecord& record) { return record.agreement.agrees(); });
}

absl::Status Evaluator::Simulate(const Setting& setting, std::vector<sim::SimulatedRecord>* simulated) {
  const absl::StatusOr<sim::Scenario> scenario = MakeReady(setting);
  if (!scenario.ok()) return scenario.status();
  std::vector<sim::Plan> plans;
  for (int i = 1; i <= options_.replicas; ++i) {
    sim::Plan plan;
    plan.scenarios = {WithReconnects(*scenario, static_cast<std::uint64_t>(i))};
    plan.arms = options_.arms;
    plan.patterns = options_.patterns;
    plan.first_seed = static_cast<std::uint64_t>(i);
    plans.push_back(std::move(plan));
  }
  std::vector<sim::RunRecord> records = RunAll(plans, [this](const sim::Progress&) { return !interrupt_.requested(); });
  if (interrupt_.requested()) return absl::CancelledError("interrupted");
  for (sim::RunRecord& record : records) simulated->push_back({setting.seed, std::move(record)});
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

absl::StatusOr<std::vector<LiveResult>> Evaluator::PlayLive(const Setting& setting, Duration length, MachineUse* use) {
  cpu_seconds_ = wall_seconds_ = 0;
  const std::vector<LiveSpec> specs = AllSpecs(options_, setting);
  const std::size_t together = BlocksTogether(options_) * options_.arms.size();
  std::vector<LiveResult> all;
  for (std::size_t first = 0; first < specs.size(); first += together) {
    const auto begin = specs.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = specs.begin() + static_cast<std::ptrdiff_t>(std::min(first + together, specs.size()));
    absl::StatusOr<std::vector<LiveResult>> results = Together({begin, end}, length);
    if (!results.ok()) return results;
    std::vector<LiveSpec> late;
    for (const LiveResult& result : *results) {
      if (!result.invalid.empty()) late.push_back(result.spec);
    }
    if (!late.empty()) {
      const absl::StatusOr<std::vector<LiveResult>> repeated = Together(late, length);
      if (!repeated.ok()) return repeated;
      auto next = repeated->begin();
      for (LiveResult& result : *results) {
        if (!result.invalid.empty()) result = *next++;
      }
      use->repeated += static_cast<int>(late.size());
    }
    all.insert(all.end(), results->begin(), results->end());
  }
  use->processors = wall_seconds_ > 0 ? cpu_seconds_ / wall_seconds_ : 0;
  return all;
}

void Evaluator::Keep(const sim::Scenario& scenario, const std::vector<LiveResult>& live, std::vector<sim::SimulatedRecord> simulated) {
  for (const LiveResult& result : live) evaluation_.live.push_back(RecordOf(scenario, result));
  std::move(simulated.begin(), simulated.end(), std::back_inserter(evaluation_.simulated));
}

}  // namespace recloser::tools
