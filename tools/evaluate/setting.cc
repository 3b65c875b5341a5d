#include "evaluate/setting.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lookup.h"
#include "recloser/sim/realised.h"

namespace recloser::tools {

absl::Status CheckPlayable(const sim::Scenario& scenario) {
  const auto refused = [&](const char* field, auto value) {
    return absl::InvalidArgumentError(
        absl::StrCat("--scenario ", scenario.id, ": ", field, ": ", value, " can't be played live; must be 1 (recloser simulate can)"));
  };
  if (scenario.services.size() != 1) return refused("services", scenario.services.size());
  if (scenario.services.front().endpoints != 1) return refused("services[0].endpoints", scenario.services.front().endpoints);
  if (scenario.load.clients != 1) return refused("load.clients", scenario.load.clients);
  return absl::OkStatus();
}

absl::StatusOr<sim::Scenario> MakeScaled(const Setting& setting) {
  absl::StatusOr<sim::Scenario> scenario = FindScenario(setting.scenario);
  if (!scenario.ok()) return scenario.status();
  if (absl::Status status = CheckPlayable(*scenario); !status.ok()) return status;
  scenario->warm_up = setting.warm_up;
  scenario->length = std::min(scenario->length, setting.longest);
  return sim::Scaled(*scenario, setting.scale);
}

absl::StatusOr<sim::Scenario> MakeReady(const Setting& setting) {
  absl::StatusOr<sim::Scenario> scenario = MakeScaled(setting);
  if (!scenario.ok()) return scenario.status();
  return sim::Realised(*scenario, setting.seed);
}

}  // namespace recloser::tools
