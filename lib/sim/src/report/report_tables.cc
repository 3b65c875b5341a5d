#include "report/report_tables.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "report/figure.h"
#include "report/text.h"

namespace recloser::sim::report {
namespace {

std::string Cell(absl::string_view text, absl::string_view look = "") {
  return absl::StrCat("<td class=\"", look, "\">", Escape(text), "</td>");
}

std::string Head(const std::vector<std::string>& columns) {
  std::string html = "<tr>";
  for (const std::string& column : columns) absl::StrAppend(&html, "<th>", Escape(column), "</th>");
  return html + "</tr>\n";
}

std::string Table(const std::vector<std::string>& columns, absl::string_view rows) {
  return absl::StrCat("<div class=\"wide-table\"><table>\n", Head(columns), rows, "</table></div>\n");
}

std::string WithInterval(const Interval& value) {
  return absl::StrCat(Number(value.value), " [", Number(value.low), ", ", Number(value.high), "]");
}

std::string RatioCell(const EntryRatio& ratio) {
  return absl::StrCat("<td class=\"", RatioLook(ratio.ratio.value), "\">", Escape(WithInterval(ratio.ratio)), "<small>",
                      Escape(ratio.best_arm), "</small></td>");
}

std::string AgainstWide(const std::string& entry, double rho, const Runs& runs) {
  const std::optional<double> ratio = WideGridRatio(entry, rho, runs);
  return ratio.has_value() ? Number(*ratio) : "-";
}

std::string MedianOf(const SeedFigures& seeds, std::optional<double> Figures::*member) {
  const std::optional<double> median = Median(Present(seeds, member));
  return median.has_value() ? Number(*median) : "-";
}

}  // namespace

std::string RatiosTable(const std::vector<EntryRatio>& ratios, const Runs& runs) {
  std::vector<double> rhos;
  std::vector<std::string> entries;
  std::map<std::pair<std::string, double>, const EntryRatio*> table;
  for (const EntryRatio& ratio : ratios) {
    if (std::find(rhos.begin(), rhos.end(), ratio.rho) == rhos.end()) rhos.push_back(ratio.rho);
    if (std::find(entries.begin(), entries.end(), ratio.entry) == entries.end()) entries.push_back(ratio.entry);
    table[{ratio.entry, ratio.rho}] = &ratio;
  }
  if (entries.empty()) return "";
  const bool wide = runs.Best(entries.front(), 1, IsWideStandard).has_value();
  std::vector<std::string> columns = {"entry"};
  for (const double rho : rhos) columns.push_back(absl::StrCat("rho ", rho, ": ratio [95 %], the best standard"));
  for (const double rho : rhos) {
    if (wide) columns.push_back(absl::StrCat("rho ", rho, ", wide grid: ratio"));
  }
  std::string rows;
  for (const std::string& entry : entries) {
    absl::StrAppend(&rows, "<tr><th><a href=\"#", Escape(entry), "\">", Escape(entry), "</a></th>");
    for (const double rho : rhos) {
      const auto found = table.find({entry, rho});
      absl::StrAppend(&rows, found == table.end() ? Cell("-") : RatioCell(*found->second));
    }
    for (const double rho : rhos) {
      if (wide) absl::StrAppend(&rows, Cell(AgainstWide(entry, rho, runs)));
    }
    absl::StrAppend(&rows, "</tr>\n");
  }
  return Table(columns, rows);
}

std::string BarsTable(const BarReport& report) {
  std::string rows;
  for (const Bar& bar : report.bars) {
    const char* const verdict = !bar.judged ? "only reported" : bar.met() ? "met" : "missed";
    const char* const look = !bar.judged ? "" : bar.met() ? "better" : "worse";
    absl::StrAppend(&rows, "<tr><th>", Escape(bar.name), "</th>", Cell(WithInterval(bar.value)), Cell(Number(bar.limit)),
                    Cell(verdict, look), "</tr>\n");
  }
  std::string html = Table({"bar", "value [95 %]", "limit", "verdict"}, rows);
  for (const std::string& missing : report.missing) absl::StrAppend(&html, "<p>Not judged: ", Escape(missing), "</p>\n");
  return html;
}

std::string ElsewhereTable(const std::vector<Elsewhere>& elsewhere) {
  std::vector<std::string> columns = {"scenarios"};
  std::string rows;
  for (const auto& [title, report] : elsewhere) {
    absl::StrAppend(&rows, "<tr><th>", Escape(title), "</th>");
    for (const Bar& bar : GeometricMeans(report)) {
      if (&elsewhere.front().report == &report) columns.push_back(bar.name);
      absl::StrAppend(&rows, Cell(WithInterval(bar.value)));
    }
    absl::StrAppend(&rows, "</tr>\n");
  }
  return Table(columns, rows);
}

std::string FiguresTable(const std::string& scenario, const Runs& runs) {
  std::string rows;
  for (const std::string& arm : runs.Arms(scenario)) {
    if (IsWideStandard(arm)) continue;
    const SeedFigures& s = runs.Find(scenario, arm);
    absl::StrAppend(&rows, "<tr><th>", Escape(arm), "</th>", Cell(Number(100 * Mean(s, [](const Figures& f) { return f.goodput(); }))),
                    Cell(Number(MeanWasted(s))), Cell(Number(MeanGoodRejected(s))), Cell(MedianOf(s, &Figures::time_to_open_s)),
                    Cell(MedianOf(s, &Figures::blocking_latency_s)), Cell(MedianOf(s, &Figures::recovery_s)));
    absl::StrAppend(&rows, Cell(Number(Mean(s, [](const Figures& f) { return 1e3 * f.p50_s; }))),
                    Cell(Number(Mean(s, [](const Figures& f) { return 1e3 * f.p99_s; }))),
                    Cell(Number(Mean(s, [](const Figures& f) { return f.amplification(); }))),
                    Cell(Number(Mean(s, [](const Figures& f) { return f.amplification_worst; }))),
                    Cell(Number(Mean(s, [](const Figures& f) { return static_cast<double>(f.transitions); }))));
    for (const double rho : kRhos) absl::StrAppend(&rows, Cell(Number(MeanCost(s, rho))));
    absl::StrAppend(&rows, "</tr>\n");
  }
  return Table({"arm", "goodput, %", "wasted", "good rejected", "to open, s", "blocking, s", "recovery, s", "p50, ms", "p99, ms",
                "attempts per call", "worst 0.5 s", "transitions", "J(1)", "J(3)", "J(10)", "J(30)"},
               rows);
}

}  // namespace recloser::sim::report
