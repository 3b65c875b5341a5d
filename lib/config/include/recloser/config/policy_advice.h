// What a valid policy set may do that nobody wants, said before it happens. `recloser check` prints it.
//
//   for (const PolicyAdvice& advice : Advise(*set, {})) LOG(WARNING) << advice.where << ": " << advice.text;
//
// Thread safety: pure functions; values.
#ifndef RECLOSER_CONFIG_POLICY_ADVICE_H_
#define RECLOSER_CONFIG_POLICY_ADVICE_H_

#include <google/protobuf/descriptor.pb.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/policies.h"
#include "recloser/core/policy_source.h"

namespace recloser {
inline namespace RECLOSER_API {

struct PolicyAdvice {
  enum class Level {
    kNote,     // worth knowing
    kWarning,  // most likely a mistake
  };
  Level level = Level::kWarning;
  /// "orders.Orders/Get", "orders.Orders", "defaults", "retry budget"; with "dns:///orders:443 " before it for a target of its own.
  std::string where;
  /// One line.
  std::string text;
};
absl::string_view LevelName(PolicyAdvice::Level level);  // "note", "warning"

/// What is known beside the policies.
struct AdviceOptions {
  /// gRPC's service config of the same channels (service_config.h). May be null.
  const Policies* service_config = nullptr;
  /// The services' descriptors: which methods there are, and which may be repeated. May be null.
  const google::protobuf::FileDescriptorSet* descriptors = nullptr;
};

/// `set` must be valid. In the order of the entries.
std::vector<PolicyAdvice> Advise(const PolicySet& set, const AdviceOptions& options);

/// A policy in words, for people: {"retry", "calls declared idempotent, 3 attempts, on UNAVAILABLE"} and so on. Of a breaker's options
/// those that differ from their defaults.
std::vector<std::pair<std::string, std::string>> Describe(const MethodPolicy& policy);
std::string Describe(const RetryBudgetOptions& budget);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CONFIG_POLICY_ADVICE_H_
