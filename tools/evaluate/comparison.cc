#include "evaluate/comparison.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace recloser::tools {
namespace {

using sim::Figures;
using Get = double (*)(const Figures&);

double Mean(const std::vector<Figures>& runs, Get get) {
  double sum = 0;
  for (const Figures& run : runs) sum += get(run);
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

/// " -" when most runs have none.
std::string Median(const std::vector<Figures>& runs, std::optional<double> Figures::*member) {
  std::vector<double> values;
  for (const Figures& run : runs) {
    if (run.*member) values.push_back(*(run.*member));
  }
  if (values.empty() || 2 * values.size() < runs.size()) return "-";
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return absl::StrFormat("%.3f", *middle);
}

/// Live and simulated side by side; without a live run that can be used: "-".
std::string Pair(const sim::ArmRuns& runs, Get get, int width, int digits) {
  const std::string live = runs.live.empty() ? "-" : absl::StrFormat("%.*f", digits, Mean(runs.live, get));
  return absl::StrFormat(" %*s %*.*f", width, live, width, digits, Mean(runs.simulated, get));
}

std::string MedianPair(const sim::ArmRuns& runs, std::optional<double> Figures::*member) {
  return absl::StrFormat(" %6s %6s", Median(runs.live, member), Median(runs.simulated, member));
}

double Goodput(const Figures& f) { return 100 * f.goodput(); }

std::string Costs(const sim::ArmRuns& runs) {
  std::string row = absl::StrFormat("%-20.20s", runs.arm);
  absl::StrAppend(&row, Pair(runs, Goodput, 6, 2));
  absl::StrAppendFormat(&row, " %6s",
                        runs.live.empty() ? "-" : absl::StrFormat("%+.2f", Mean(runs.live, Goodput) - Mean(runs.simulated, Goodput)));
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

std::string Times(const sim::ArmRuns& runs) {
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
                                 const std::vector<sim::RunRecord>& simulated) {
  std::vector<sim::ArmRuns> all;
  for (const sim::Arm& arm : arms) {
    sim::ArmRuns runs;
    runs.arm = arm.name;
    for (const LiveResult& result : live) {
      const bool is_its = result.spec.arm == arm.name && result.spec.pattern == pattern;
      if (is_its && result.invalid.empty()) runs.live.push_back(result.figures);
    }
    for (const sim::RunRecord& record : simulated) {
      if (record.arm == arm.name && record.pattern == pattern) runs.simulated.push_back(record.result.figures);
    }
    all.push_back(std::move(runs));
  }
  return all;
}

std::string ComparisonTables(const sim::Scenario& scenario, sim::Pattern pattern, const std::vector<sim::ArmRuns>& runs) {
  const sim::Service& service = scenario.services.front();
  std::string text = absl::StrFormat("\n%s, %s: %s; %g calls/s, %d workers\n", scenario.id, sim::PatternName(pattern), scenario.title,
                                     scenario.load.rate, service.workers);
  absl::StrAppendFormat(&text, "%-20s %20s %13s %15s %15s\n", "", "goodput %", "wasted", "good rejected", "J(3)");
  absl::StrAppendFormat(&text, "%-20s %6s %6s %6s %6s %6s %7s %7s %7s %7s\n", "arm", "live", "sim", "diff", "live", "sim", "live", "sim",
                        "live", "sim");
  for (const sim::ArmRuns& arm : runs) absl::StrAppend(&text, Costs(arm));
  absl::StrAppendFormat(&text, "%-20s %13s %13s %11s %11s %11s %11s\n", "", "open s", "blocked s", "p50 ms", "p99 ms", "amplificat.",
                        "transitions");
  absl::StrAppendFormat(&text, "%-20s", "arm");
  for (const int width : {6, 6, 5, 5, 5, 5}) absl::StrAppendFormat(&text, " %*s %*s", width, "live", width, "sim");
  absl::StrAppend(&text, "\n");
  for (const sim::ArmRuns& arm : runs) absl::StrAppend(&text, Times(arm));
  return text;
}

std::string Verdict(const sim::Agreement& agreement) {
  if (!agreement.judged) return "NOT JUDGED: an arm has no run that can be used\n";
  return absl::StrFormat("%s: goodput %+.2f points at most (%s); %s;\n        %s\n", agreement.agrees() ? "agrees" : "DISAGREES",
                         agreement.goodput_difference_points, agreement.goodput_arm, Order("goodput", agreement.by_goodput),
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
