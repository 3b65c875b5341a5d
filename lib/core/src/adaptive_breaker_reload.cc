// The adaptive breaker under new options, and in the place of a breaker of another kind.
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "adaptive_breaker.h"
#include "rating_at_cost.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

/// Where the metrics of `after` were in `before`. A metric is known by its name, as in events and series.
MetricOrder FormerPlaces(const Rating& before, const Rating& after) {
  MetricOrder former;
  former.fill(-1);
  for (int i = 0; i < after.size(); ++i) {
    for (int j = 0; j < before.size(); ++j) {
      if (before.name(j) == after.name(i)) former[static_cast<std::size_t>(i)] = j;
    }
  }
  return former;
}

}  // namespace

bool AdaptiveBreaker::Reconfigure(const BreakerOptions& options, Time now) {
  const auto* const next = std::get_if<AdaptiveBreakerOptions>(&options.kind);
  if (next == nullptr) return false;
  const Time t = AsRules(now);
  const AdaptiveBreakerOptions before = std::exchange(options_, *next);
  Rating rating = RatingAtCost(options_);
  const MetricOrder former = FormerPlaces(rating_, rating);
  rating_ = std::move(rating);
  window_.Reconfigure(options_.window);
  window_.Rearrange(former, rating_.size());
  test_.Rearrange(former);
  ramp_.Rearrange(former);
  ramp_.Reconfigured(before);
  schedule_.Reconfigured();
  rate_.SetTimeConstant(options_.rate_time_constant, t);
  UpdateSlowDuration();
  harmless_below_ = HarmlessBelow(options_, rating_);
  return true;
}

void AdaptiveBreaker::OnTakenOver(Time now, const BreakerSnapshot& before) {
  // A breaker of the application's own may say anything.
  const double offered_rate = std::isfinite(before.offered_rate) ? std::max(0.0, before.offered_rate) : 0;
  rate_.Set(offered_rate, options_.rate_time_constant, now);
  schedule_.Opened(now, std::min(before.since, now), conditions(now), &random_);
  if (before.state == BreakerState::kOpen) schedule_.Within(now, before.retry_after);
  if (before.state != BreakerState::kHalfOpen) return;
  ramp_.Start();
  share_ = ramp_.Share(rate_.At(now));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
