#include "rating_at_cost.h"

#include <algorithm>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// One bad attempt in five: lower, and a service's usual errors would open its link.
constexpr double kLeastBadShare = 0.2;

}  // namespace

Rating RatingAtCost(const AdaptiveBreakerOptions& options) {
  Rating rating(options.rating);
  const double excess = options.wasted_attempt_cost / AdaptiveBreakerOptions().wasted_attempt_cost;
  const double bad_share = (1 - rating.open_threshold()) / rating.errors_weight();  // of failures alone, above which the link opens
  if (excess <= 1 || bad_share <= kLeastBadShare) return rating;
  const double odds = bad_share / (1 - bad_share) / excess;
  RatingOptions at_cost = options.rating;
  at_cost.open_threshold = std::min(1 - std::max(kLeastBadShare, odds / (1 + odds)) * rating.errors_weight(), 1 - kMinHysteresis);
  at_cost.close_threshold = std::clamp(at_cost.open_threshold + kMinHysteresis, options.rating.close_threshold, 1.0);
  return Rating(at_cost);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
