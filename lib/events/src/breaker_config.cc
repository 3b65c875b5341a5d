#include "breaker_config.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "json.h"
#include "recloser/config/message_file.h"
#include "recloser/config/policies.h"
#include "recloser/config/v1/policies.pb.h"
#include "valid_text.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {
namespace {

constexpr std::size_t kMaxName = 200;

/// Names that a message can hold.
BreakerOptions WithValidNames(const BreakerOptions& options) {
  BreakerOptions valid = options;
  if (auto* const custom = std::get_if<CustomBreaker>(&valid.kind)) custom->name = ValidText(custom->name, kMaxName);
  if (auto* const adaptive = std::get_if<AdaptiveBreakerOptions>(&valid.kind)) {
    for (WeightedMetric& weighted : adaptive->rating.metrics) {
      if (!IsUsers(*weighted.metric)) continue;
      weighted.metric = std::make_shared<RecordedMetric>(ValidText(weighted.metric->name(), kMaxName), nullptr);
    }
  }
  return valid;
}

}  // namespace

// By way of the policy schema's public functions, which know every field.
v1::BreakerConfig ToMessage(const BreakerOptions& options) {
  PolicySet set;
  set.defaults.defaults.breaker = WithValidNames(options);
  config::v1::PolicyFile file;
  v1::BreakerConfig config;
  if (!ParseMessage(PolicySetToJson(set), FileFormat::kJson, "policy", &file).ok() || file.method_config_size() != 1) return config;
  *config.mutable_breaker() = std::move(*file.mutable_method_config(0)->mutable_breaker());
  if (const auto* const adaptive = std::get_if<AdaptiveBreakerOptions>(&set.defaults.defaults.breaker.kind)) {
    for (const WeightedMetric& weighted : adaptive->rating.metrics) {
      if (IsUsers(*weighted.metric)) config.add_user_metrics(std::string(weighted.metric->name()));
    }
  }
  return config;
}

absl::StatusOr<BreakerOptions> OptionsFromMessage(const v1::BreakerConfig& config, const std::shared_ptr<RecordedMetric::Scores>& scores) {
  config::v1::PolicyFile file;
  config::v1::MethodConfig* const entry = file.add_method_config();
  entry->add_name();
  *entry->mutable_breaker() = config.breaker();
  PolicyParts parts;
  for (const std::string& name : config.user_metrics()) parts.metrics.push_back(std::make_shared<RecordedMetric>(name, scores));
  if (config.breaker().kind_case() == config::v1::Breaker::kCustom) {
    static const auto* const nothing =
        new std::shared_ptr<const CustomBreaker::Factory>(std::make_shared<CustomBreaker::Factory>([](Time, Random) { return nullptr; }));
    parts.breakers.push_back({config.breaker().custom(), *nothing});
  }
  absl::StatusOr<PolicySet> set = ParsePolicies(ToJson(file, JsonFields::kSet), FileFormat::kJson, parts);
  if (!set.ok()) return set.status();
  BreakerOptions options = std::move(set->defaults.defaults.breaker);
  if (auto* const adaptive = std::get_if<AdaptiveBreakerOptions>(&options.kind)) {
    // A metric of the user may be named as a built-in one, which it stands for then.
    for (WeightedMetric& weighted : adaptive->rating.metrics) {
      const auto users = std::find_if(parts.metrics.begin(), parts.metrics.end(),
                                      [&](const auto& metric) { return metric->name() == weighted.metric->name(); });
      if (users != parts.metrics.end()) weighted.metric = *users;
    }
  }
  return options;
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
