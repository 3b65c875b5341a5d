// Several live runs at the same time, each with processes of its own: they meet the same machine in the same minute.
#ifndef RECLOSER_TOOLS_EVALUATE_LIVE_RUNS_H_
#define RECLOSER_TOOLS_EVALUATE_LIVE_RUNS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "demo_services/common/interrupt.h"
#include "evaluate/live_run.h"

namespace recloser::tools {

/// The results in the order of `specs`; CANCELLED when `interrupt` was requested. `progress` is called often, with the time since the
/// begin. `program`: this one.
absl::StatusOr<std::vector<LiveResult>> RunTogether(const std::vector<LiveSpec>& specs, const std::string& program,
                                                    const demo::Interrupt& interrupt, const std::function<void(Duration)>& progress);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_LIVE_RUNS_H_
