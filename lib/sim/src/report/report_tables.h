// The report's tables.
#ifndef RECLOSER_SIM_SRC_REPORT_REPORT_TABLES_H_
#define RECLOSER_SIM_SRC_REPORT_REPORT_TABLES_H_

#include <string>
#include <vector>

#include "recloser/sim/bars.h"
#include "recloser/sim/report.h"
#include "report/runs.h"

namespace recloser::sim::report {

/// A row per entry, a column per rho: ratio, interval, the best standard; last the ratio to the best of the wide grid, where it ran.
std::string RatiosTable(const std::vector<EntryRatio>& ratios, const Runs& runs);

/// Value, interval, limit, verdict; then what could not be judged.
std::string BarsTable(const BarReport& report);

/// A row per set of scenarios, a column per geometric mean.
std::string ElsewhereTable(const std::vector<Elsewhere>& elsewhere);

/// The figures of all arms but those of the wide grid.
std::string FiguresTable(const std::string& scenario, const Runs& runs);

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_REPORT_TABLES_H_
