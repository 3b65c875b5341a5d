// Policies as a file: one schema, proto/recloser/config/v1/policies.proto, in JSON or protobuf's text format.
//
//   absl::StatusOr<PolicySet> set = ReadPolicyFile("/etc/recloser/policies.json");
//   if (!set.ok()) return set.status();
//   // INVALID_ARGUMENT: /etc/recloser/policies.json: method_config[1].retry.max_attempts: 0 is not allowed; must be from 1 to 100
//   auto channel = recloser::CreateChannel(target, credentials, set->For(target));
//
// A file is read whole or refused whole. `policy_file.h` watches one and keeps channels up to date with it. Thread safety: pure functions;
// values.
#ifndef RECLOSER_CONFIG_POLICIES_H_
#define RECLOSER_CONFIG_POLICIES_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/config/message_file.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/export.h"
#include "recloser/core/outcome.h"
#include "recloser/core/policy_source.h"
#include "recloser/core/rating.h"

namespace recloser {
inline namespace RECLOSER_API {

/// Code of the application that a policy file may name. Default: none, and a file that names some is refused.
struct PolicyParts {
  /// For `rating.metrics`, by `Metric::name`, beside the built-in ones. Not null.
  std::vector<std::shared_ptr<const Metric>> metrics;
  /// For `breaker.custom`, by `CustomBreaker::name`.
  std::vector<CustomBreaker> breakers;
  /// For `breaker.classify`.
  std::map<std::string, OutcomeHook> classifiers;
};

/// INVALID_ARGUMENT with the field's path, its value and what is allowed: "method_config[1].retry.max_attempts: 0 is not allowed; ...". The
/// result is valid.
absl::StatusOr<PolicySet> ParsePolicies(absl::string_view text, FileFormat format, const PolicyParts& parts = {});

/// The same from a file, whose name ends in .json, .txtpb, .textproto or .pbtxt. Errors begin with the path; NOT_FOUND when it can't be
/// read.
absl::StatusOr<PolicySet> ReadPolicyFile(const std::string& path, const PolicyParts& parts = {});

/// `set` as JSON of the schema with every field written out, defaults too, for people and for `ParsePolicies`. A `classify` hook has no
/// name and is left out.
std::string PolicySetToJson(const PolicySet& set);

/// A short name for the content of a file, the same in all processes: 16 hexadecimal digits (64-bit FNV-1a).
std::string PolicyHash(absl::string_view text);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CONFIG_POLICIES_H_
