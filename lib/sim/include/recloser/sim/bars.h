// The bars: ours against the best standard configuration, picked in hindsight for each entry and each rho.
//
//   BarReport report = JudgeBars(RunAll(BarPlans(/*first_seed=*/1, /*seeds=*/20, /*wide_grid=*/true), nullptr));
//
// The cost of a run is J(rho) = rho * wasted attempts + good calls rejected. Means over seeds come first, then the best configuration is
// picked, then the ratio (J + 20) / (J_best + 20), then the geometric mean over the entries. Every number has a 95 % bootstrap interval
// over the seeds, the best configuration picked again in each resample; a bar is met when the interval's upper end is at or below it.
// Thread safety: values and pure functions.
#ifndef RECLOSER_SIM_BARS_H_
#define RECLOSER_SIM_BARS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "recloser/sim/runner.h"

namespace recloser::sim {

/// Added to both costs of a ratio: below some 20 good calls nobody sees a difference.
inline constexpr double kSmoothing = 20;

/// The ids of the 26 scenarios that count, of equal weight.
const std::vector<std::string>& BarEntries();

std::vector<Scenario> BarScenarios();

/// Every run that the bars need. The wide grid is most of the work. The medians of latencies need ours alone, and get twenty times the
/// seeds.
std::vector<Plan> BarPlans(std::uint64_t first_seed, int seeds, bool wide_grid);

/// Ours at each cost and the standard grid: what `JudgeRatios` needs.
Plan RatioPlan(std::vector<Scenario> scenarios, std::uint64_t first_seed, int seeds);

struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// One entry at one rho, ours with its cost at rho.
struct EntryRatio {
  std::string entry;
  double rho = 0;
  double ours = 0;  // mean J
  double best = 0;
  std::string best_arm;
  Interval ratio;
};

struct Bar {
  std::string name;
  Interval value;
  double limit = 0;
  bool judged = true;  // false: only reported
  /// The geometric mean of the ratios to the standard grid, over all entries. Each cost and rho has one.
  bool is_mean_ratio = false;
  bool met() const { return value.high <= limit; }
};

struct BarReport {
  int seeds = 0;
  std::vector<EntryRatio> entries;  // entry by entry, rho ascending
  std::vector<Bar> bars;
  /// Of the judged bars. False also when runs are missing.
  bool all_met = false;
  std::vector<std::string> missing;  // what could not be judged, and why
};

/// Of the runs of Pattern::kScenario. For costs only seeds for which all runs are there are used.
BarReport JudgeBars(const std::vector<RunRecord>& records);

/// The ratios and their geometric means alone, of the same limits, over these scenarios: for variations and held-out scenarios.
BarReport JudgeRatios(const std::vector<RunRecord>& records, const std::vector<std::string>& entries);

/// Those of the report's bars that are such means.
std::vector<Bar> GeometricMeans(const BarReport& report);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_BARS_H_
