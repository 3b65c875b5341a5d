// The thresholds that a high cost of wasted attempts asks for.
//
// Letting a call through to a link with the bad share p costs rho * p, rejecting it 1 - p: the odds p / (1 - p) at which both are equal are
// in proportion to 1 / rho. At the default cost, and below it, the thresholds are those of the options (50 % bad with the default weights;
// a link of which one endpoint in four is down should not open). Above it the odds shrink with the cost, down to a bad share of 20 %.
#ifndef RECLOSER_CORE_SRC_RATING_AT_COST_H_
#define RECLOSER_CORE_SRC_RATING_AT_COST_H_

#include "recloser/core/breaker_options.h"
#include "recloser/core/rating.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// The rating of `options` with its thresholds at `options.wasted_attempt_cost`.
Rating RatingAtCost(const AdaptiveBreakerOptions& options);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_RATING_AT_COST_H_
