#include "report/course.h"

#include <algorithm>
#include <cmath>

#include "recloser/sim/conditions.h"

namespace recloser::sim::report {
namespace {

// Up to this share of errors, but for rounding, it is no fault.
constexpr double kBackground = kExcusedErrorShare + 1e-4;
constexpr double kShades = 10;
constexpr double kDarkest = 0.28;
constexpr double kLightest = 0.07;

double Shade(double worth) {
  const double missing = 1 - std::clamp(worth, 0.0, 1.0);
  return missing <= kBackground ? 0 : std::max(1.0, std::round(missing * kShades));
}

}  // namespace

const RunRecord* FindCourse(const std::vector<RunRecord>& courses, const std::string& scenario, const std::string& arm) {
  const auto found = std::find_if(courses.begin(), courses.end(), [&](const RunRecord& record) {
    return record.scenario == scenario && record.arm == arm && !record.result.series.steps.empty();
  });
  return found == courses.end() ? nullptr : &*found;
}

double EndSeconds(const Series& series) { return ToSeconds(series.step) * static_cast<double>(series.steps.size()); }

bool ShadeFault(const Series& series, Chart* chart) {
  bool any = false;
  const double step_s = ToSeconds(series.step);
  for (std::size_t begin = 0, end = 0; begin < series.steps.size(); begin = end) {
    const double shade = Shade(series.steps[begin].worth);
    while (end < series.steps.size() && Shade(series.steps[end].worth) == shade) ++end;
    if (shade <= 0) continue;
    const double opacity = kLightest + (kDarkest - kLightest) * shade / kShades;
    chart->Band("fault", static_cast<double>(begin) * step_s, static_cast<double>(end) * step_s, opacity);
    any = true;
  }
  return any;
}

}  // namespace recloser::sim::report
