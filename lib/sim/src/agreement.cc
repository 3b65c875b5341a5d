#include "recloser/sim/agreement.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace recloser::sim {
namespace {

// The rho that costs are compared at: the product's default.
constexpr double kRho = 3;

double GoodputPoints(const Figures& figures) { return 100 * figures.goodput(); }
double Cost(const Figures& figures) { return figures.Cost(kRho); }

using Get = double (*)(const Figures&);

double Mean(const std::vector<Figures>& runs, Get get) {
  double sum = 0;
  for (const Figures& run : runs) sum += get(run);
  return sum / static_cast<double>(runs.size());
}

/// The standard deviation of the difference between runs of the same seed; 0 for fewer than two.
double DeviationOfDifference(const std::vector<Figures>& a, const std::vector<Figures>& b, Get get) {
  const std::size_t n = std::min(a.size(), b.size());
  if (n < 2) return 0;
  const double mean = Mean(a, get) - Mean(b, get);
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += std::pow(get(a[i]) - get(b[i]) - mean, 2);
  return std::sqrt(squares / static_cast<double>(n - 1));
}

/// `floor`: of two simulated values.
template <class Floor>
OrderAgreement CompareOrder(const std::vector<ArmRuns>& arms, Get get, Floor floor) {
  OrderAgreement order;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    for (std::size_t k = i + 1; k < arms.size(); ++k) {
      const ArmRuns& a = arms[i];
      const ArmRuns& b = arms[k];
      const double simulated_a = Mean(a.simulated, get);
      const double simulated_b = Mean(b.simulated, get);
      const double runs = static_cast<double>(std::min(a.live.size(), b.live.size()));
      const double noise = kClearDeviations * DeviationOfDifference(a.simulated, b.simulated, get) / std::sqrt(runs);
      const double difference = simulated_a - simulated_b;
      if (std::abs(difference) <= std::max(noise, floor(simulated_a, simulated_b))) continue;
      ++order.clear;
      const double measured = Mean(a.live, get) - Mean(b.live, get);
      if (measured * difference <= 0) order.reversed.push_back(absl::StrCat(a.arm, measured < 0 ? " < " : " > ", b.arm));
    }
  }
  return order;
}

}  // namespace

bool Agreement::agrees() const {
  return judged && std::abs(goodput_difference_points) <= kGoodputTolerancePoints && by_goodput.reversed.empty() &&
         by_cost.reversed.empty();
}

Agreement Compare(const std::vector<ArmRuns>& arms) {
  Agreement agreement;
  for (const ArmRuns& arm : arms) {
    if (arm.live.empty() || arm.simulated.empty()) return agreement;
  }
  agreement.judged = !arms.empty();
  for (const ArmRuns& arm : arms) {
    const double difference = Mean(arm.live, GoodputPoints) - Mean(arm.simulated, GoodputPoints);
    if (!agreement.goodput_arm.empty() && std::abs(difference) <= std::abs(agreement.goodput_difference_points)) continue;
    agreement.goodput_difference_points = difference;
    agreement.goodput_arm = arm.arm;
  }
  agreement.by_goodput = CompareOrder(arms, GoodputPoints, [](double, double) { return kClearGoodputPoints; });
  agreement.by_cost = CompareOrder(arms, Cost, [](double a, double b) { return kClearCostShare * std::max(a, b) + kClearCostCalls; });
  return agreement;
}

}  // namespace recloser::sim
