// Is a scenario as it was read allowed, and what is it with its defaults?
#ifndef RECLOSER_SIM_SRC_SCENARIO_CHECK_H_
#define RECLOSER_SIM_SRC_SCENARIO_CHECK_H_

#include "absl/status/status.h"
#include "recloser/sim/scenario.h"
#include "recloser/sim/v1/scenario.pb.h"

namespace recloser::sim {

/// INVALID_ARGUMENT with the path of the first field that is not allowed, its value and what is.
absl::Status CheckScenario(const v1::Scenario& scenario);

/// `scenario` must have passed the check.
Scenario ScenarioFromProto(const v1::Scenario& scenario);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_SCENARIO_CHECK_H_
