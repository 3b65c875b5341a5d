#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy_fields.h"
#include "recloser/config/policy_advice.h"
#include "recloser/core/outcome.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string Shown(bool value) { return value ? "true" : "false"; }
std::string Shown(int value) { return absl::StrCat(value); }
std::string Shown(double value) { return absl::StrCat(value); }
std::string Shown(Duration value) { return FormatDuration(value); }
std::string Shown(StandardBreakerOptions::Window value) { return value == StandardBreakerOptions::Window::kCount ? "COUNT" : "TIME"; }
template <class Other>
std::string Shown(const Other&) {  // only of other structs
  return "";
}

/// "wait 1s", for each plain option that is not as `Options()` has it.
template <class Options>
void AddChanges(const Options& options, std::vector<std::string>* changes) {
  static const auto* const defaults = new Options();
  for (const PolicyField<Options>& field : PolicyFields<Options>()) {
    std::visit(
        [&](const auto member) {
          if (options.*member != defaults->*member) changes->push_back(absl::StrCat(field.name, " ", Shown(options.*member)));
        },
        field.member);
  }
}

std::string WithChanges(absl::string_view kind, const std::vector<std::string>& changes) {
  return absl::StrCat(kind, changes.empty() ? ", all by default" : ", ", absl::StrJoin(changes, ", "));
}

std::string Kind(const BreakerOptions& breaker) {
  std::vector<std::string> changes;
  if (const auto* standard = std::get_if<StandardBreakerOptions>(&breaker.kind)) {
    AddChanges(*standard, &changes);
    return WithChanges("standard", changes);
  }
  if (const auto* custom = std::get_if<CustomBreaker>(&breaker.kind)) return absl::StrCat("the application's own: ", custom->name);
  const auto& adaptive = std::get<AdaptiveBreakerOptions>(breaker.kind);
  AddChanges(adaptive, &changes);
  AddChanges(adaptive.window, &changes);
  return WithChanges("adaptive", changes);
}

const char* ScopeText(BreakerScope scope) {
  switch (scope) {
    case BreakerScope::kMethod:
      return "one per method";
    case BreakerScope::kService:
      return "one per service";
    case BreakerScope::kTarget:
      break;
  }
  return "one per target";
}

/// "" for the default.
std::string RatingText(const RatingOptions& rating) {
  static const auto* const by_default = new RatingOptions();
  const bool same_metrics = std::equal(rating.metrics.begin(), rating.metrics.end(), by_default->metrics.begin(), by_default->metrics.end(),
                                       [](const auto& a, const auto& b) { return a.metric == b.metric && a.weight == b.weight; });
  std::vector<std::string> changes;
  AddChanges(rating, &changes);
  if (same_metrics) return absl::StrJoin(changes, ", ");
  double total = 0;
  for (const WeightedMetric& metric : rating.metrics) total += metric.weight;
  std::vector<std::string> parts;
  for (const WeightedMetric& metric : rating.metrics)
    parts.push_back(absl::StrFormat("%s %.3g", metric.metric->name(), metric.weight / total));
  changes.insert(changes.begin(), absl::StrCat("weights ", absl::StrJoin(parts, ", ")));
  return absl::StrJoin(changes, "; ");
}

void AddBreaker(const std::string& name, const BreakerOptions& breaker, Lines* lines) {
  if (breaker.mode == BreakerMode::kDisabled) {
    lines->emplace_back(name, "none");
    return;
  }
  const char* const acts = breaker.mode == BreakerMode::kEnforce ? "enforced" : "in shadow: counts, blocks nothing";
  lines->emplace_back(name, absl::StrCat(acts, "; ", ScopeText(breaker.scope), breaker.classify ? "; the application classifies" : ""));
  lines->emplace_back("", Kind(breaker));
  const auto* const adaptive = std::get_if<AdaptiveBreakerOptions>(&breaker.kind);
  const std::string rating = adaptive == nullptr ? "" : RatingText(adaptive->rating);
  if (!rating.empty()) lines->emplace_back("", absl::StrCat("rating: ", rating));
}

std::string RetryText(const MethodPolicy& policy) {
  const RetryOptions& retry = policy.retry;
  if (retry.mode == RetryMode::kNever || retry.max_attempts == 1) return "never";
  std::vector<std::string> on;
  for (const absl::StatusCode code : retry.retryable_codes) on.emplace_back(CodeName(code));
  if (retry.retry_attempt_timeouts && policy.attempt_timeout) on.emplace_back("attempt timeouts");
  if (retry.retry_rejections) on.emplace_back("rejections by the breaker");
  return absl::StrCat(retry.mode == RetryMode::kAlways ? "every call" : "calls declared idempotent",
                      retry.retry_server_streams ? ", server streams to their first message" : "", ", ", retry.max_attempts,
                      " attempts, on ", on.empty() ? "nothing" : absl::StrJoin(on, ", "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Describe(const MethodPolicy& policy) {
  Lines lines;
  lines.emplace_back("deadline", policy.deadline ? FormatDuration(*policy.deadline) : "the caller's");
  lines.emplace_back("attempt timeout", policy.attempt_timeout ? FormatDuration(*policy.attempt_timeout) : "none");
  if (policy.stream_idle_timeout) lines.emplace_back("stream idle timeout", FormatDuration(*policy.stream_idle_timeout));
  lines.emplace_back("retry", RetryText(policy));
  if (lines.back().second != "never") {
    const BackoffOptions& backoff = policy.retry.backoff;
    lines.emplace_back("back-off", absl::StrCat("0 to ", FormatDuration(backoff.base), ", each time ", backoff.multiplier,
                                                " times more, up to ", FormatDuration(backoff.cap)));
  }
  AddBreaker("breaker", policy.breaker, &lines);
  if (policy.shadow_breaker) AddBreaker("beside it", *policy.shadow_breaker, &lines);
  return lines;
}

std::string Describe(const RetryBudgetOptions& budget) {
  if (!budget.enabled) return "unlimited";
  return absl::StrCat(budget.max_tokens, " tokens, ", budget.token_ratio, " back for each success; retries stop at ",
                      budget.max_tokens / 2.0);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
