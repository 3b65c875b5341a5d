// The runs of a report, looked up by scenario and arm.
#ifndef RECLOSER_SIM_SRC_REPORT_RUNS_H_
#define RECLOSER_SIM_SRC_REPORT_RUNS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recloser/sim/figures.h"
#include "recloser/sim/runner.h"

namespace recloser::sim::report {

/// Ours with its cost at the default, the arm that the pictures over time follow.
inline constexpr char kOurs[] = "adaptive";
inline constexpr char kNone[] = "none";

bool IsOurs(const std::string& arm);          // with any cost; not with a part taken out
bool IsStandard(const std::string& arm);      // of the narrow grid
bool IsWideStandard(const std::string& arm);  // of the wide grid

/// The rhos that pictures and tables show.
inline constexpr double kRhos[] = {1, 3, 10, 30};
/// The name of ours with its cost at rho.
std::string OursAt(double rho);

using SeedFigures = std::vector<const Figures*>;

/// Of all seeds.
double Mean(const SeedFigures& seeds, const std::function<double(const Figures&)>& get);
double MeanCost(const SeedFigures& seeds, double rho);
double MeanWasted(const SeedFigures& seeds);
double MeanGoodRejected(const SeedFigures& seeds);
/// Of the seeds that have one.
std::optional<double> Median(const std::vector<double>& values);
std::vector<double> Present(const SeedFigures& seeds, std::optional<double> Figures::*member);

/// One arm that a picture shows by a colour of its own.
struct Featured {
  std::string arm;
  std::string text;
};

class Runs {
 public:
  /// `records` must outlive this.
  explicit Runs(const std::vector<RunRecord>& records);

  Pattern pattern() const { return pattern_; }
  /// In the order of the records.
  const std::vector<std::string>& scenarios() const { return scenarios_; }
  std::vector<std::string> Arms(const std::string& scenario) const;
  /// Empty when there is none.
  const SeedFigures& Find(const std::string& scenario, const std::string& arm) const;
  std::size_t seeds() const { return seeds_; }

  /// The arm of that kind with the lowest mean cost; nothing when none ran.
  std::optional<std::string> Best(const std::string& scenario, double rho, bool (*kind)(const std::string&)) const;
  /// Ours, the best standard configuration at the default cost, no breaker and others, at most five.
  std::vector<Featured> FeaturedArms(const std::string& scenario) const;

 private:
  Pattern pattern_ = Pattern::kScenario;
  std::size_t seeds_ = 0;
  std::vector<std::string> scenarios_;
  std::map<std::string, std::vector<std::string>> arms_;
  std::map<std::pair<std::string, std::string>, SeedFigures> figures_;
};

/// Ours with its cost at rho against the best of the wide grid, as in the ratios; nothing when one of them did not run.
std::optional<double> WideGridRatio(const std::string& entry, double rho, const Runs& runs);

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_RUNS_H_
