#include <algorithm>

#include "recloser/sim/scenario.h"
#include "shipped_files.h"

namespace recloser::sim {

const std::vector<Scenario>& ShippedScenarios() {
  static const auto* const scenarios = [] {
    auto* parsed = new std::vector<Scenario>;
    for (const char* const text : ShippedFiles()) {
      // A test parses every one of them.
      if (absl::StatusOr<Scenario> scenario = ParseScenario(text, FileFormat::kJson); scenario.ok())
        parsed->push_back(*std::move(scenario));
    }
    return parsed;
  }();
  return *scenarios;
}

const Scenario* FindShippedScenario(absl::string_view id) {
  const std::vector<Scenario>& all = ShippedScenarios();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Scenario& scenario) { return scenario.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace recloser::sim
