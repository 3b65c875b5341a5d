#include "sequential_test.h"

#include <algorithm>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// Deficits below this are rounding: a rating at the threshold is neither good nor bad.
constexpr double kRounding = 1e-9;

}  // namespace

void SequentialTest::Add(const WindowSample& sample) {
  // Too little is known of this attempt: nothing moves.
  if (!sample.rating.rating.has_value()) return;
  const double deficit = rating_.open_threshold() - sample.rating.optimistic_rating;
  const double failure_deficit = rating_.errors_weight() - (1 - rating_.open_threshold());  // the unit of evidence
  consecutive_bad_ = deficit > kRounding ? consecutive_bad_ + 1 : 0;
  evidence_ += deficit / failure_deficit;
  if (evidence_ <= kRounding) {
    evidence_ = 0;
    if (context_.samples > 0) Clear();
    return;
  }
  WindowSample optimistic = sample;
  optimistic.rating.rating = sample.rating.optimistic_rating;
  context_.Add(optimistic);
}

bool SequentialTest::Opens(double offered_rate) const {
  if (evidence_ >= Limit(offered_rate) - kRounding) return true;
  const std::optional<int> consecutive_limit = ConsecutiveLimit(offered_rate);
  return consecutive_limit.has_value() && consecutive_bad_ >= *consecutive_limit;
}

void SequentialTest::Clear() {
  evidence_ = 0;
  consecutive_bad_ = 0;
  context_ = {};
}

double SequentialTest::Limit(double offered_rate) const {
  return std::clamp(options_.evidence_per_rate * offered_rate, options_.evidence_min, options_.evidence_max);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
