#include <algorithm>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recloser/sim/arms.h"
#include "report/chart.h"
#include "report/course.h"
#include "report/figure.h"
#include "report/pictures.h"

namespace recloser::sim::report {
namespace {

// The strip of states stands above the rating's range.
constexpr double kRatingTop = 1;
constexpr double kStripLow = 1.05;
constexpr double kStripHigh = 1.15;
const LegendEntry kFaultEntry = {"fault", "fault"};

const char* StateLook(BreakerState state) {
  switch (state) {
    case BreakerState::kOpen:
    case BreakerState::kForcedOpen:
      return "open";
    case BreakerState::kHalfOpen:
      return "halfopen";
    case BreakerState::kClosed:
    case BreakerState::kDisabled:
      break;
  }
  return "closed";
}

void DrawStates(const Series& series, Chart* chart) {
  const double step_s = ToSeconds(series.step);
  for (std::size_t begin = 0, end = 0; begin < series.steps.size(); begin = end) {
    const BreakerState state = series.steps[begin].state;
    while (end < series.steps.size() && series.steps[end].state == state) ++end;
    chart->Box(StateLook(state), {static_cast<double>(begin) * step_s, kStripLow}, {static_cast<double>(end) * step_s, kStripHigh});
  }
}

/// A value per step; NaN, where the line breaks, for those that are not known.
template <class Get>
std::vector<Point> Course(const Series& series, Get get) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < series.steps.size(); ++i) {
    points.push_back({ToSeconds(series.step) * static_cast<double>(i + 1), get(series.steps[i])});
  }
  return points;
}

std::string RatingPicture(const RunRecord& course) {
  const Series& series = course.result.series;
  Chart chart(absl::StrCat(course.scenario, ": state and rating over time"),
              Axis::Linear("time since the end of the warm-up, s", 0, EndSeconds(series)),
              Axis::Linear("rating (1: healthy)", 0, kStripHigh));
  chart.NameRows({{0, "0"}, {0.25, "0.25"}, {0.5, "0.5"}, {0.75, "0.75"}, {kRatingTop, "1"}, {(kStripLow + kStripHigh) / 2, "state"}});
  const bool shaded = ShadeFault(series, &chart);
  DrawStates(series, &chart);
  const auto& rating = std::get<AdaptiveBreakerOptions>(FindArm(course.arm)->breaker.kind).rating;
  chart.Horizontal("opens", rating.open_threshold, "");
  chart.Horizontal("closes", rating.close_threshold, "");
  chart.Line("arm0", Course(series, [](const Series::Step& s) { return s.rating.value_or(std::numeric_limits<double>::quiet_NaN()); }));
  std::vector<LegendEntry> legend = {{"closed", "closed"},
                                     {"open", "open"},
                                     {"halfopen", "half-open (the ramp)"},
                                     {"arm0", "rating of the window"},
                                     {"opens", absl::StrFormat("may open at or below %.3f", rating.open_threshold)},
                                     {"closes", absl::StrFormat("may close at or above %.3f", rating.close_threshold)}};
  if (shaded) legend.push_back(kFaultEntry);
  return Figure("State and rating of ours", chart.Svg(), legend,
                absl::StrCat("First client's breaker, seed ", course.seed, ". The line breaks where the rating is not known."));
}

std::string WindowPicture(const RunRecord& course) {
  const Series& series = course.result.series;
  const auto largest = std::max_element(series.steps.begin(), series.steps.end(),
                                        [](const auto& a, const auto& b) { return a.window_calls < b.window_calls; });
  Chart chart(absl::StrCat(course.scenario, ": window and admitted share over time"),
              Axis::Linear("time since the end of the warm-up, s", 0, EndSeconds(series)),
              Axis::Linear("attempts", 0, std::max(20.0, 1.1 * static_cast<double>(largest->window_calls))));
  const bool shaded = ShadeFault(series, &chart);
  chart.Line("arm0", Course(series, [](const Series::Step& s) { return static_cast<double>(s.window_calls); }));
  std::vector<LegendEntry> legend = {{"arm0", "attempts in the adaptive window"}};
  if (shaded) legend.push_back(kFaultEntry);
  return Figure("Window size of ours", chart.Svg(), legend, "The window follows the offered load; it empties when the breaker closes.");
}

}  // namespace

std::string BreakerPictures(const std::string& scenario, const std::vector<RunRecord>& courses) {
  const RunRecord* const course = FindCourse(courses, scenario, kOurs);
  return course == nullptr ? "" : absl::StrCat(RatingPicture(*course), WindowPicture(*course));
}

}  // namespace recloser::sim::report
