// Results as tables for a terminal, at most 100 columns wide.
#ifndef RECLOSER_TOOLS_TABLES_H_
#define RECLOSER_TOOLS_TABLES_H_

#include <string>
#include <vector>

#include "recloser/sim/bars.h"
#include "recloser/sim/report.h"
#include "recloser/sim/runner.h"

namespace recloser::tools {

/// One table per scenario and pattern, one line per arm: means over the seeds; time to open and blocking latency: medians.
std::string FigureTables(const std::vector<sim::RunRecord>& records);

/// The ratios by entry, then the bars.
std::string BarTables(const sim::BarReport& report);

/// The geometric means over other scenarios.
std::string ElsewhereTables(const std::vector<sim::Elsewhere>& elsewhere);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_TABLES_H_
