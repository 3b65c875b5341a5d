#include "evaluate/best_standard.h"

#include <cmath>
#include <map>
#include <string>

#include "recloser/sim/bars.h"

namespace recloser::tools {
namespace {

constexpr int kSeeds = 5;
constexpr double kRho = 3;

}  // namespace

std::optional<sim::Arm> BestStandard(const std::vector<sim::Scenario>& scenarios,
                                     const std::function<bool(const sim::Progress&)>& progress) {
  sim::Plan plan;
  plan.scenarios = scenarios;
  plan.arms = sim::StandardGrid();
  plan.seeds = kSeeds;
  const std::vector<sim::RunRecord> records = sim::RunAll({plan}, progress);
  if (records.size() != scenarios.size() * plan.arms.size() * kSeeds) return std::nullopt;
  std::map<std::string, std::map<std::string, double>> costs;  // by arm and scenario
  for (const sim::RunRecord& record : records) costs[record.arm][record.scenario] += record.result.figures.Cost(kRho) / kSeeds;
  std::optional<sim::Arm> best;
  double least = 0;
  for (const sim::Arm& arm : plan.arms) {
    double sum_of_logs = 0;
    for (const auto& [scenario, cost] : costs[arm.name]) sum_of_logs += std::log(cost + sim::kSmoothing);
    if (best.has_value() && sum_of_logs >= least) continue;
    best = arm;
    least = sum_of_logs;
  }
  return best;
}

}  // namespace recloser::tools
