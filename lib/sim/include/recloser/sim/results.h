// Results as a file: proto/recloser/sim/v1/results.proto in JSON. Thread safety: pure.
#ifndef RECLOSER_SIM_RESULTS_H_
#define RECLOSER_SIM_RESULTS_H_

#include <string>
#include <vector>

#include "recloser/sim/runner.h"

namespace recloser::sim {

/// A `Results` message as indented JSON, numbers that are 0 included.
std::string ResultsToJson(const std::vector<RunRecord>& records);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_RESULTS_H_
