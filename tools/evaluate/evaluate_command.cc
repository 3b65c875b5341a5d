#include "evaluate/evaluate_command.h"

#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluate/best_standard.h"
#include "evaluate/evaluator.h"
#include "evaluate/progress.h"
#include "evaluate/reconnects.h"
#include "evaluate/roles.h"
#include "lookup.h"
#include "output_file.h"
#include "progress_line.h"
#include "simulate_command.h"

namespace recloser::tools {
namespace {

constexpr int kExitFailed = 1;
constexpr char kBestStandard[] = "standard-best";

struct Flags {
  std::vector<std::string> scenarios = {"S1", "S2", "S3", "S5", "S6-fast", "S6-slow", "S8", "S9", "S9-nobudget"};
  std::vector<std::string> arms = {"none", kBestStandard, "standard-defaults", "threshold", "adaptive"};
  std::vector<std::string> patterns = {"breaker", "breaker+retry", "breaker+timeout", "all"};
  EvaluateOptions options;
  double warm_up_s = 10;
  double seconds = 0;
  bool check = false;
  std::string json;
};

int BadFlag(const absl::Status& status) {
  std::fprintf(stderr, "recloser: %s\n", std::string(status.message()).c_str());
  return kExitBadFlags;
}

absl::Status FillArms(const Flags& flags, const std::vector<sim::Scenario>& scenarios, const demo::Interrupt& interrupt,
                      std::vector<sim::Arm>* arms) {
  for (const std::string& name : flags.arms) {
    std::vector<sim::Arm> found = FindArms(name);
    if (name == kBestStandard) {
      ProgressLine line;
      const std::optional<sim::Arm> best = BestStandard(scenarios, [&](const sim::Progress& progress) {
        line.Show(progress);
        return !interrupt.requested();
      });
      if (!best.has_value()) return absl::CancelledError("interrupted");
      std::printf("%s of the grid of 20, by J(3) in simulations of these scenarios: %s\n", kBestStandard, best->name.c_str());
      found = {*best};
    }
    if (found.empty())
      return absl::NotFoundError(absl::StrCat("--arm ", name, ": there is none of that name (simulate --list shows them)"));
    arms->insert(arms->end(), found.begin(), found.end());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<sim::Scenario>> ScaledScenarios(const Flags& flags) {
  std::vector<sim::Scenario> scenarios;
  for (const std::string& name : flags.scenarios) {
    Setting setting = flags.options.setting;
    setting.scenario = name;
    absl::StatusOr<sim::Scenario> scenario = MakeScaled(setting);
    if (!scenario.ok()) return scenario.status();
    scenarios.push_back(*std::move(scenario));
  }
  return scenarios;
}

void PrintSummary(const sim::Evaluation& evaluation) {
  int agreeing = 0;
  std::string others;
  for (const sim::AgreementRecord& record : evaluation.agreements) {
    if (record.agreement.agrees()) {
      ++agreeing;
    } else {
      absl::StrAppend(&others, record.agreement.judged ? "disagrees: " : "not judged: ", record.scenario, ", ",
                      sim::PatternName(record.pattern), "\n");
    }
  }
  std::printf(
      "\n%d of %zu agree: each arm's goodput within %g points or its runs' scatter, and every clear pair in the simulated order\n%s",
      agreeing, evaluation.agreements.size(), sim::kGoodputTolerancePoints, others.c_str());
}

int Evaluate(Flags flags) {
  static demo::Interrupt interrupt;
  interrupt.CatchSignals();
  flags.options.setting.warm_up = FromSeconds(flags.warm_up_s);
  if (flags.seconds > 0) flags.options.setting.longest = FromSeconds(flags.seconds);
  const absl::StatusOr<std::vector<sim::Scenario>> scenarios = ScaledScenarios(flags);
  if (!scenarios.ok()) return BadFlag(scenarios.status());
  for (const std::string& name : flags.patterns) flags.options.patterns.push_back(FindPattern(name));
  OutputFile json("--json", flags.json);
  if (!json.Open()) return kExitBadFlags;
  if (absl::Status status = FillArms(flags, *scenarios, interrupt, &flags.options.arms); !status.ok()) {
    return absl::IsCancelled(status) ? kExitFailed : BadFlag(status);
  }

  const Duration estimate = Estimate(flags.options, *scenarios);
  std::printf("live runs: about %.0f min; %d at a time; scale %g; gRPC reconnects every %d ms; faults drawn by seed %llu%s\n",
              ToSeconds(estimate) / 60, flags.options.parallel, flags.options.setting.scale, kReconnectBackoffMs,
              static_cast<unsigned long long>(flags.options.setting.seed), flags.options.runs > 1 ? " and the following ones" : "");
  std::fflush(stdout);
  EvaluationProgress progress(estimate);
  Evaluator evaluator(flags.options, std::filesystem::read_symlink("/proc/self/exe").string(), interrupt, &progress);
  absl::Status status;
  for (const std::string& name : flags.scenarios) {
    std::string text;
    status = evaluator.Play(name, &text);
    progress.Clear();
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    if (!status.ok()) break;
  }
  PrintSummary(evaluator.evaluation());
  const bool json_lost = json.wanted() && !json.Write(EvaluationToJson(evaluator.evaluation()));
  if (!status.ok()) {
    std::fprintf(stderr, "recloser: %s\n", std::string(status.message()).c_str());
    return kExitFailed;
  }
  return json_lost || (flags.check && !evaluator.all_agree()) ? kExitFailed : 0;
}

void AddSettingFlags(CLI::App* command, Setting* setting) {
  command->add_option("--scale", setting->scale, "Share of the scenario's workers, rates and queue limits")
      ->check(CLI::Range(0.01, 10.0))
      ->capture_default_str();
}

/// The hidden subcommands.
void AddRoles(CLI::App* app, int* exit_code) {
  CLI::App* const server = app->add_subcommand("evaluate-server")->group("");
  server->callback([exit_code] { *exit_code = RunServer(); });
  const auto flags = std::make_shared<ClientFlags>();
  const auto warm_up_ns = std::make_shared<std::int64_t>(0);
  const auto longest_ns = std::make_shared<std::int64_t>(0);
  CLI::App* const client = app->add_subcommand("evaluate-client")->group("");
  AddSettingFlags(client, &flags->setting);
  client->add_option("--scenario", flags->setting.scenario)->required();
  client->add_option("--warm-up-ns", *warm_up_ns)->required();
  client->add_option("--longest-ns", *longest_ns)->required();
  client->add_option("--seed", flags->setting.seed)->required();
  client->add_option("--arm", flags->arm)->required();
  client->add_option("--pattern", flags->pattern)->required();
  client->add_option("--target", flags->target)->required();
  client->add_option("--trace", flags->trace)->required();
  client->callback([=] {
    flags->setting.warm_up = Duration(*warm_up_ns);
    flags->setting.longest = Duration(*longest_ns);
    *exit_code = RunClient(*flags);
  });
}

}  // namespace

void AddEvaluateCommand(CLI::App* app, int* exit_code) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      app->add_subcommand("evaluate", "Play scenarios with real processes over loopback gRPC and compare with the simulator");
  command->add_option("--scenario", flags->scenarios, "A shipped scenario's id or a file, of one service and one client; may be repeated")
      ->capture_default_str();
  command->add_option("--arm", flags->arms, "As in simulate, or standard-best; may be repeated")->capture_default_str();
  command->add_option("--pattern", flags->patterns, "Patterns that are combined; may be repeated")
      ->check(CLI::IsMember(PatternNames()))
      ->capture_default_str();
  command->add_option("--runs,--seeds", flags->options.runs, "Live runs of each scenario, arm and pattern, with a seed each")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--first-seed", flags->options.setting.seed, "Of the first run's fault times; simulated with the same")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  AddSettingFlags(command, &flags->options.setting);
  command->add_option("--seconds", flags->seconds, "Cut scenarios that are longer, live and simulated. 0: none")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  command->add_option("--warm-up", flags->warm_up_s, "Seconds before a scenario, live and simulated")
      ->check(CLI::Range(1.0, 3600.0))
      ->capture_default_str();
  command
      ->add_option("--parallel", flags->options.parallel, "Live runs at the same time; the arms of a pattern and seed always run together")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--replicas", flags->options.replicas, "Simulated runs of each live one")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command->add_option("--json", flags->json, "Write every run's figures to this file");
  command->add_flag("--check", flags->check, "Exit 1 when live and simulated runs disagree, or can't be compared");
  command->callback([flags, exit_code] { *exit_code = Evaluate(*flags); });
  AddRoles(app, exit_code);
}

}  // namespace recloser::tools
