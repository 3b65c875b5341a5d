#include "comparison.h"

#include <algorithm>
#include <cmath>

namespace recloser::sim {
namespace {

using SeedCosts = std::vector<double>;  // J by seed

SeedCosts CostsOf(const CostTable& costs, const std::string& entry, const std::string& arm, double rho) {
  SeedCosts by_seed;
  for (const Figures* const figures : costs.Find(entry, arm)) by_seed.push_back(figures->Cost(rho));
  return by_seed;
}

struct EntryCosts {
  SeedCosts ours;
  std::vector<SeedCosts> rivals;
};

}  // namespace

Comparison Compare(const CostTable& costs, const Contest& contest, const std::vector<Weights>& resamples) {
  std::vector<EntryCosts> table;
  for (const std::string& entry : contest.entries) {
    EntryCosts& row = table.emplace_back();
    row.ours = CostsOf(costs, entry, contest.ours, contest.rho);
    for (const std::string& rival : contest.rivals) row.rivals.push_back(CostsOf(costs, entry, rival, contest.rho));
  }

  Comparison comparison;
  std::vector<std::vector<double>> ratios(table.size());  // by entry, by resample
  std::vector<double> means;
  std::vector<double> against_single;
  for (const Weights& weights : resamples) {
    double log_sum = 0;
    std::vector<double> rivals_log_sums(contest.rivals.size(), 0);  // each rival's own ratios to the best
    std::vector<double> rival_means(contest.rivals.size());
    for (std::size_t e = 0; e < table.size(); ++e) {
      for (std::size_t r = 0; r < rival_means.size(); ++r) rival_means[r] = WeightedMean(table[e].rivals[r], weights);
      const auto best = std::min_element(rival_means.begin(), rival_means.end());
      const double ours = WeightedMean(table[e].ours, weights);
      const double ratio = (ours + contest.smoothing) / (*best + contest.smoothing);
      for (std::size_t r = 0; r < rival_means.size(); ++r) {
        rivals_log_sums[r] += std::log((rival_means[r] + contest.smoothing) / (*best + contest.smoothing));
      }
      log_sum += std::log(ratio);
      ratios[e].push_back(ratio);
      if (&weights == &resamples.front()) {
        const std::string& name = contest.rivals[static_cast<std::size_t>(best - rival_means.begin())];
        comparison.entries.push_back({contest.entries[e], contest.rho, ours, *best, name, {}});
      }
    }
    const auto entries = static_cast<double>(table.size());
    means.push_back(std::exp(log_sum / entries));
    const double single = *std::min_element(rivals_log_sums.begin(), rivals_log_sums.end());
    against_single.push_back(std::exp((log_sum - single) / entries));
  }
  for (std::size_t e = 0; e < table.size(); ++e) comparison.entries[e].ratio = IntervalOf(std::move(ratios[e]));
  comparison.geometric_mean = IntervalOf(std::move(means));
  comparison.against_best_single = IntervalOf(std::move(against_single));
  return comparison;
}

}  // namespace recloser::sim
