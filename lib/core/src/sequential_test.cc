#include "sequential_test.h"

#include <algorithm>

namespace recloser {
namespace {

// Deficits below this are rounding: a rating at the threshold is neither good nor bad.
constexpr double kRounding = 1e-9;

}  // namespace

SequentialTest::SequentialTest(const AdaptiveBreakerOptions& options, const Rating& rating)
    : evidence_min_(options.evidence_min),
      evidence_max_(options.evidence_max),
      evidence_per_rate_(options.evidence_per_rate),
      low_rate_(options.low_rate),
      consecutive_bad_limit_(options.consecutive_bad),
      open_threshold_(rating.open_threshold()),
      failure_deficit_(rating.errors_weight() - (1 - rating.open_threshold())) {}

void SequentialTest::Add(const WindowSample& sample) {
  // Too little is known of this attempt: nothing moves.
  if (!sample.rating.rating.has_value()) return;
  const double deficit = open_threshold_ - sample.rating.optimistic_rating;
  consecutive_bad_ = deficit > kRounding ? consecutive_bad_ + 1 : 0;
  evidence_ += deficit / failure_deficit_;
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
  return std::clamp(evidence_per_rate_ * offered_rate, evidence_min_, evidence_max_);
}

}  // namespace recloser
