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

/// Mean and variance of the simulated runs of one seed, or of the differences between those of two arms.
struct Moments {
  double mean = 0;
  double variance = 0;  // of one run; 0 when there is only one
};

Moments MomentsOf(const std::vector<double>& values) {
  Moments moments;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) moments.mean += value / n;
  for (const double value : values) moments.variance += std::pow(value - moments.mean, 2) / std::max(1.0, n - 1);
  return moments;
}

/// What was measured against what was simulated, over the seeds that can be used.
struct Comparison {
  int seeds = 0;
  double measured = 0;
  double simulated = 0;
  double deviation = 0;  // of the measured mean
};

class Adding {
 public:
  void Add(double measured, const std::vector<double>& simulated) {
    const Moments moments = MomentsOf(simulated);
    ++sum_.seeds;
    sum_.measured += measured;
    sum_.simulated += moments.mean;
    variance_ += moments.variance;
  }
  Comparison Mean() const {
    Comparison mean = sum_;
    if (mean.seeds == 0) return mean;
    mean.measured /= mean.seeds;
    mean.simulated /= mean.seeds;
    mean.deviation = std::sqrt(variance_) / mean.seeds;
    return mean;
  }

 private:
  Comparison sum_;
  double variance_ = 0;
};

Comparison OfArm(const ArmRuns& arm, Get get) {
  Adding adding;
  for (const SeedRuns& seed : arm.seeds) {
    if (!seed.live.has_value() || seed.simulated.empty()) continue;
    std::vector<double> simulated;
    for (const Figures& run : seed.simulated) simulated.push_back(get(run));
    adding.Add(get(*seed.live), simulated);
  }
  return adding.Mean();
}

/// Of the differences a - b, where both were measured.
Comparison OfPair(const ArmRuns& a, const ArmRuns& b, Get get) {
  Adding adding;
  for (std::size_t i = 0; i < std::min(a.seeds.size(), b.seeds.size()); ++i) {
    if (!a.seeds[i].live.has_value() || !b.seeds[i].live.has_value()) continue;
    const std::size_t runs = std::min(a.seeds[i].simulated.size(), b.seeds[i].simulated.size());
    std::vector<double> simulated;
    for (std::size_t k = 0; k < runs; ++k) simulated.push_back(get(a.seeds[i].simulated[k]) - get(b.seeds[i].simulated[k]));
    if (!simulated.empty()) adding.Add(get(*a.seeds[i].live) - get(*b.seeds[i].live), simulated);
  }
  return adding.Mean();
}

/// `floor`: from the simulated means of two arms.
template <class Floor>
OrderAgreement CompareOrder(const std::vector<ArmRuns>& arms, Get get, Floor floor) {
  OrderAgreement order;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    for (std::size_t k = i + 1; k < arms.size(); ++k) {
      const Comparison pair = OfPair(arms[i], arms[k], get);
      const double least = floor(OfArm(arms[i], get).simulated, OfArm(arms[k], get).simulated);
      if (pair.seeds == 0 || std::abs(pair.simulated) <= std::max(kClearDeviations * pair.deviation, least)) continue;
      ++order.clear;
      if (pair.measured * pair.simulated > 0) continue;
      order.reversed.push_back(absl::StrCat(arms[i].arm, pair.measured < 0 ? " < " : " > ", arms[k].arm));
    }
  }
  return order;
}

}  // namespace

double GoodputAgreement::limit_points() const { return std::max(kGoodputTolerancePoints, kScatterDeviations * deviation_points); }

bool GoodputAgreement::agrees() const {
  // The limit is a round number: what is printed as that has not missed it.
  constexpr double kRounding = 1e-9;
  return std::abs(difference_points) <= limit_points() + kRounding;
}

bool Agreement::agrees() const {
  return judged && std::all_of(goodput.begin(), goodput.end(), [](const GoodputAgreement& arm) { return arm.agrees(); }) &&
         by_goodput.reversed.empty() && by_cost.reversed.empty();
}

const GoodputAgreement& Agreement::worst() const {
  return *std::max_element(goodput.begin(), goodput.end(), [](const GoodputAgreement& a, const GoodputAgreement& b) {
    return std::abs(a.difference_points) / a.limit_points() < std::abs(b.difference_points) / b.limit_points();
  });
}

Agreement Compare(const std::vector<ArmRuns>& arms) {
  Agreement agreement;
  for (const ArmRuns& arm : arms) {
    const Comparison goodput = OfArm(arm, GoodputPoints);
    if (goodput.seeds == 0) return Agreement();
    agreement.goodput.push_back({arm.arm, goodput.measured - goodput.simulated, goodput.deviation});
  }
  agreement.judged = !arms.empty();
  agreement.by_goodput = CompareOrder(arms, GoodputPoints, [](double, double) { return kClearGoodputPoints; });
  agreement.by_cost = CompareOrder(arms, Cost, [](double a, double b) { return kClearCostShare * std::max(a, b) + kClearCostCalls; });
  return agreement;
}

}  // namespace recloser::sim
