#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "report/chart.h"
#include "report/figure.h"
#include "report/pictures.h"
#include "report/text.h"

namespace recloser::sim::report {
namespace {

constexpr double kRhoLow = 0.3;
constexpr double kRhoHigh = 100;
constexpr int kPoints = 60;

std::vector<double> AxisRhos() {
  std::vector<double> rhos;
  for (int i = 0; i <= kPoints; ++i) rhos.push_back(kRhoLow * std::pow(kRhoHigh / kRhoLow, static_cast<double>(i) / kPoints));
  return rhos;
}

class Lines {
 public:
  void Add(std::string look, std::string text, std::vector<Point> points) {
    if (points.empty()) return;
    for (const Point& point : points) {
      low_ = std::min(low_, point.y);
      high_ = std::max(high_, point.y);
    }
    legend_.push_back({std::move(look), std::move(text)});
    points_.push_back(std::move(points));
  }
  /// 0 without lines.
  double highest() const { return high_; }
  Axis Y() const { return Axis::Log("cost J + 20, in good calls", low_ * 0.8, high_ * 1.25); }
  /// The first on top.
  void Draw(Chart* chart) const {
    for (std::size_t i = points_.size(); i-- > 0;) chart->Line(legend_[i].look, points_[i]);
  }
  const std::vector<LegendEntry>& legend() const { return legend_; }

 private:
  std::vector<LegendEntry> legend_;
  std::vector<std::vector<Point>> points_;
  double low_ = 1e300;
  double high_ = 0;
};

std::vector<Point> CostsOf(const SeedFigures& seeds) {
  std::vector<Point> points;
  if (seeds.empty()) return points;
  for (const double rho : AxisRhos()) points.push_back({rho, MeanCost(seeds, rho) + kSmoothing});
  return points;
}

std::vector<Point> Envelope(const std::string& scenario, const Runs& runs, bool (*kind)(const std::string&)) {
  std::vector<Point> points;
  for (const double rho : AxisRhos()) {
    const auto best = runs.Best(scenario, rho, kind);
    if (!best.has_value()) return {};
    points.push_back({rho, MeanCost(runs.Find(scenario, *best), rho) + kSmoothing});
  }
  return points;
}

}  // namespace

std::string CostPicture(const std::string& scenario, const Runs& runs) {
  Lines lines;
  lines.Add("arm0", "ours, wasted_attempt_cost at its default 3", CostsOf(runs.Find(scenario, kOurs)));
  lines.Add("arm1", "best standard configuration, picked in hindsight at each rho", Envelope(scenario, runs, IsStandard));
  lines.Add("wide", "the same of the wide grid", Envelope(scenario, runs, IsWideStandard));
  if (lines.highest() < kSmoothing + 1) return "";  // all cost nothing
  Chart chart(absl::StrCat(scenario, ": cost J against rho"),
              Axis::Log("rho: good calls that one wasted attempt is worth", kRhoLow, kRhoHigh), lines.Y());
  lines.Draw(&chart);
  std::vector<LegendEntry> legend = lines.legend();
  bool dots = false;
  for (const double rho : kRhos) {
    const std::string name = OursAt(rho);
    const SeedFigures& seeds = runs.Find(scenario, name);
    if (seeds.empty()) continue;
    const double cost = MeanCost(seeds, rho);
    chart.Dot("arm0", {rho, cost + kSmoothing}, 4, absl::StrCat(name, ", rho ", rho, ": J ", Number(cost)));
    dots = true;
  }
  if (dots) legend.insert(legend.begin() + 1, {"arm0 round", "ours, wasted_attempt_cost set to rho"});
  return Figure("Cost J against rho (lower is better)", chart.Svg(), legend,
                "J = rho x wasted attempts + good calls rejected, mean over the seeds; both axes logarithmic.");
}

}  // namespace recloser::sim::report
