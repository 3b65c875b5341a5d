#include "evaluate/comparison.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "run_figures.h"

namespace recloser::tools {
namespace {

using sim::Figures;
using Get = double (*)(const Figures&);

/// The runs of an arm that are shown: of the seeds with a live run, or when there is none all simulated ones. They belong to the ArmRuns.
struct Shown {
  std::string arm;
  RunFigures live;
  RunFigures simulated;
};

Shown ShownOf(const sim::ArmRuns& runs) {
  Shown shown;
  shown.arm = runs.arm;
  for (const sim::SeedRuns& seed : runs.seeds) {
    if (seed.live.has_value()) shown.live.push_back(&*seed.live);
  }
  for (const sim::SeedRuns& seed : runs.seeds) {
    if (!seed.live.has_value() && !shown.live.empty()) continue;
    for (const Figures& figures : seed.simulated) shown.simulated.push_back(&figures);
  }
  return shown;
}

/// Live and simulated side by side; without a live run that can be used: "-".
std::string Pair(const Shown& runs, Get get, int width, int digits) {
  const std::string live = runs.live.empty() ? "-" : absl::StrFormat("%.*f", digits, Mean(runs.live, get));
  return absl::StrFormat(" %*s %*.*f", width, live, width, digits, Mean(runs.simulated, get));
}

std::string MedianPair(const Shown& runs, std::optional<double> Figures::*member) {
  return absl::StrFormat(" %6s %6s", Median(runs.live, member), Median(runs.simulated, member));
}

double Goodput(const Figures& f) { return 100 * f.goodput(); }

/// Difference and limit of the goodput; "-" where nothing was judged.
std::string Difference(const std::string& arm, const sim::Agreement& agreement) {
  for (const sim::GoodputAgreement& goodput : agreement.goodput) {
    if (goodput.arm != arm) continue;
    return absl::StrFormat(" %+6.2f%c %4.1f", goodput.difference_points, goodput.agrees() ? ' ' : '!', goodput.limit_points());
  }
  return absl::StrFormat(" %6s  %4s", "-", "-");
}

std::string Costs(const Shown& runs, const sim::Agreement& agreement) {
  std::string row = absl::StrFormat("%-20.20s", runs.arm);
  absl::StrAppend(&row, Pair(runs, Goodput, 6, 2), Difference(runs.arm, agreement));
  absl::StrAppend(&row, Pair(
                            runs, [](const Figures& f) { return static_cast<double>(f.wasted); }, 6, 0));
  absl::StrAppend(&row, Pair(
                            runs, [](const Figures& f) { return f.good_rejected; }, 7, 1));
  absl::StrAppend(&row,
                  Pair(
                      runs, [](const Figures& f) { return f.Cost(3); }, 7, 0),
                  "\n");
  return row;
}

std::string Times(const Shown& runs) {
  std::string row = absl::StrFormat("%-20.20s", runs.arm);
  absl::StrAppend(&row, MedianPair(runs, &Figures::time_to_open_s), MedianPair(runs, &Figures::blocking_latency_s));
  absl::StrAppend(&row, Pair(
                            runs, [](const Figures& f) { return 1e3 * f.p50_s; }, 5, 1));
  absl::StrAppend(&row, Pair(
                            runs, [](const Figures& f) { return 1e3 * f.p99_s; }, 5, 0));
  absl::StrAppend(&row, Pair(
                            runs, [](const Figures& f) { return f.amplification(); }, 5, 2));
  absl::StrAppend(&row,
                  Pair(
                      runs, [](const Figures& f) { return static_cast<double>(f.transitions); }, 5, 1),
                  "\n");
  return row;
}

std::string Order(const char* figure, const sim::OrderAgreement& order) {
  std::string text = absl::StrCat("order by ", figure, ": ", order.clear, " clear pairs");
  if (order.clear == 0) return text;
  if (order.reversed.empty()) return absl::StrCat(text, ", as simulated");
  return absl::StrCat(text, ", REVERSED: ", absl::StrJoin(order.reversed, ", "));
}

}  // namespace

std::vector<sim::ArmRuns> RunsOf(sim::Pattern pattern, const std::vector<sim::Arm>& arms, const std::vector<LiveResult>& live,
                                 const std::vector<sim::SimulatedRecord>& simulated) {
  std::vector<sim::ArmRuns> all;
  for (const sim::Arm& arm : arms) {
    std::map<std::uint64_t, sim::SeedRuns> seeds;
    for (const sim::SimulatedRecord& record : simulated) {
      if (record.run.arm != arm.name || record.run.pattern != pattern) continue;
      seeds[record.fault_seed].simulated.push_back(record.run.result.figures);
    }
    for (const LiveResult& result : live) {
      if (result.spec.arm != arm.name || result.spec.pattern != pattern || !result.invalid.empty()) continue;
      seeds[result.spec.setting.seed].live = result.figures;
    }
    sim::ArmRuns runs;
    runs.arm = arm.name;
    for (auto& [seed, seed_runs] : seeds) runs.seeds.push_back(std::move(seed_runs));
    all.push_back(std::move(runs));
  }
  return all;
}

std::string ComparisonTables(const sim::Scenario& scenario, sim::Pattern pattern, const std::vector<sim::ArmRuns>& runs,
                             const sim::Agreement& agreement) {
  std::vector<Shown> arms;
  for (const sim::ArmRuns& arm : runs) arms.push_back(ShownOf(arm));
  std::string text = absl::StrFormat("\n%s, %s: %s; %g calls/s, %d workers\n", scenario.id, sim::PatternName(pattern), scenario.title,
                                     scenario.load.rate, scenario.services.front().workers);
  absl::StrAppendFormat(&text, "%-20s %26s %13s %15s %15s\n", "", "goodput %", "wasted", "good rejected", "J(3)");
  absl::StrAppendFormat(&text, "%-20s %6s %6s %6s %5s %6s %6s %7s %7s %7s %7s\n", "arm", "live", "sim", "diff", "limit", "live", "sim",
                        "live", "sim", "live", "sim");
  for (const Shown& arm : arms) absl::StrAppend(&text, Costs(arm, agreement));
  absl::StrAppendFormat(&text, "%-20s %13s %13s %11s %11s %11s %11s\n", "", "open s", "blocked s", "p50 ms", "p99 ms", "amplificat.",
                        "transitions");
  absl::StrAppendFormat(&text, "%-20s", "arm");
  for (const int width : {6, 6, 5, 5, 5, 5}) absl::StrAppendFormat(&text, " %*s %*s", width, "live", width, "sim");
  absl::StrAppend(&text, "\n");
  for (const Shown& arm : arms) absl::StrAppend(&text, Times(arm));
  return text;
}

std::string Verdict(const sim::Agreement& agreement) {
  if (!agreement.judged) return "NOT JUDGED: an arm has no run that can be used\n";
  const sim::GoodputAgreement& worst = agreement.worst();
  return absl::StrFormat("%s: goodput %+.2f of at most %.1f points (%s); %s;\n        %s\n", agreement.agrees() ? "agrees" : "DISAGREES",
                         worst.difference_points, worst.limit_points(), worst.arm, Order("goodput", agreement.by_goodput),
                         Order("J(3)", agreement.by_cost));
}

std::string MachineLines(const MachineUse& use, const std::vector<LiveResult>& live) {
  double p99 = 0;
  double max = 0;
  for (const LiveResult& result : live) {
    if (!result.invalid.empty()) continue;
    for (const demo::v1::ProcessEnd* end : {&result.client, &result.server}) {
      p99 = std::max(p99, end->lag_p99_ms());
      max = std::max(max, end->lag_max_ms());
    }
  }
  std::string text = absl::StrFormat(
      "machine: the runs used %.2f of %d processors; their processes ran late by %.1f ms (99 %%), %.0f ms at most; %d runs repeated\n",
      use.processors, static_cast<int>(std::thread::hardware_concurrency()), p99, max, use.repeated);
  for (const LiveResult& result : live) {
    if (result.invalid.empty()) continue;
    absl::StrAppend(&text, "not used: ", result.spec.arm, ", ", sim::PatternName(result.spec.pattern), ", seed ", result.spec.setting.seed,
                    ": ", result.invalid, "\n");
  }
  return text;
}

}  // namespace recloser::tools
