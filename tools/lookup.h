// Scenarios, arms and patterns by the names that flags give them. Thread safety: pure functions.
#ifndef RECLOSER_TOOLS_LOOKUP_H_
#define RECLOSER_TOOLS_LOOKUP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/scenario.h"

namespace recloser::tools {

/// A shipped scenario's id, or a file. Errors begin with the flag.
absl::StatusOr<sim::Scenario> FindScenario(const std::string& name);

/// An arm's name, or the first part of names up to a '*'. Empty: there is none.
std::vector<sim::Arm> FindArms(const std::string& name);

std::vector<std::string> PatternNames();
/// `name` must be one of those.
sim::Pattern FindPattern(const std::string& name);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_LOOKUP_H_
