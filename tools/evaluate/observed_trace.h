// What a client's trace says, in the terms of the simulator's bookkeeping. Thread safety: pure.
#ifndef RECLOSER_TOOLS_EVALUATE_OBSERVED_TRACE_H_
#define RECLOSER_TOOLS_EVALUATE_OBSERVED_TRACE_H_

#include "demo_services/load_client/recorder.h"
#include "recloser/demo/v1/report.pb.h"
#include "recloser/sim/observed.h"

namespace recloser::tools {

/// `origin`: the end of the warm-up on the machine's steady clock.
sim::Observed ObservedOf(const demo::v1::LoadTrace& trace, demo::SteadyTime origin);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_OBSERVED_TRACE_H_
