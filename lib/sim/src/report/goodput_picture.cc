#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "report/chart.h"
#include "report/course.h"
#include "report/figure.h"
#include "report/pictures.h"

namespace recloser::sim::report {
namespace {

// Neither single calls nor more points than pixels.
constexpr double kCallsPerPoint = 8;
constexpr double kPointsMax = 240;

std::size_t StepsPerPoint(const Series& series) {
  std::int64_t offered = 0;
  for (const Series::Step& step : series.steps) offered += step.offered;
  const auto steps = static_cast<double>(series.steps.size());
  const double for_calls = offered == 0 ? 1 : kCallsPerPoint * steps / static_cast<double>(offered);
  return static_cast<std::size_t>(std::ceil(std::max({1.0, for_calls, steps / kPointsMax})));
}

std::vector<Point> Goodput(const Series& series, std::size_t steps_per_point) {
  std::vector<Point> points;
  const double step_s = ToSeconds(series.step);
  for (std::size_t begin = 0; begin < series.steps.size(); begin += steps_per_point) {
    const std::size_t end = std::min(begin + steps_per_point, series.steps.size());
    std::int64_t offered = 0;
    std::int64_t good = 0;
    for (std::size_t i = begin; i < end; ++i) {
      offered += series.steps[i].offered;
      good += series.steps[i].good;
    }
    if (offered == 0) continue;
    points.push_back({step_s * static_cast<double>(begin + end) / 2, 100 * static_cast<double>(good) / static_cast<double>(offered)});
  }
  return points;
}

}  // namespace

std::string GoodputPicture(const std::string& scenario, const std::vector<Featured>& arms, const std::vector<RunRecord>& courses) {
  std::vector<LegendEntry> legend;
  const RunRecord* first = nullptr;
  for (const Featured& arm : arms) {
    if (first == nullptr) first = FindCourse(courses, scenario, arm.arm);
  }
  if (first == nullptr) return "";
  const Series& shape = first->result.series;
  const std::size_t steps_per_point = StepsPerPoint(shape);
  Chart chart(absl::StrCat(scenario, ": goodput over time"), Axis::Linear("time since the end of the warm-up, s", 0, EndSeconds(shape)),
              Axis::Linear("goodput, % of offered calls", 0, 100));
  const bool shaded = ShadeFault(shape, &chart);
  // Ours last, on top.
  for (std::size_t i = arms.size(); i-- > 0;) {
    const RunRecord* const course = FindCourse(courses, scenario, arms[i].arm);
    if (course == nullptr) continue;
    chart.Line(ArmLook(i), Goodput(course->result.series, steps_per_point));
    legend.insert(legend.begin(), {ArmLook(i), arms[i].text});
  }
  if (shaded) legend.push_back({"fault", "fault: the darker, the fewer calls the service could answer"});
  return Figure("Goodput over time", chart.Svg(), legend,
                absl::StrCat("Seed ", first->seed, ", points of ", ToSeconds(shape.step) * static_cast<double>(steps_per_point),
                             " s. Goodput: calls answered OK within the SLO, by the time of their start."));
}

}  // namespace recloser::sim::report
