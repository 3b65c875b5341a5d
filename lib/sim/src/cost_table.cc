#include "cost_table.h"

#include <set>

namespace recloser::sim {
namespace {

template <class ByKind>
const std::vector<const Figures*>& FiguresOf(const ByKind& figures, const typename ByKind::key_type& kind) {
  static const auto* const none = new std::vector<const Figures*>;
  const auto found = figures.find(kind);
  return found == figures.end() ? *none : found->second;
}

}  // namespace

CostTable::CostTable(const std::vector<RunRecord>& records) {
  std::map<std::uint64_t, std::size_t> runs;  // by seed
  std::set<std::pair<std::string, std::string>> kinds;
  for (const RunRecord& record : records) {
    if (record.pattern != Pattern::kScenario) continue;
    ++runs[record.seed];
    kinds.emplace(record.scenario, record.arm);
  }
  std::set<std::uint64_t> common;
  for (const auto& [seed, count] : runs) {
    if (count == kinds.size()) common.insert(seed);
  }
  seeds_ = common.size();
  for (const RunRecord& record : records) {
    if (record.pattern != Pattern::kScenario) continue;
    all_[{record.scenario, record.arm}].push_back(&record.result.figures);
    if (common.count(record.seed) > 0) common_[{record.scenario, record.arm}].push_back(&record.result.figures);
  }
}

const std::vector<const Figures*>& CostTable::Find(const std::string& scenario, const std::string& arm) const {
  return FiguresOf(common_, {scenario, arm});
}

const std::vector<const Figures*>& CostTable::FindAll(const std::string& scenario, const std::string& arm) const {
  return FiguresOf(all_, {scenario, arm});
}

std::vector<std::string> CostTable::ArmsWithPrefix(const std::string& prefix) const {
  std::set<std::string> arms;
  for (const auto& [key, figures] : common_) {
    if (key.second.rfind(prefix, 0) == 0) arms.insert(key.second);
  }
  return {arms.begin(), arms.end()};
}

}  // namespace recloser::sim
