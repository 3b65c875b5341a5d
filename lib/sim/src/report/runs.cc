#include "report/runs.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "bootstrap.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/bars.h"

namespace recloser::sim::report {
namespace {

constexpr double kDefaultCost = 3;
constexpr std::size_t kFeaturedMax = 5;
// The grid's nearest to Resilience4j's defaults (100 calls, 60 s): what most people run.
constexpr char kCommon[] = "standard-c100-w10s";
constexpr char kPrototype[] = "threshold";

}  // namespace

std::string OursAt(double rho) { return AdaptiveArm(rho).name; }
bool IsOurs(const std::string& arm) { return arm == kOurs || absl::StartsWith(arm, "adaptive-cost"); }
bool IsStandard(const std::string& arm) { return absl::StartsWith(arm, "standard-"); }
bool IsWideStandard(const std::string& arm) { return absl::StartsWith(arm, "wide-"); }

double Mean(const SeedFigures& seeds, const std::function<double(const Figures&)>& get) {
  double sum = 0;
  for (const Figures* const figures : seeds) sum += get(*figures);
  return seeds.empty() ? 0 : sum / static_cast<double>(seeds.size());
}

double MeanCost(const SeedFigures& seeds, double rho) {
  return Mean(seeds, [rho](const Figures& f) { return f.Cost(rho); });
}

double MeanWasted(const SeedFigures& seeds) {
  return Mean(seeds, [](const Figures& f) { return static_cast<double>(f.wasted); });
}

double MeanGoodRejected(const SeedFigures& seeds) {
  return Mean(seeds, [](const Figures& f) { return f.good_rejected; });
}

std::optional<double> Median(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return WeightedMedian(values, Weights(values.size(), 1));
}

std::vector<double> Present(const SeedFigures& seeds, std::optional<double> Figures::*member) {
  std::vector<double> values;
  for (const Figures* const figures : seeds) {
    if (figures->*member) values.push_back(*(figures->*member));
  }
  return values;
}

Runs::Runs(const std::vector<RunRecord>& records) {
  const bool as_stated =
      std::any_of(records.begin(), records.end(), [](const RunRecord& record) { return record.pattern == Pattern::kScenario; });
  if (!as_stated && !records.empty()) pattern_ = records.front().pattern;
  for (const RunRecord& record : records) {
    if (record.pattern != pattern_) continue;
    if (arms_.count(record.scenario) == 0) scenarios_.push_back(record.scenario);
    std::vector<std::string>& arms = arms_[record.scenario];
    SeedFigures& seeds = figures_[{record.scenario, record.arm}];
    if (seeds.empty()) arms.push_back(record.arm);
    seeds.push_back(&record.result.figures);
    seeds_ = std::max(seeds_, seeds.size());
  }
}

std::vector<std::string> Runs::Arms(const std::string& scenario) const {
  const auto found = arms_.find(scenario);
  return found == arms_.end() ? std::vector<std::string>() : found->second;
}

const SeedFigures& Runs::Find(const std::string& scenario, const std::string& arm) const {
  static const auto* const none = new SeedFigures;
  const auto found = figures_.find({scenario, arm});
  return found == figures_.end() ? *none : found->second;
}

std::optional<std::string> Runs::Best(const std::string& scenario, double rho, bool (*kind)(const std::string&)) const {
  std::optional<std::string> best;
  double least = 0;
  for (const std::string& arm : Arms(scenario)) {
    if (!kind(arm)) continue;
    const double cost = MeanCost(Find(scenario, arm), rho);
    if (best.has_value() && cost >= least) continue;
    best = arm;
    least = cost;
  }
  return best;
}

std::vector<Featured> Runs::FeaturedArms(const std::string& scenario) const {
  std::vector<Featured> featured;
  const auto add = [&](const std::string& arm, const std::string& text) {
    const bool known = std::any_of(featured.begin(), featured.end(), [&](const Featured& f) { return f.arm == arm; });
    if (!known && featured.size() < kFeaturedMax && !Find(scenario, arm).empty()) featured.push_back({arm, text});
  };
  add(kOurs, "adaptive (ours)");
  if (const auto best = Best(scenario, kDefaultCost, IsStandard)) add(*best, absl::StrCat(*best, " (best standard here at rho 3)"));
  add(kNone, "none (no breaker)");
  add(kCommon, absl::StrCat(kCommon, " (nearest to Resilience4j's defaults)"));
  add(kPrototype, "threshold (the 2023 rule)");
  for (const std::string& arm : Arms(scenario)) {
    if (!IsStandard(arm) && !IsWideStandard(arm) && !IsOurs(arm)) add(arm, arm);
  }
  for (const std::string& arm : Arms(scenario)) add(arm, arm);
  return featured;
}

std::optional<double> WideGridRatio(const std::string& entry, double rho, const Runs& runs) {
  const SeedFigures& ours = runs.Find(entry, OursAt(rho));
  const std::optional<std::string> best = runs.Best(entry, rho, IsWideStandard);
  if (ours.empty() || !best.has_value()) return std::nullopt;
  return (MeanCost(ours, rho) + kSmoothing) / (MeanCost(runs.Find(entry, *best), rho) + kSmoothing);
}

}  // namespace recloser::sim::report
