#include <algorithm>

#include "absl/strings/str_cat.h"
#include "report/chart.h"
#include "report/figure.h"
#include "report/pictures.h"
#include "report/text.h"

namespace recloser::sim::report {
namespace {

constexpr char kTitle[] = "Two costs at once (lower left is better)";
// Attempts or calls.
constexpr double kNothing = 0.5;
constexpr double kOurRadius = 4.5;
constexpr std::size_t kNamedLength = 10;

struct Cloud {
  const char* look;
  const char* text;
  double radius;
  bool (*contains)(const std::string&);
};
bool IsOther(const std::string& arm) { return !IsOurs(arm) && !IsStandard(arm) && !IsWideStandard(arm); }
/// Long names would cover each other: ablations stand close to ours, variants to what they vary.
bool IsNamed(const std::string& arm) { return IsOther(arm) && arm.size() <= kNamedLength; }
constexpr Cloud kClouds[] = {
    {"wide faint", "standard, wide grid", 3, IsWideStandard},
    {"arm1 faint", "standard configurations", 4, IsStandard},
    {"other", "other arms", 3.5, IsOther},
};

Point Place(const SeedFigures& seeds) { return {MeanWasted(seeds), MeanGoodRejected(seeds)}; }

std::string Tip(const std::string& arm, const Point& place) {
  return absl::StrCat(arm, ": wasted ", Number(place.x), ", good calls rejected ", Number(place.y));
}

}  // namespace

std::string FrontPicture(const std::string& scenario, const Runs& runs) {
  const std::vector<std::string> arms = runs.Arms(scenario);
  Point most;
  for (const std::string& arm : arms) {
    const Point place = Place(runs.Find(scenario, arm));
    most = {std::max(most.x, place.x), std::max(most.y, place.y)};
  }
  if (most.x < kNothing && most.y < kNothing) {
    return Figure(kTitle, "", {}, "No arm wasted an attempt or rejected a good call here: all cost nothing.");
  }
  Chart chart(absl::StrCat(scenario, ": wasted attempts against good calls rejected"),
              Axis::LogFromZero("wasted attempts per run", 1.5 * most.x), Axis::LogFromZero("good calls rejected per run", 1.5 * most.y));
  std::vector<LegendEntry> legend;
  for (const Cloud& cloud : kClouds) {
    bool any = false;
    for (const std::string& arm : arms) {
      if (!cloud.contains(arm)) continue;
      const Point place = Place(runs.Find(scenario, arm));
      chart.Dot(cloud.look, place, cloud.radius, Tip(arm, place));
      any = true;
    }
    if (any) legend.push_back({absl::StrCat(cloud.look, " round"), cloud.text});
  }
  std::vector<Point> ours;
  for (const double rho : kRhos) {
    const SeedFigures& seeds = runs.Find(scenario, OursAt(rho));
    if (!seeds.empty()) ours.push_back(Place(seeds));
  }
  chart.Line("arm0", ours);
  for (const double rho : kRhos) {
    const std::string arm = OursAt(rho);
    const SeedFigures& seeds = runs.Find(scenario, arm);
    if (seeds.empty()) continue;
    const Point place = Place(seeds);
    chart.Dot("arm0", place, kOurRadius, Tip(arm, place));
    chart.Name(place, absl::StrCat(rho));
  }
  for (const std::string& arm : arms) {
    if (IsNamed(arm)) chart.Name(Place(runs.Find(scenario, arm)), arm);
  }
  if (!ours.empty()) legend.insert(legend.begin(), {"arm0 round", "ours, by wasted_attempt_cost"});
  return Figure(kTitle, chart.Svg(), legend, "Means over the seeds; both axes logarithmic, from 0. Touch a dot for its arm and numbers.");
}

}  // namespace recloser::sim::report
