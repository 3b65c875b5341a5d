// Reading and checking fault plans (fault.proto).
//
//   absl::StatusOr<v1::FaultPlan> plan = ReadPlanFile("plans/crash.json");
//   // INVALID_ARGUMENT: plans/crash.json: phases[2].errors[0].probability: 1.5 is not allowed; must be from 0 to 1
//
// Thread safety: pure functions.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_PLAN_H_
#define RECLOSER_DEMO_SERVICES_FAULT_PLAN_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/config/message_file.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

/// A checked plan. INVALID_ARGUMENT, in one line, for unknown keys, wrong types and what CheckPlan refuses.
absl::StatusOr<v1::FaultPlan> ParsePlan(absl::string_view text, FileFormat format);

/// The same from a file: JSON when its name ends in ".json", protobuf's text format with ".txtpb", ".textproto" or ".pbtxt". The message
/// begins with the path. NOT_FOUND when it can't be read.
absl::StatusOr<v1::FaultPlan> ReadPlanFile(const std::string& path);

/// INVALID_ARGUMENT, naming the field, its value and what is allowed, for a plan that breaks a rule of fault.proto.
absl::Status CheckPlan(const v1::FaultPlan& plan);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_PLAN_H_
