#include "recloser/sim/bars.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "comparison.h"
#include "cost_table.h"

namespace recloser::sim {
namespace {

struct CostBar {
  double rho;
  double limit;
};
constexpr CostBar kCostAtRho[] = {{1, 0.80}, {3, 0.85}, {10, 1.00}, {30, 1.20}};
constexpr double kDefaultCost = 3;
constexpr double kEntryLimit = 1.5;      // at rho 1 and 3
constexpr double kWideGridLimit = 1.10;  // at rho 1 and 3
constexpr double kRhoJudgedForEntries = 3;

// The blocking latency is where in the probes' spacing a fault happens to end: its median needs more seeds than the costs do, and only ours
// have to run.
constexpr int kLatencySeedsPerSeed = 20;
constexpr const char* kLatencyScenarios[] = {"S1", "S2", "S3"};

// Healthy and slow: too long for every arm, and of interest for ours only.
constexpr char kHealthyLow[] = "S0-low";
constexpr std::int64_t kHealthyCalls = 1'000'000;

class Judge {
 public:
  Judge(const std::vector<RunRecord>& records, const std::vector<std::string>& entries) : costs_(records), entries_(entries) {
    report_.seeds = static_cast<int>(costs_.seeds());
    for (const Arm& arm : StandardGrid()) standard_.push_back(arm.name);
    wide_ = costs_.ArmsWithPrefix("wide-");
  }

  BarReport Ratios() && {
    if (HasRuns()) {
      JudgeCostAtRho();
      JudgeDefaultCost();
    }
    return Finish();
  }

  BarReport All() && {
    if (HasRuns()) {
      JudgeCostAtRho();
      JudgeDefaultCost();
      JudgeWideGrid();
      JudgeHealthy();
      JudgeLatencies();
    }
    return Finish();
  }

 private:
  bool HasRuns() {
    if (costs_.seeds() > 0) {
      resamples_ = Resamples(costs_.seeds());
      return true;
    }
    report_.missing.push_back("no seed has all runs");
    return false;
  }

  BarReport Finish() {
    report_.all_met = report_.missing.empty() &&
                      std::all_of(report_.bars.begin(), report_.bars.end(), [](const Bar& bar) { return !bar.judged || bar.met(); });
    return std::move(report_);
  }

  /// Nothing, and noted as missing, when runs are not there.
  std::optional<Comparison> TryCompare(const std::string& ours, double rho, const std::vector<std::string>& rivals,
                                       const std::vector<std::string>& entries, double smoothing = kSmoothing) {
    std::vector<std::string> arms = rivals;
    arms.push_back(ours);
    for (const std::string& entry : entries) {
      for (const std::string& arm : arms) {
        if (!costs_.Find(entry, arm).empty()) continue;
        report_.missing.push_back(absl::StrCat(entry, " with ", arm));
        return std::nullopt;
      }
    }
    return Compare(costs_, {entries, ours, rivals, rho, smoothing}, resamples_);
  }

  void Add(std::string name, const Interval& value, double limit, bool judged = true, bool is_mean_ratio = false) {
    report_.bars.push_back({std::move(name), value, limit, judged, is_mean_ratio});
  }

  void JudgeCostAtRho() {
    std::vector<std::string> without_s0;
    for (const std::string& entry : entries_) {
      if (!absl::StartsWith(entry, "S0")) without_s0.push_back(entry);
    }
    for (const auto& [rho, limit] : kCostAtRho) {
      const std::string ours = AdaptiveArm(rho).name;
      const std::optional<Comparison> comparison = TryCompare(ours, rho, standard_, entries_);
      if (!comparison.has_value()) continue;
      const std::string name = absl::StrCat("cost ", rho, ", rho ", rho);
      Add(absl::StrCat(name, ": geometric mean"), comparison->geometric_mean, limit, /*judged=*/true, /*is_mean_ratio=*/true);
      if (rho <= kRhoJudgedForEntries) {
        const auto worst = std::max_element(comparison->entries.begin(), comparison->entries.end(),
                                            [](const EntryRatio& a, const EntryRatio& b) { return a.ratio.high < b.ratio.high; });
        Add(absl::StrCat(name, ": worst entry, ", worst->entry), worst->ratio, kEntryLimit);
      }
      if (const auto c = TryCompare(ours, rho, standard_, without_s0))
        Add(absl::StrCat(name, ": without S0"), c->geometric_mean, limit, false);
      for (const double smoothing : {1.0, 100.0}) {
        if (const auto c = TryCompare(ours, rho, standard_, entries_, smoothing)) {
          Add(absl::StrCat(name, ": smoothing ", smoothing), c->geometric_mean, limit, false);
        }
      }
      Add(absl::StrCat(name, ": against the best single one"), comparison->against_best_single, 1, false);
      report_.entries.insert(report_.entries.end(), comparison->entries.begin(), comparison->entries.end());
    }
    const auto place = [&](const EntryRatio& ratio) {
      return std::make_pair(std::find(entries_.begin(), entries_.end(), ratio.entry), ratio.rho);
    };
    std::sort(report_.entries.begin(), report_.entries.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  }

  void JudgeDefaultCost() {
    for (const auto& [rho, limit] : kCostAtRho) {
      if (const auto c = TryCompare(AdaptiveArm(kDefaultCost).name, rho, standard_, entries_)) {
        // At its own rho it is there already.
        Add(absl::StrCat("cost ", kDefaultCost, ", rho ", rho, ": geometric mean"), c->geometric_mean, limit, rho <= kRhoJudgedForEntries,
            /*is_mean_ratio=*/rho != kDefaultCost);
      }
    }
  }

  void JudgeWideGrid() {
    if (wide_.empty()) {
      report_.missing.push_back("the wide grid");
      return;
    }
    for (const double rho : {1.0, 3.0}) {
      const std::optional<Comparison> comparison = TryCompare(AdaptiveArm(kDefaultCost).name, rho, wide_, entries_);
      if (!comparison.has_value()) continue;
      const std::string name = absl::StrCat("cost ", kDefaultCost, ", rho ", rho, ", wide grid");
      Add(absl::StrCat(name, ": geometric mean"), comparison->geometric_mean, kWideGridLimit);
      Add(absl::StrCat(name, ": against the best single one"), comparison->against_best_single, 1);
    }
  }

  void JudgeHealthy() {
    struct Healthy {
      const char* scenario;
      double openings;
    };
    for (const auto& [scenario, limit] : {Healthy{"S0-1", 0}, Healthy{"S0-5", 0}, Healthy{kHealthyLow, 1}}) {
      std::int64_t calls = 0;
      std::int64_t openings = 0;
      for (const Figures* const figures : costs_.Find(scenario, AdaptiveArm(kDefaultCost).name)) {
        calls += figures->calls;
        openings += figures->openings;
      }
      const double per_million = calls == 0 ? 0 : static_cast<double>(openings) * kHealthyCalls / static_cast<double>(calls);
      // A rare event is counted, not resampled.
      Add(absl::StrCat(scenario, ": openings in 10^6 calls"), {per_million, per_million, per_million}, limit);
      if (calls < kHealthyCalls) report_.missing.push_back(absl::StrCat(scenario, ": ", calls, " calls, 10^6 are needed; more seeds"));
    }
  }

  void JudgeMedian(const std::string& what, const std::string& scenario, const std::string& arm, double limit,
                   const std::function<std::optional<double>(const Figures&)>& figure) {
    std::vector<double> by_seed;
    for (const Figures* const figures : costs_.FindAll(scenario, arm)) {
      by_seed.push_back(figure(*figures).value_or(std::numeric_limits<double>::infinity()));
    }
    if (by_seed.empty()) {
      report_.missing.push_back(absl::StrCat(scenario, " with ", arm));
      return;
    }
    std::vector<double> medians;
    for (const Weights& weights : Resamples(by_seed.size())) medians.push_back(WeightedMedian(by_seed, weights));
    Add(absl::StrCat(scenario, ", ", arm, ": ", what), IntervalOf(std::move(medians)), limit);
  }

  void JudgeLatencies() {
    struct Latency {
      const char* scenario;
      double cost;
      double limit;
    };
    const auto blocking = [](const Figures& f) { return f.blocking_latency_s; };
    for (const auto& [scenario, cost, limit] :
         {Latency{"S1", 3, 0.40}, Latency{"S2", 3, 0.40}, Latency{"S1", 1, 0.30}, Latency{"S2", 1, 0.30}, Latency{"S3", 3, 0.70}}) {
      JudgeMedian("median blocking latency, s", scenario, AdaptiveArm(cost).name, limit, blocking);
    }
    for (const char* const scenario : {"S9", "S9-nobudget"}) {
      JudgeMedian("median recovery, s", scenario, AdaptiveArm(kDefaultCost).name, 1, [](const Figures& f) { return f.recovery_s; });
    }
  }

  const CostTable costs_;
  const std::vector<std::string>& entries_;
  std::vector<Weights> resamples_;
  std::vector<std::string> standard_;
  std::vector<std::string> wide_;
  BarReport report_;
};

}  // namespace

const std::vector<std::string>& BarEntries() {
  static const auto* const entries = new std::vector<std::string>{
      "S0-1",    "S0-5",   "S1",           "S2",           "S3",           "S4-30",      "S4-60",      "S5",        "S6-fast",
      "S6-slow", "S7",     "S8",           "S9",           "S9-nobudget",  "S10-2",      "S10-20",     "S11",       "S12",
      "S13-S1",  "S13-S8", "S14-chain-S1", "S14-chain-S3", "S14-chain-S9", "S14-fan-S1", "S14-fan-S3", "S14-fan-S9"};
  return *entries;
}

std::vector<Scenario> BarScenarios() {
  std::vector<Scenario> scenarios;
  for (const std::string& id : BarEntries()) scenarios.push_back(*FindShippedScenario(id));
  return scenarios;
}

Plan RatioPlan(std::vector<Scenario> scenarios, std::uint64_t first_seed, int seeds) {
  Plan plan;
  plan.first_seed = first_seed;
  plan.seeds = seeds;
  plan.scenarios = std::move(scenarios);
  for (const CostBar& bar : kCostAtRho) plan.arms.push_back(AdaptiveArm(bar.rho));
  for (Arm& arm : StandardGrid()) plan.arms.push_back(std::move(arm));
  return plan;
}

std::vector<Plan> BarPlans(std::uint64_t first_seed, int seeds, bool wide_grid) {
  Plan entries = RatioPlan(BarScenarios(), first_seed, seeds);
  if (wide_grid) {
    for (Arm& arm : WideGrid()) entries.arms.push_back(std::move(arm));
  }
  Plan healthy;
  healthy.first_seed = first_seed;
  healthy.seeds = seeds;
  healthy.scenarios = {*FindShippedScenario(kHealthyLow)};
  healthy.arms = {AdaptiveArm(kDefaultCost)};
  Plan latency;
  latency.first_seed = first_seed + static_cast<std::uint64_t>(seeds);
  latency.seeds = (kLatencySeedsPerSeed - 1) * seeds;
  for (const char* const id : kLatencyScenarios) latency.scenarios.push_back(*FindShippedScenario(id));
  latency.arms = {AdaptiveArm(kDefaultCost), AdaptiveArm(1)};
  return {std::move(entries), std::move(healthy), std::move(latency)};
}

BarReport JudgeBars(const std::vector<RunRecord>& records) { return Judge(records, BarEntries()).All(); }

BarReport JudgeRatios(const std::vector<RunRecord>& records, const std::vector<std::string>& entries) {
  return Judge(records, entries).Ratios();
}

std::vector<Bar> GeometricMeans(const BarReport& report) {
  std::vector<Bar> means;
  std::copy_if(report.bars.begin(), report.bars.end(), std::back_inserter(means), [](const Bar& bar) { return bar.is_mean_ratio; });
  return means;
}

}  // namespace recloser::sim
