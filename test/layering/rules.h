// The rules: who may include whom, what the core may not name, what every file looks like.
#ifndef RECLOSER_TEST_LAYERING_RULES_H_
#define RECLOSER_TEST_LAYERING_RULES_H_

#include <vector>

#include "source_tree.h"

namespace recloser::layering {

/// * lib/core includes the C++ library, absl/, recloser/core/ and its own private headers only, and names no clock that can be read, no
/// sleep
///   and no thread; locks are in its concurrent shell only.
/// * lib includes no gRPC; interceptors include neither Prometheus nor the simulator.
/// * `prometheus::` appears in lib/prometheus and the demo services (and in their tests) only.
/// * The libraries neither throw nor print nor exit.
std::vector<Breach> CheckLayering(const std::vector<SourceFile>& files);

/// No tabs, no space at the end of a line, one line break at the end of a file, nothing left to do; headers have guards named after their
/// path, public ones say what they are for.
std::vector<Breach> CheckHygiene(const std::vector<SourceFile>& files);

}  // namespace recloser::layering

#endif  // RECLOSER_TEST_LAYERING_RULES_H_
