#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "field_access.h"
#include "policy_messages.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace v1 = config::v1;

void Write(const RetryOptions& from, v1::Retry* to) {
  WriteFields(from, to);
  for (const absl::StatusCode code : from.retryable_codes) to->add_retryable_codes(static_cast<v1::Retry::Code>(code));
  if (from.retryable_codes.empty()) to->add_retryable_codes(v1::Retry::NONE);
  WriteFields(from.backoff, to->mutable_backoff());
}

void Write(const AdaptiveBreakerOptions& from, v1::AdaptiveBreaker* to) {
  WriteFields(from, to);
  WriteFields(from.rating, to->mutable_rating());
  for (const WeightedMetric& metric : from.rating.metrics) {
    v1::WeightedMetric* const added = to->mutable_rating()->add_metrics();
    added->set_name(std::string(metric.metric->name()));
    added->set_weight(metric.weight);
  }
  WriteFields(from.window, to->mutable_window());
}

void Write(const BreakerOptions& from, v1::Breaker* to) {
  WriteFields(from, to);
  if (const auto* adaptive = std::get_if<AdaptiveBreakerOptions>(&from.kind)) Write(*adaptive, to->mutable_adaptive());
  if (const auto* standard = std::get_if<StandardBreakerOptions>(&from.kind)) WriteFields(*standard, to->mutable_standard());
  if (const auto* custom = std::get_if<CustomBreaker>(&from.kind)) to->set_custom(custom->name);
}

v1::Name* Write(const MethodPolicy& from, v1::MethodConfig* to) {
  WriteFields(from, to);
  Write(from.retry, to->mutable_retry());
  Write(from.breaker, to->mutable_breaker());
  if (from.shadow_breaker) Write(*from.shadow_breaker, to->mutable_shadow_breaker());
  return to->add_name();
}

/// `To`: a file or one of its targets, which have the same two fields.
template <class To>
void Write(const Policies& from, To* to) {
  WriteFields(from.retry_budget, to->mutable_retry_budget());
  Write(from.defaults, to->add_method_config());
  for (const auto& [service, policy] : from.services) Write(policy, to->add_method_config())->set_service(service);
  for (const auto& [key, policy] : from.methods) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(key, absl::MaxSplits('/', 1));
    v1::Name* const name = Write(policy, to->add_method_config());
    name->set_service(parts.first);
    name->set_method(parts.second);
  }
}

}  // namespace

v1::PolicyFile PolicySetToProto(const PolicySet& set) {
  v1::PolicyFile file;
  Write(set.defaults, &file);
  for (const auto& [target, policies] : set.targets) {
    v1::TargetConfig* const config = file.add_targets();
    config->add_target(target);
    Write(policies, config);
  }
  return file;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
