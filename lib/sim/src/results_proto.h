// Results as messages. Thread safety: pure functions.
#ifndef RECLOSER_SIM_SRC_RESULTS_PROTO_H_
#define RECLOSER_SIM_SRC_RESULTS_PROTO_H_

#include <google/protobuf/message.h>

#include <string>

#include "recloser/sim/runner.h"
#include "recloser/sim/v1/results.pb.h"

namespace recloser::sim {

void ToProto(const RunRecord& record, v1::Run* run);

/// Indented, numbers that are 0 included.
std::string ToJson(const google::protobuf::Message& message);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_RESULTS_PROTO_H_
