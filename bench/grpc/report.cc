#include "report.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "arms.h"

namespace recloser::bench {
namespace {

/// Three significant digits, and all before the point.
std::string Number(double value) {
  const double size = std::fabs(value);
  return absl::StrFormat("%.*f", size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3, value);
}

std::string Ratio(const std::vector<double>& ratios) {
  if (ratios.empty()) return "-";
  const Estimate estimate = EstimateMedian(ratios, kShownConfidence);
  return absl::StrFormat("%.3f [%.3f %.3f]", estimate.median, estimate.low, estimate.high);
}

std::string Absolute(const std::vector<double>& values) { return values.empty() ? "-" : Number(Median(values)); }

std::string Spread(const Estimate& estimate, const std::string& unit) {
  if (unit.empty()) return absl::StrFormat("%.3f [%.3f %.3f]", estimate.median, estimate.low, estimate.high);
  return absl::StrCat(Number(estimate.median), " [", Number(estimate.low), " ", Number(estimate.high), "] ", unit);
}

Table CellTable(const Cell& cell, const Results& results) {
  const std::string yardstick(YardstickOf(cell));
  Table table;
  table.title = absl::StrCat(cell.name(), " (", results.RoundsOf(cell), " rounds",
                             yardstick.empty() ? "" : absl::StrCat("; ratios to ", yardstick, ", whose own row is absolute"),
                             "; per call: us, calls/s, us, number, number)");
  table.header = {"arm"};
  for (const Figure figure : kFigures) table.header.emplace_back(Name(figure));
  for (const ArmInfo& arm : AllArms()) {
    if (results.Values(cell, arm.name, Figure::kAllocations).empty() && results.Values(cell, arm.name, Figure::kInstructions).empty())
      continue;
    std::vector<std::string> row = {arm.name};
    for (const Figure figure : kFigures) {
      const bool absolute = yardstick.empty() || arm.name == yardstick;
      row.push_back(absolute ? Absolute(results.Values(cell, arm.name, figure)) : Ratio(results.Ratios(cell, arm.name, yardstick, figure)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string Json(const Estimate& estimate) {
  return absl::StrFormat(R"("median": %.9g, "low": %.9g, "high": %.9g, "rounds": %d)", estimate.median, estimate.low, estimate.high,
                         estimate.rounds);
}

}  // namespace

Table SummaryTable(const Results& results) {
  struct Column {
    const char* name;
    Figure figure;
    int concurrency;
  };
  const Column columns[] = {{"latency p50", Figure::kLatency, 1},
                            {"calls/s, 16 at a time", Figure::kThroughput, 16},
                            {"instructions", Figure::kInstructions, 1},
                            {"allocations", Figure::kAllocations, 1}};
  Table table;
  table.title = "Healthy calls over TCP loopback: ratios to the bare channel, medians; sync / cq / callback";
  table.header = {"arm"};
  for (const Column& column : columns) table.header.emplace_back(column.name);
  for (const ArmInfo& arm : AllArms()) {
    std::vector<std::string> row = {arm.name};
    bool any = false;
    for (const Column& column : columns) {
      std::vector<std::string> forms;
      for (const Form form : kForms) {
        const Cell cell{Transport::kTcp, form, column.concurrency, Course::kHealthy};
        const std::vector<double> ratios = results.Ratios(cell, arm.name, kBare, column.figure);
        any = any || (!ratios.empty() && arm.name != std::string(kBare));
        forms.push_back(ratios.empty() ? "-" : absl::StrFormat("%.2f", Median(ratios)));
      }
      row.push_back(absl::StrJoin(forms, " / "));
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<Table> CellTables(const Results& results) {
  std::vector<Table> tables;
  for (const auto& [cell, rounds] : results.rounds()) tables.push_back(CellTable(cell, results));
  return tables;
}

std::vector<Table> CoreTables(const CoreCosts& core) {
  std::vector<Table> tables;
  if (core.operations.empty()) return tables;
  Table times;
  times.title = "The breaker by itself, ns each; two threads on the same breaker, mutex or atomic";
  times.header = {"operation", "one thread", "two threads", "two by one"};
  for (const CoreCosts::Operation& operation : core.operations) {
    const double one = Median(operation.one_thread);
    const double two = Median(operation.two_threads);
    times.rows.push_back({operation.name, Number(one), Number(two), Number(one > 0 ? two / one : 0)});
  }
  times.rows.push_back({"permit + record, beyond the clock reads", Number(Median(core.PermitAndRecordAlone())), "-", "-"});
  tables.push_back(std::move(times));
  Table memory;
  memory.title = "Memory";
  memory.header = {"of", "bytes"};
  memory.rows.push_back({"a breaker with its window, called by two threads", Number(core.bytes_per_breaker)});
  tables.push_back(std::move(memory));
  return tables;
}

Table BarTable(const std::vector<JudgedBar>& bars) {
  Table table;
  table.title =
      "Bars (ratios to bare, TCP loopback; medians of rounds with 99 % intervals; last, not judged: ratios to calls with a deadline "
      "and an interceptor that does nothing)";
  table.header = {"what", "measured", "bar", "verdict", "rounds", "to do-nothing-deadline"};
  for (const JudgedBar& bar : bars) {
    const bool measured = bar.estimate.rounds > 0;
    table.rows.push_back({bar.what, measured ? Spread(bar.estimate, bar.unit) : "-",
                          absl::StrCat(bar.limit.at_most ? "<= " : ">= ",
                                       bar.unit.empty() ? absl::StrFormat("%.2f", bar.limit.value) : Number(bar.limit.value)),
                          Name(bar.verdict), absl::StrCat(bar.estimate.rounds),
                          bar.to_grpcs_own.rounds > 0 ? Spread(bar.to_grpcs_own, "") : "-"});
  }
  return table;
}

std::string Report(const Measured& measured, bool with_bars, bool markdown) {
  std::vector<Table> tables = {SummaryTable(measured.results)};
  if (tables.front().rows.empty()) tables.clear();
  for (Table& table : CellTables(measured.results)) tables.push_back(std::move(table));
  for (Table& table : CoreTables(measured.core)) tables.push_back(std::move(table));
  if (with_bars) tables.push_back(BarTable(JudgeAll(measured.results, measured.core)));
  std::string text;
  for (const Table& table : tables) absl::StrAppend(&text, markdown ? table.Markdown() : table.Text(), "\n");
  absl::StrAppend(&text, "Medians of rounds, ratios with their 95 % intervals. Instructions: ", measured.instructions, ".\n");
  return text;
}

std::string ReportJson(const Measured& measured) {
  const Results& results = measured.results;
  std::string cells;
  for (const auto& [cell, rounds] : results.rounds()) {
    for (const ArmInfo& arm : AllArms()) {
      for (const Figure figure : kFigures) {
        const std::vector<double> values = results.Values(cell, arm.name, figure);
        if (values.empty()) continue;
        const std::vector<double> ratios = results.Ratios(cell, arm.name, YardstickOf(cell), figure);
        absl::StrAppend(&cells, cells.empty() ? "" : ",", "\n    {\"transport\": \"", Name(cell.transport), "\", \"form\": \"",
                        Name(cell.form), "\", \"concurrency\": ", cell.concurrency, ", \"course\": \"", Name(cell.course),
                        "\", \"arm\": \"", arm.name, "\", \"figure\": \"", Name(figure), "\", \"unit\": \"", Unit(figure),
                        "\",\n     \"value\": {", Json(EstimateMedian(values, kShownConfidence)), "}",
                        ratios.empty() ? "" : absl::StrCat(", \"ratio\": {", Json(EstimateMedian(ratios, kShownConfidence)), "}"), "}");
      }
    }
  }
  std::string operations;
  for (const CoreCosts::Operation& operation : measured.core.operations) {
    absl::StrAppend(&operations, operations.empty() ? "" : ",", "\n    {\"operation\": \"", operation.name,
                    "\", \"unit\": \"ns\", \"one_thread\": {", Json(EstimateMedian(operation.one_thread, kShownConfidence)),
                    "}, \"two_threads\": {", Json(EstimateMedian(operation.two_threads, kShownConfidence)), "}}");
  }
  std::string bars;
  for (const JudgedBar& bar : JudgeAll(results, measured.core)) {
    absl::StrAppend(&bars, bars.empty() ? "" : ",", "\n    {\"bar\": \"", bar.what, "\", \"unit\": \"", bar.unit, "\", ",
                    Json(bar.estimate), ", \"", bar.limit.at_most ? "at_most" : "at_least", "\": ", bar.limit.value, ", \"verdict\": \"",
                    Name(bar.verdict), "\"}");
  }
  return absl::StrCat("{\n  \"cells\": [", cells, "\n  ],\n  \"core\": [", operations,
                      "\n  ],\n  \"bytes_per_breaker\": ", measured.core.bytes_per_breaker, ",\n  \"instructions\": \"",
                      measured.instructions, "\",\n  \"bars\": [", bars, "\n  ]\n}\n");
}

}  // namespace recloser::bench
