// Sets the fault plan of a fault server that runs.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_BEGIN_PLAN_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_BEGIN_PLAN_H_

#include <string>

#include "absl/status/statusor.h"
#include "demo_services/load_client/recorder.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

/// When the plan began, as the server behind the address `control` says. UNAVAILABLE, in one line, when it did not take it.
absl::StatusOr<SteadyTime> BeginPlan(const std::string& control, const v1::FaultPlan& plan);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_BEGIN_PLAN_H_
