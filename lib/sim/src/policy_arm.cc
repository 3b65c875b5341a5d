#include "policy_arm.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recloser/config/policies.h"

namespace recloser::sim {

Policies PartOf(Policies policies, Pattern pattern) {
  MethodPolicy& policy = policies.defaults;
  if (pattern == Pattern::kBreaker || pattern == Pattern::kBreakerTimeout) policy.retry.mode = RetryMode::kNever;
  if (pattern == Pattern::kBreaker || pattern == Pattern::kBreakerRetry) policy.attempt_timeout = policy.deadline = std::nullopt;
  return policies;
}

absl::StatusOr<Arm> PolicyFileArm(const std::string& path) {
  absl::StatusOr<PolicySet> set = ReadPolicyFile(path);
  if (!set.ok()) return set.status();
  Arm arm{std::filesystem::path(path).filename().string(), absl::StrCat("the policies of ", path), set->defaults.defaults.breaker};
  Policies& policies = arm.policies.emplace();
  policies.defaults = std::move(set->defaults.defaults);
  policies.retry_budget = set->defaults.retry_budget;
  return arm;
}

}  // namespace recloser::sim
