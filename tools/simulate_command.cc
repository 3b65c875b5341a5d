#include "simulate_command.h"

#include <CLI/Option.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lookup.h"
#include "output_file.h"
#include "progress_line.h"
#include "recloser/sim/bars.h"
#include "recloser/sim/report.h"
#include "recloser/sim/results.h"
#include "recloser/sim/runner.h"
#include "recloser/sim/variations.h"
#include "tables.h"

namespace recloser::tools {
namespace {

constexpr int kExitFailed = 1;  // a bar was missed, Ctrl-C, a file could not be written
constexpr int kHeldOutScenarios = 100;
// What is shown beside the bars: drawn once, when the defaults were settled, and not before.
constexpr std::uint64_t kHeldOutNumber = 20261130;
constexpr int kSeedsPerSeedElsewhere = 4;
constexpr Duration kSeriesStep = std::chrono::milliseconds(100);

volatile std::sig_atomic_t interrupted = 0;

struct Flags {
  std::vector<std::string> scenarios;
  std::vector<std::string> arms;
  std::vector<std::string> policies;
  std::vector<std::string> patterns;
  int seeds = 5;
  std::uint64_t first_seed = 1;
  int threads = 0;
  bool bars = false;
  bool wide = true;
  bool varied = false;
  std::uint64_t held_out = 0;
  bool series = false;
  bool list = false;
  std::string json;
  std::string report;
  std::string command_line;
};

absl::StatusOr<sim::Plan> MakePlan(const Flags& flags) {
  sim::Plan plan;
  plan.seeds = flags.seeds;
  plan.first_seed = flags.first_seed;
  plan.varied = flags.varied;
  if (flags.series) plan.series_step = kSeriesStep;
  for (const std::string& name : flags.scenarios) {
    absl::StatusOr<sim::Scenario> scenario = FindScenario(name);
    if (!scenario.ok()) return scenario.status();
    plan.scenarios.push_back(*std::move(scenario));
  }
  if (flags.scenarios.empty()) plan.scenarios = sim::ShippedScenarios();
  for (const std::string& name : flags.arms) {
    std::vector<sim::Arm> arms = FindArms(name);
    if (arms.empty()) return absl::NotFoundError(absl::StrCat("--arm ", name, ": there is none of that name (--list shows them)"));
    plan.arms.insert(plan.arms.end(), arms.begin(), arms.end());
  }
  if (flags.arms.empty()) plan.arms = sim::DefaultArms();
  for (const std::string& path : flags.policies) {
    absl::StatusOr<sim::Arm> arm = sim::PolicyFileArm(path);
    if (!arm.ok()) return arm.status();
    const auto has_name = [&](const sim::Arm& other) { return other.name == arm->name; };
    if (std::any_of(plan.arms.begin(), plan.arms.end(), has_name)) arm->name = path;
    plan.arms.push_back(*std::move(arm));
  }
  if (!flags.patterns.empty()) plan.patterns.clear();
  for (const std::string& name : flags.patterns) plan.patterns.push_back(FindPattern(name));
  return plan;
}

void PrintList() {
  std::puts("Scenarios:");
  for (const sim::Scenario& scenario : sim::ShippedScenarios()) std::printf("  %-14s %s\n", scenario.id.c_str(), scenario.title.c_str());
  std::puts("\nArms:");
  for (const sim::Arm& arm : sim::DefaultArms()) std::printf("  %-22s %s\n", arm.name.c_str(), arm.title.c_str());
  std::puts("  wide-*                 the standard breaker on the wide grid");
}

/// Ctrl-C ends the runs; what is there is printed.
std::vector<sim::RunRecord> Run(const std::vector<sim::Plan>& plans, int threads) {
  auto* const before = std::signal(SIGINT, [](int) { interrupted = 1; });
  ProgressLine line;
  std::vector<sim::RunRecord> records = sim::RunAll(
      plans,
      [&](const sim::Progress& progress) {
        line.Show(progress);
        return interrupted == 0;
      },
      threads);
  std::signal(SIGINT, before);
  return records;
}

/// Else the ratios alone.
bool JudgesAllBars(const Flags& flags) { return flags.bars && !flags.varied; }

sim::Plan RatioPlan(std::vector<sim::Scenario> scenarios, const Flags& flags, int seeds, bool varied) {
  sim::Plan plan = sim::RatioPlan(std::move(scenarios), flags.first_seed, seeds);
  plan.varied = varied;
  return plan;
}

sim::BarReport JudgeRatios(const sim::Plan& plan, const std::vector<sim::RunRecord>& records) {
  std::vector<std::string> entries;
  for (const sim::Scenario& scenario : plan.scenarios) entries.push_back(scenario.id);
  return sim::JudgeRatios(records, entries);
}

/// What --bars, --varied and --held-out run.
std::vector<sim::Plan> JudgedPlans(const Flags& flags) {
  if (JudgesAllBars(flags)) return sim::BarPlans(flags.first_seed, flags.seeds, flags.wide);
  std::vector<sim::Scenario> scenarios =
      flags.held_out > 0 ? sim::HeldOutScenarios(kHeldOutScenarios, flags.held_out) : sim::BarScenarios();
  return {RatioPlan(std::move(scenarios), flags, flags.seeds, flags.varied)};
}

/// What --bars shows beside the bars: does it hold where nothing was made for it?
std::vector<sim::Elsewhere> RunElsewhere(const Flags& flags) {
  const int seeds = std::max(1, flags.seeds / kSeedsPerSeedElsewhere);
  std::vector<sim::Elsewhere> elsewhere;
  const auto run = [&](std::string title, std::vector<sim::Scenario> scenarios, bool varied) {
    const sim::Plan plan = RatioPlan(std::move(scenarios), flags, seeds, varied);
    elsewhere.push_back({std::move(title), JudgeRatios(plan, Run({plan}, flags.threads))});
  };
  run("The entries, each run varied by up to 50 %", sim::BarScenarios(), true);
  if (interrupted == 0) {
    run(absl::StrCat(kHeldOutScenarios, " scenarios drawn at random (--held-out ", kHeldOutNumber, ")"),
        sim::HeldOutScenarios(kHeldOutScenarios, kHeldOutNumber), false);
  }
  return elsewhere;
}

std::string Report(const Flags& flags, const std::vector<sim::Plan>& plans, const std::vector<sim::RunRecord>& records,
                   std::optional<sim::BarReport> judged, std::vector<sim::Elsewhere> elsewhere) {
  sim::ReportInput input{{}, {}, {}, std::move(judged), std::move(elsewhere), flags.command_line};
  // The further seeds, which only ours ran with for the bars of latency, have nothing to be compared with.
  std::copy_if(records.begin(), records.end(), std::back_inserter(input.records),
               [&](const sim::RunRecord& record) { return record.seed < flags.first_seed + static_cast<std::uint64_t>(flags.seeds); });
  std::vector<sim::Plan> courses;
  for (const sim::Plan& plan : plans) {
    if (plan.first_seed != flags.first_seed) continue;
    input.scenarios.insert(input.scenarios.end(), plan.scenarios.begin(), plan.scenarios.end());
    for (sim::Plan& course : sim::CoursePlans(plan, input.records)) courses.push_back(std::move(course));
  }
  input.courses = Run(courses, flags.threads);
  return sim::ReportHtml(input);
}

int Simulate(const Flags& flags) {
  if (flags.list) {
    PrintList();
    return 0;
  }
  const bool judged = flags.bars || flags.held_out > 0;
  std::vector<sim::Plan> plans;
  if (judged) {
    plans = JudgedPlans(flags);
  } else {
    absl::StatusOr<sim::Plan> plan = MakePlan(flags);
    if (!plan.ok()) {
      std::fprintf(stderr, "recloser: %s\n", std::string(plan.status().message()).c_str());
      return kExitBadFlags;
    }
    plans.push_back(*std::move(plan));
  }
  OutputFile json("--json", flags.json);
  OutputFile report("--report", flags.report);
  if (!json.Open() || !report.Open()) return kExitBadFlags;
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(flags.first_seed),
              static_cast<unsigned long long>(flags.first_seed + static_cast<std::uint64_t>(flags.seeds) - 1));
  std::fflush(stdout);
  const std::vector<sim::RunRecord> records = Run(plans, flags.threads);
  const bool json_lost = json.wanted() && !json.Write(sim::ResultsToJson(records));
  bool missed = interrupted != 0;
  std::optional<sim::BarReport> bars;
  std::vector<sim::Elsewhere> elsewhere;
  if (judged) {
    bars = JudgesAllBars(flags) ? sim::JudgeBars(records) : JudgeRatios(plans.front(), records);
    std::fputs(BarTables(*bars).c_str(), stdout);
    missed = missed || !bars->all_met;
    if (JudgesAllBars(flags) && interrupted == 0) elsewhere = RunElsewhere(flags);
    std::fputs(ElsewhereTables(elsewhere).c_str(), stdout);
  } else {
    std::fputs(FigureTables(records).c_str(), stdout);
  }
  const bool report_lost = report.wanted() && !report.Write(Report(flags, plans, records, std::move(bars), std::move(elsewhere)));
  return missed || json_lost || report_lost ? kExitFailed : 0;
}

}  // namespace

void AddSimulateCommand(const std::string& command_line, CLI::App* app, int* exit_code) {
  const auto flags = std::make_shared<Flags>();
  flags->command_line = command_line;
  CLI::App* const command = app->add_subcommand("simulate", "Run scenarios in virtual time and compare the arms");
  CLI::Option* const scenario =
      command->add_option("--scenario", flags->scenarios, "A shipped scenario's id or a file; may be repeated. Default: all shipped ones");
  CLI::Option* const arm =
      command->add_option("--arm", flags->arms, "An arm, or the beginning of names and '*'; may be repeated. Default: all but wide-*");
  CLI::Option* const policy = command->add_option(
      "--policy", flags->policies, "A policy file, whose default entry is one more arm; may be repeated. Arms as without it");
  CLI::Option* const pattern =
      command->add_option("--pattern", flags->patterns, "Patterns that are combined; may be repeated. Default: scenario")
          ->check(CLI::IsMember(PatternNames()));
  command->add_option("--seeds", flags->seeds, "Runs of each scenario and arm")->check(CLI::Range(1, 100'000))->capture_default_str();
  command->add_option("--first-seed", flags->first_seed, "The first run's seed")->capture_default_str();
  command->add_option("--threads", flags->threads, "Processors to use; 0: all")->check(CLI::Range(0, 1024))->capture_default_str();
  command->add_option("--json", flags->json, "Write every run's figures to this file");
  command->add_option("--report", flags->report, "Write a page with pictures to this file (HTML, complete in itself)");
  command->add_flag("--series", flags->series, "With --json: each run's course in steps of 0.1 s too");
  command->add_flag("--list", flags->list, "Print the shipped scenarios and the arms");
  CLI::Option* const bars =
      command->add_flag("--bars", flags->bars, "Judge ours against the best standard configurations; exit 1 when a bar is missed");
  CLI::Option* const held_out =
      command->add_option("--held-out", flags->held_out, "The same on 100 scenarios drawn at random by this number")
          ->check(CLI::PositiveNumber)
          ->excludes(bars);
  for (CLI::Option* const choice : {scenario, arm, policy, pattern}) {
    bars->excludes(choice);
    held_out->excludes(choice);
  }
  command->add_flag("--varied", flags->varied, "Each seed changes rates, service times, fault lengths and jitters by up to 50 %");
  command->add_flag("--wide,!--no-wide", flags->wide,
                    "With --bars: run the wide grid too, which is most of the work. Default: yes, but not with --varied");
  command->callback([flags, exit_code] { *exit_code = Simulate(*flags); });
}

}  // namespace recloser::tools
