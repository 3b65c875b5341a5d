// A realised scenario as a plan for the fault service. Thread safety: pure.
#ifndef RECLOSER_TOOLS_EVALUATE_FAULT_PLAN_H_
#define RECLOSER_TOOLS_EVALUATE_FAULT_PLAN_H_

#include <cstdint>

#include "recloser/core/time.h"
#include "recloser/demo/v1/fault.pb.h"
#include "recloser/sim/scenario.h"

namespace recloser::tools {

/// The status message of failures that are not counted as wasted (sim::kExcusedErrorShare).
inline constexpr char kBackgroundFailure[] = "background failure";

/// The plan begins `lead` before the warm-up, healthy. `seed`: of service times and errors, not 0.
demo::v1::FaultPlan FaultPlanOf(const sim::Scenario& scenario, Duration lead, std::uint64_t seed);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_FAULT_PLAN_H_
