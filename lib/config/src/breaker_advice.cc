#include "breaker_advice.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// As in the core's own check of the weight of errors.
constexpr double kRounding = 1e-9;

using Level = PolicyAdvice::Level;

void AdviseRating(const RatingOptions& rating, const std::string& where, const std::string& which, std::vector<PolicyAdvice>* advice) {
  double total = 0;
  for (const WeightedMetric& metric : rating.metrics) total += metric.weight;
  for (const WeightedMetric& metric : rating.metrics) {
    const double share = metric.weight / total;
    const double to_open = 1 - rating.open_threshold;
    const double to_stay_open = 1 - rating.close_threshold;
    const std::string weight = absl::StrCat(which, "the weight of ", metric.metric->name(), ", ", share, " of all, is too small to ");
    if (share == 0) {
      advice->push_back({Level::kNote, where, absl::StrCat(which, metric.metric->name(), " has weight 0 and counts for nothing")});
    } else if (share <= to_stay_open + kRounding) {
      advice->push_back({Level::kWarning, where, absl::StrCat(weight, "keep the link open alone, which takes more than ", to_stay_open)});
    } else if (share <= to_open + kRounding) {
      advice->push_back({Level::kWarning, where, absl::StrCat(weight, "open the link alone, which takes more than ", to_open)});
    }
  }
}

void AdviseBreaker(const MethodPolicy& policy, const BreakerOptions& breaker, const std::string& where, const std::string& which,
                   std::vector<PolicyAdvice>* advice) {
  if (breaker.mode == BreakerMode::kDisabled) return;
  const auto* const standard = std::get_if<StandardBreakerOptions>(&breaker.kind);
  const std::optional<Duration> longest = policy.attempt_timeout ? policy.attempt_timeout : policy.deadline;
  if (standard != nullptr && standard->slow_call_rate_threshold < 1 && longest && standard->slow_call_duration >= *longest) {
    advice->push_back({Level::kWarning, where,
                       absl::StrCat(which, "slow_call_duration ", FormatDuration(standard->slow_call_duration),
                                    " is never reached: attempts end at ", FormatDuration(*longest))});
  }
  const auto* const adaptive = std::get_if<AdaptiveBreakerOptions>(&breaker.kind);
  if (adaptive != nullptr) AdviseRating(adaptive->rating, where, which, advice);
}

/// "": nothing is in shadow.
std::string ShadowText(const MethodPolicy& policy) {
  const bool beside = policy.shadow_breaker.has_value();
  if (policy.breaker.mode == BreakerMode::kShadow) {
    return absl::StrCat("breaker in shadow: it counts what it would reject and blocks nothing; ENFORCE turns it on",
                        beside ? ". The shadow_breaker runs beside nothing that is enforced" : "");
  }
  if (!beside) return "";
  return policy.breaker.mode == BreakerMode::kDisabled ? "shadow_breaker counts what it would reject; nothing is enforced"
                                                       : "shadow_breaker counts what it would do otherwise than the enforced breaker";
}

}  // namespace

void AdviseBreakers(const MethodPolicy& policy, const std::string& where, std::vector<PolicyAdvice>* advice) {
  AdviseBreaker(policy, policy.breaker, where, "", advice);
  if (policy.shadow_breaker) AdviseBreaker(policy, *policy.shadow_breaker, where, "shadow_breaker: ", advice);
  const std::string shadow = ShadowText(policy);
  if (!shadow.empty()) advice->push_back({Level::kNote, where, shadow});
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
