#include "baselines/sre_throttle.h"

#include <algorithm>

namespace recloser::sim {
namespace {

constexpr Duration kBucket = std::chrono::milliseconds(250);
constexpr double kMultiplier = 1.5;
constexpr std::int64_t kProtection = 5;

}  // namespace

bool SreThrottle::Admit(Time now) {
  Advance(now);
  const double weighted = kMultiplier * static_cast<double>(sum_.accepts);
  const double drop = (static_cast<double>(sum_.total - kProtection) - weighted) / static_cast<double>(sum_.total + 1);
  const BreakerState shown = drop > 0 ? BreakerState::kHalfOpen : BreakerState::kClosed;
  if (BreakerTransition* const changed = Enter(now, shown, TransitionReason::kRating)) changed->admitted_share = 1 - std::max(0.0, drop);
  if (drop <= 0 || random_.Uniform() >= drop) return true;
  Count(now, false);
  return false;
}

void SreThrottle::Learn(Time now, const Ended& ended) { Count(now, !ended.failed); }

void SreThrottle::Advance(Time now) {
  const std::int64_t bucket = now.time_since_epoch() / kBucket;
  if (bucket - current_ >= kBuckets) {
    buckets_ = {};
    sum_ = {};
    current_ = bucket;
  }
  while (current_ < bucket) {
    Counts& oldest = buckets_[static_cast<std::size_t>(++current_ % kBuckets)];
    sum_.total -= oldest.total;
    sum_.accepts -= oldest.accepts;
    oldest = {};
  }
}

void SreThrottle::Count(Time now, bool accepted) {
  Advance(now);
  for (Counts* counts : {&buckets_[static_cast<std::size_t>(current_ % kBuckets)], &sum_}) {
    ++counts->total;
    if (accepted) ++counts->accepts;
  }
}

}  // namespace recloser::sim
