// Results as one HTML file with pictures: no scripts, nothing loaded from elsewhere, readable on a phone and in the dark.
//
//   std::vector<RunRecord> records = RunAll({plan}, nullptr);
//   std::vector<RunRecord> courses = RunAll(CoursePlans(plan, records), nullptr);
//   file << ReportHtml({plan.scenarios, records, courses, {}, {}, "recloser simulate --seeds 5"});
//
// Thread safety: pure functions.
#ifndef RECLOSER_SIM_REPORT_H_
#define RECLOSER_SIM_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "recloser/sim/bars.h"
#include "recloser/sim/runner.h"

namespace recloser::sim {

/// The ratios over other scenarios than the judged ones.
struct Elsewhere {
  std::string title;
  BarReport report;
};

struct ReportInput {
  std::vector<Scenario> scenarios;
  std::vector<RunRecord> records;
  /// Runs with series, for the pictures over time. Scenarios without them have no such pictures.
  std::vector<RunRecord> courses;
  /// Nothing: the report has no table of bars.
  std::optional<BarReport> judged;
  /// Shown beside the bars.
  std::vector<Elsewhere> elsewhere;
  /// What reproduces the results.
  std::string command;
};

/// The runs whose course is shown: of each scenario in `records` the arms that the pictures compare, with the first seed. Series of all
/// runs would fill the memory.
std::vector<Plan> CoursePlans(const Plan& plan, const std::vector<RunRecord>& records);

/// All pictures are of one pattern: `Pattern::kScenario`, or if it did not run, the first that did.
std::string ReportHtml(const ReportInput& input);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_REPORT_H_
