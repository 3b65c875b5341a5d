#include "tables.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recloser/sim/arms.h"
#include "run_figures.h"

namespace recloser::tools {
namespace {

std::string Row(const std::string& arm, const RunFigures& s) {
  std::string row = absl::StrFormat("%-24.24s %6.2f%% %7.0f %8.1f", arm, 100 * Mean(s, [](const auto& f) { return f.goodput(); }),
                                    Mean(s, [](const auto& f) { return static_cast<double>(f.wasted); }),
                                    Mean(s, [](const auto& f) { return f.good_rejected; }));
  absl::StrAppendFormat(&row, " %7s %7s %6.0f %5.2f %5.2f", Median(s, &sim::Figures::time_to_open_s),
                        Median(s, &sim::Figures::blocking_latency_s), 1e3 * Mean(s, [](const auto& f) { return f.p99_s; }),
                        Mean(s, [](const auto& f) { return f.amplification(); }),
                        Mean(s, [](const auto& f) { return f.amplification_worst; }));
  absl::StrAppendFormat(&row, " %6.1f %8.0f\n", Mean(s, [](const auto& f) { return static_cast<double>(f.transitions); }),
                        Mean(s, [](const auto& f) { return f.Cost(3); }));
  return row;
}

std::string Number(const sim::Interval& value) { return absl::StrFormat("%.3f [%.3f, %.3f]", value.value, value.low, value.high); }

void AppendEntries(const sim::BarReport& report, std::string* text) {
  absl::StrAppendFormat(text, "\n%-14s %4s %10s %10s  %-20s %s\n", "entry", "rho", "J ours", "J best", "best standard", "ratio [95 %]");
  for (const sim::EntryRatio& entry : report.entries) {
    absl::StrAppendFormat(text, "%-14s %4g %10.1f %10.1f  %-20s %s\n", entry.entry, entry.rho, entry.ours, entry.best, entry.best_arm,
                          Number(entry.ratio));
  }
}

}  // namespace

std::string FigureTables(const std::vector<sim::RunRecord>& records) {
  std::vector<std::tuple<std::string, sim::Pattern>> order;
  std::map<std::tuple<std::string, sim::Pattern>, std::vector<std::pair<std::string, RunFigures>>> tables;
  std::int64_t violations = 0;
  for (const sim::RunRecord& record : records) {
    violations += record.result.figures.invariant_violations;
    const auto key = std::make_tuple(record.scenario, record.pattern);
    if (tables.count(key) == 0) order.push_back(key);
    auto& arms = tables[key];
    auto found = std::find_if(arms.begin(), arms.end(), [&](const auto& arm) { return arm.first == record.arm; });
    if (found == arms.end()) found = arms.insert(arms.end(), {record.arm, {}});
    found->second.push_back(&record.result.figures);
  }
  std::string text;
  for (const auto& key : order) {
    absl::StrAppendFormat(&text, "\n%s, %s\n%-24s %7s %7s %8s %7s %7s %6s %5s %5s %6s %8s\n", std::get<0>(key),
                          sim::PatternName(std::get<1>(key)), "arm", "goodput", "wasted", "good rej", "open s", "block s", "p99 ms", "ampl",
                          "worst", "trans", "J(3)");
    for (const auto& [arm, seeds] : tables[key]) text += Row(arm, seeds);
  }
  if (violations > 0) absl::StrAppendFormat(&text, "\n%d violations of invariants: this is a bug\n", violations);
  return text;
}

std::string BarTables(const sim::BarReport& report) {
  std::string text = absl::StrCat("\nBars over ", report.seeds, " seeds\n");
  AppendEntries(report, &text);
  absl::StrAppendFormat(&text, "\n%-54s %-24s %6s\n", "bar", "value [95 %]", "limit");
  for (const sim::Bar& bar : report.bars) {
    const char* const verdict = !bar.judged ? "" : bar.met() ? "met" : "MISSED";
    absl::StrAppendFormat(&text, "%-54s %-24s %6.2f %s\n", bar.name, Number(bar.value), bar.limit, verdict);
  }
  for (const std::string& missing : report.missing) absl::StrAppend(&text, "not judged: ", missing, "\n");
  return text;
}

std::string ElsewhereTables(const std::vector<sim::Elsewhere>& elsewhere) {
  std::string text;
  for (const auto& [title, report] : elsewhere) {
    absl::StrAppendFormat(&text, "\n%s, %d seeds: not judged\n", title, report.seeds);
    for (const sim::Bar& bar : sim::GeometricMeans(report)) absl::StrAppendFormat(&text, "%-54s %s\n", bar.name, Number(bar.value));
  }
  return text;
}

}  // namespace recloser::tools
