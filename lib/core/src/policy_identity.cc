#include "policy_identity.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "breaker_identity.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

auto Fields(const RetryOptions& o) {
  return std::tie(o.mode, o.max_attempts, o.retryable_codes, o.retry_attempt_timeouts, o.retry_rejections, o.retry_server_streams,
                  o.backoff.base, o.backoff.multiplier, o.backoff.cap);
}

bool SameBudget(const RetryBudgetOptions& a, const RetryBudgetOptions& b) {
  return std::tie(a.enabled, a.max_tokens, a.token_ratio) == std::tie(b.enabled, b.max_tokens, b.token_ratio);
}

bool SameEntries(const std::map<std::string, MethodPolicy>& a, const std::map<std::string, MethodPolicy>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && SamePolicy(x.second, y.second); });
}

bool SameShadow(const std::optional<BreakerOptions>& a, const std::optional<BreakerOptions>& b) {
  return a && b ? SameBreaker(*a, *b) : a.has_value() == b.has_value();
}

}  // namespace

bool SamePolicy(const MethodPolicy& a, const MethodPolicy& b) {
  return a.deadline == b.deadline && a.attempt_timeout == b.attempt_timeout && a.stream_idle_timeout == b.stream_idle_timeout &&
         Fields(a.retry) == Fields(b.retry) && SameBreaker(a.breaker, b.breaker) && SameShadow(a.shadow_breaker, b.shadow_breaker);
}

bool SamePolicies(const Policies& a, const Policies& b) {
  return SamePolicy(a.defaults, b.defaults) && SameEntries(a.services, b.services) && SameEntries(a.methods, b.methods) &&
         SameBudget(a.retry_budget, b.retry_budget);
}

Policies WithIdentifiedHooks(Policies policies) {
  const auto identify = [](MethodPolicy& policy) {
    policy.breaker.classify = Identified(std::move(policy.breaker.classify));
    if (policy.shadow_breaker) policy.shadow_breaker->classify = Identified(std::move(policy.shadow_breaker->classify));
  };
  identify(policies.defaults);
  for (auto& [key, policy] : policies.services) identify(policy);
  for (auto& [key, policy] : policies.methods) identify(policy);
  return policies;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
