// The tables of what was measured. Thread safety: pure functions.
#ifndef RECLOSER_BENCH_GRPC_REPORT_H_
#define RECLOSER_BENCH_GRPC_REPORT_H_

#include <string>
#include <vector>

#include "bars.h"
#include "core_costs.h"
#include "results.h"
#include "table.h"

namespace recloser::bench {

struct Measured {
  Results results;
  CoreCosts core;
  std::string instructions;  // how they were counted, or why not
};

/// Over TCP, the figures that bars are on and allocations: an arm a row, medians of ratios to the bare channel. No rows when none are
/// there.
Table SummaryTable(const Results& results);
/// One for each cell: an arm a row, ratios to the yardstick with their intervals; the yardstick's own row in absolute figures.
std::vector<Table> CellTables(const Results& results);
/// The breaker by itself.
std::vector<Table> CoreTables(const CoreCosts& core);
Table BarTable(const std::vector<JudgedBar>& bars);

/// All of it for people; the bars only when they are asked for.
std::string Report(const Measured& measured, bool with_bars, bool markdown);
/// All of it for programs.
std::string ReportJson(const Measured& measured);

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_REPORT_H_
