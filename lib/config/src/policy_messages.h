// The policy schema's messages to and from the core's structs. Thread safety: pure functions.
#ifndef RECLOSER_CONFIG_SRC_POLICY_MESSAGES_H_
#define RECLOSER_CONFIG_SRC_POLICY_MESSAGES_H_

#include <string>

#include "absl/status/statusor.h"
#include "recloser/config/policies.h"
#include "recloser/config/v1/policies.pb.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// INVALID_ARGUMENT with the path of the message's field.
absl::StatusOr<PolicySet> PolicySetFromProto(const config::v1::PolicyFile& file, const PolicyParts& parts);

/// Every field is set. A `classify` hook is left out.
config::v1::PolicyFile PolicySetToProto(const PolicySet& set);

/// The fields that are set.
std::string PolicyFileToJson(const config::v1::PolicyFile& file);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_POLICY_MESSAGES_H_
