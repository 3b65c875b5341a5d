// Series of the runs whose course is shown.
#ifndef RECLOSER_SIM_SRC_REPORT_COURSE_H_
#define RECLOSER_SIM_SRC_REPORT_COURSE_H_

#include <string>
#include <vector>

#include "recloser/sim/runner.h"
#include "report/chart.h"

namespace recloser::sim::report {

/// Null when there is none.
const RunRecord* FindCourse(const std::vector<RunRecord>& courses, const std::string& scenario, const std::string& arm);

double EndSeconds(const Series& series);

/// Shades the times in which the service could not have answered all calls, the darker the fewer. False: there are none.
bool ShadeFault(const Series& series, Chart* chart);

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_COURSE_H_
