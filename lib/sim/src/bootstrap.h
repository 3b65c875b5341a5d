// Bootstrap intervals over seeds (B. Efron, "Bootstrap Methods: Another Look at the Jackknife", Annals of Statistics 7(1), 1979),
// percentile method.
//
// A resample says how often each seed counts; whatever is computed from it, is computed anew for each. Thread safety: pure.
#ifndef RECLOSER_SIM_SRC_BOOTSTRAP_H_
#define RECLOSER_SIM_SRC_BOOTSTRAP_H_

#include <vector>

#include "recloser/sim/bars.h"

namespace recloser::sim {

/// How often each seed counts; they add up to the number of seeds.
using Weights = std::vector<int>;

/// The resamples of `seeds` seeds, always the same ones. The first is the sample itself: each seed once.
std::vector<Weights> Resamples(std::size_t seeds);

/// The interval of a quantity: its value for each of `Resamples`, in their order.
Interval IntervalOf(std::vector<double> values);

/// Mean and median of `values` by seed under `weights`.
double WeightedMean(const std::vector<double>& values, const Weights& weights);
double WeightedMedian(const std::vector<double>& values, const Weights& weights);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_BOOTSTRAP_H_
