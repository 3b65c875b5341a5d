// Ours against the best of many rivals, entry by entry, over all resamples of the seeds.
#ifndef RECLOSER_SIM_SRC_COMPARISON_H_
#define RECLOSER_SIM_SRC_COMPARISON_H_

#include <string>
#include <vector>

#include "bootstrap.h"
#include "cost_table.h"
#include "recloser/sim/bars.h"

namespace recloser::sim {

struct Contest {
  std::vector<std::string> entries;
  std::string ours;
  std::vector<std::string> rivals;
  double rho = 1;
  /// Added to both costs of a ratio, so that small ones do not decide.
  double smoothing = kSmoothing;
};

struct Comparison {
  std::vector<EntryRatio> entries;
  /// Of the ratios of all entries.
  Interval geometric_mean;
  /// The same divided by that of the best single rival, which is picked for all entries together.
  Interval against_best_single;
};

/// Every entry must have runs of ours and of all rivals in `costs`.
Comparison Compare(const CostTable& costs, const Contest& contest, const std::vector<Weights>& resamples);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_COMPARISON_H_
