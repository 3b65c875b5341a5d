// Figures of many runs, looked up by scenario and arm. Thread safety: const members from any thread.
#ifndef RECLOSER_SIM_SRC_COST_TABLE_H_
#define RECLOSER_SIM_SRC_COST_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recloser/sim/figures.h"
#include "recloser/sim/runner.h"

namespace recloser::sim {

class CostTable {
 public:
  /// Runs of Pattern::kScenario. `records` must outlive the table.
  explicit CostTable(const std::vector<RunRecord>& records);

  /// The seeds that every scenario and arm has.
  std::size_t seeds() const { return seeds_; }
  /// One per common seed, in their order; empty when there is no such run.
  const std::vector<const Figures*>& Find(const std::string& scenario, const std::string& arm) const;
  /// One per seed that this scenario and arm have.
  const std::vector<const Figures*>& FindAll(const std::string& scenario, const std::string& arm) const;
  /// The arms whose names begin so, in the order of their names, of those that ran.
  std::vector<std::string> ArmsWithPrefix(const std::string& prefix) const;

 private:
  using ByKind = std::map<std::pair<std::string, std::string>, std::vector<const Figures*>>;

  ByKind common_;
  ByKind all_;
  std::size_t seeds_ = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_COST_TABLE_H_
