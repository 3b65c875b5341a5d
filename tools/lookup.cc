#include "lookup.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace recloser::tools {

absl::StatusOr<sim::Scenario> FindScenario(const std::string& name) {
  if (const sim::Scenario* const shipped = sim::FindShippedScenario(name)) return *shipped;
  if (name.find('.') != std::string::npos) return sim::ReadScenarioFile(name);
  return absl::NotFoundError(absl::StrCat("--scenario ", name, ": neither a shipped scenario (--list shows them) nor a file"));
}

std::vector<sim::Arm> FindArms(const std::string& name) {
  if (name.empty() || name.back() != '*') {
    const sim::Arm* const arm = sim::FindArm(name);
    return arm == nullptr ? std::vector<sim::Arm>() : std::vector<sim::Arm>{*arm};
  }
  std::vector<sim::Arm> matching;
  for (std::vector<sim::Arm> arms : {sim::DefaultArms(), sim::WideGrid()}) {
    for (sim::Arm& arm : arms) {
      if (arm.name.compare(0, name.size() - 1, name, 0, name.size() - 1) == 0) matching.push_back(std::move(arm));
    }
  }
  return matching;
}

std::vector<std::string> PatternNames() {
  std::vector<std::string> names;
  for (int i = 0; i < sim::kPatterns; ++i) names.emplace_back(sim::PatternName(static_cast<sim::Pattern>(i)));
  return names;
}

sim::Pattern FindPattern(const std::string& name) {
  for (int i = 0; i < sim::kPatterns; ++i) {
    if (sim::PatternName(static_cast<sim::Pattern>(i)) == name) return static_cast<sim::Pattern>(i);
  }
  return sim::Pattern::kScenario;
}

}  // namespace recloser::tools
