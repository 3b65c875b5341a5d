// Do measured runs agree with simulated ones? The goodput of each arm, and the order of the arms.
//
//   std::vector<ArmRuns> arms = ...;           // one scenario, one pattern
//   Agreement agreement = Compare(arms);
//   if (!agreement.agrees()) ...
//
// Thread safety: pure.
#ifndef RECLOSER_SIM_AGREEMENT_H_
#define RECLOSER_SIM_AGREEMENT_H_

#include <optional>
#include <string>
#include <vector>

#include "recloser/sim/figures.h"

namespace recloser::sim {

/// One draw of the fault times.
struct SeedRuns {
  std::optional<Figures> live;  // nothing: there is none that can be used
  /// Of the same faults with other arrivals, service times and errors. Run i of every arm has the same seed.
  std::vector<Figures> simulated;
};

struct ArmRuns {
  std::string arm;
  std::vector<SeedRuns> seeds;  // the same ones in every arm
};

/// Measured and simulated goodput may differ by this many percentage points. The limit is wider for an arm whose simulated runs of the same
/// faults scatter so much that the mean of as many measured runs could be off by more: `kScatterDeviations` standard deviations.
inline constexpr double kGoodputTolerancePoints = 5;
inline constexpr double kScatterDeviations = 3;

/// What is compared of one arm: means over the seeds with a measured run, in percentage points.
struct GoodputAgreement {
  std::string arm;
  double difference_points = 0;  // measured minus simulated
  double deviation_points = 0;   // of the mean of that many runs, as the simulator has it
  double limit_points() const;
  bool agrees() const;
};

/// Pairs of arms in the order of one figure. A pair counts when the arms' simulated difference is clear: above `kClearDeviations` standard
/// deviations of the difference between one run of each (the same seed for both), divided by the root of the number of measured runs, and
/// above what a simulator can be expected to tell apart at all. Pairs that are not clear are ties: any measured order agrees with them.
struct OrderAgreement {
  int clear = 0;
  std::vector<std::string> reversed;  // "adaptive < threshold" as measured, for each clear pair in the other order
};

inline constexpr double kClearDeviations = 3;
inline constexpr double kClearGoodputPoints = 1;
/// Of the larger one of the two costs, plus `kClearCostCalls`.
inline constexpr double kClearCostShare = 0.15;
inline constexpr double kClearCostCalls = 20;

struct Agreement {
  /// False when an arm has no measured run that can be used, or no simulated one: nothing else is filled then.
  bool judged = false;
  std::vector<GoodputAgreement> goodput;
  OrderAgreement by_goodput;
  OrderAgreement by_cost;  // J(3)

  bool agrees() const;
  /// The arm whose goodput is nearest to its limit, or furthest beyond. Must be judged.
  const GoodputAgreement& worst() const;
};

Agreement Compare(const std::vector<ArmRuns>& arms);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_AGREEMENT_H_
