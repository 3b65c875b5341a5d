#include "breaker_identity.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

struct IdentifiedHook {
  std::shared_ptr<const OutcomeHook> hook;
  std::optional<Outcome> operator()(const AttemptResult& result) const { return (*hook)(result); }
};

bool SameHook(const OutcomeHook& a, const OutcomeHook& b) {
  if (!a || !b) return !a && !b;
  const auto* const left = a.target<IdentifiedHook>();
  const auto* const right = b.target<IdentifiedHook>();
  return left != nullptr && right != nullptr && left->hook == right->hook;
}

bool Same(const RatingOptions& a, const RatingOptions& b) {
  const auto same_metric = [](const WeightedMetric& x, const WeightedMetric& y) { return x.metric == y.metric && x.weight == y.weight; };
  const auto numbers = [](const RatingOptions& o) { return std::tie(o.open_threshold, o.close_threshold, o.min_known_weight); };
  return std::equal(a.metrics.begin(), a.metrics.end(), b.metrics.begin(), b.metrics.end(), same_metric) && numbers(a) == numbers(b);
}

auto Fields(const WindowOptions& o) { return std::tie(o.context, o.min_calls, o.max_calls, o.max_age); }

auto Fields(const AdaptiveBreakerOptions& o) {
  return std::tuple_cat(
      Fields(o.window),
      std::tie(o.wasted_attempt_cost, o.slow_call_duration, o.slow_call_duration_unlearnt, o.judge_in_flight, o.sequential_opening,
               o.evidence_min, o.evidence_max, o.evidence_per_rate, o.consecutive_bad, o.low_rate, o.rate_time_constant,
               o.probe_interval_min, o.probe_interval_max, o.probe_share_max, o.probe_jitter, o.probes_in_flight_max, o.ramp_start,
               o.ramp_floor, o.ramp_growth, o.ramp_stage_outcomes, o.ramp_free_rate, o.permit_lease));
}

auto Fields(const StandardBreakerOptions& o) {
  return std::tie(o.window, o.window_calls, o.window_time, o.minimum_calls, o.failure_rate_threshold, o.slow_call_rate_threshold,
                  o.slow_call_duration, o.wait, o.wait_multiplier, o.wait_cap, o.wait_jitter, o.permitted_half_open_calls, o.permit_lease);
}

bool Same(const AdaptiveBreakerOptions& a, const AdaptiveBreakerOptions& b) { return Same(a.rating, b.rating) && Fields(a) == Fields(b); }
bool Same(const StandardBreakerOptions& a, const StandardBreakerOptions& b) { return Fields(a) == Fields(b); }
bool Same(const CustomBreaker& a, const CustomBreaker& b) { return a.name == b.name && a.factory == b.factory; }

}  // namespace

bool SameBreaker(const BreakerOptions& a, const BreakerOptions& b) {
  return a.mode == b.mode && a.scope == b.scope && SameHook(a.classify, b.classify) && SameKind(a, b);
}

bool SameKind(const BreakerOptions& a, const BreakerOptions& b) {
  if (a.kind.index() != b.kind.index()) return false;
  return std::visit([&](const auto& kind) { return Same(kind, std::get<std::decay_t<decltype(kind)>>(b.kind)); }, a.kind);
}

OutcomeHook Identified(OutcomeHook hook) {
  if (!hook || hook.target<IdentifiedHook>() != nullptr) return hook;
  return IdentifiedHook{std::make_shared<const OutcomeHook>(std::move(hook))};
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
