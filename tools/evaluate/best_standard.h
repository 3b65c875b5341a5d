// The one configuration of the standard breaker that does best over several scenarios. Thread safety: pure; starts threads of its own.
#ifndef RECLOSER_TOOLS_EVALUATE_BEST_STANDARD_H_
#define RECLOSER_TOOLS_EVALUATE_BEST_STANDARD_H_

#include <functional>
#include <optional>
#include <vector>

#include "recloser/sim/arms.h"
#include "recloser/sim/runner.h"
#include "recloser/sim/scenario.h"

namespace recloser::tools {

/// Of the grid of 20: the smallest geometric mean of J(3) + 20 over the scenarios, each the mean of some simulated runs. Nothing when
/// `progress` ended it.
std::optional<sim::Arm> BestStandard(const std::vector<sim::Scenario>& scenarios,
                                     const std::function<bool(const sim::Progress&)>& progress);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_BEST_STANDARD_H_
