#include "baselines/threshold_breaker.h"

#include <algorithm>

namespace recloser::sim {
namespace {

constexpr int kMinimumCalls = 5;
constexpr double kOpensAt = 0.4;
constexpr double kClosesAt = 0.4;
constexpr Duration kLongestOpen = std::chrono::seconds(10);
constexpr Duration kSlow = std::chrono::milliseconds(500);

}  // namespace

bool ThresholdBreaker::Admit(Time now) {
  if (state() == BreakerState::kClosed) return true;
  if (*rating(now) < kClosesAt && Elapsed(since(), now) < kLongestOpen) return false;
  Enter(now, BreakerState::kClosed, TransitionReason::kRating)->admitted_share = 1;
  if (clears_window_) samples_ = next_ = 0;
  return true;
}

void ThresholdBreaker::Learn(Time now, const Ended& ended) {
  window_[static_cast<std::size_t>(next_)] = {ended.failed, ended.took > kSlow};
  next_ = (next_ + 1) % kWindow;
  samples_ = std::min(samples_ + 1, kWindow);
  if (state() != BreakerState::kClosed || samples_ < kMinimumCalls || FailureShare() < kOpensAt) return;
  BreakerTransition* const transition = Enter(now, BreakerState::kOpen, TransitionReason::kRating);
  transition->context_calls = samples_;
  transition->failure_rate = FailureShare();
}

std::optional<double> ThresholdBreaker::rating(Time now) const {
  const double failures = FailureShare();
  const double open = state() == BreakerState::kOpen ? std::min(1.0, ToSeconds(Elapsed(since(), now)) / ToSeconds(kLongestOpen)) : 0;
  return 0.40 * (1 - failures) + 0.15 * (1 - SlowShare()) + 0.35 * (1 - failures) + 0.10 * open;
}

double ThresholdBreaker::FailureShare() const {
  const auto failed = std::count_if(window_.begin(), window_.begin() + samples_, [](const Sample& s) { return s.failed; });
  return samples_ == 0 ? 0 : static_cast<double>(failed) / samples_;
}

double ThresholdBreaker::SlowShare() const {
  const auto slow = std::count_if(window_.begin(), window_.begin() + samples_, [](const Sample& s) { return s.slow; });
  return samples_ == 0 ? 0 : static_cast<double>(slow) / samples_;
}

}  // namespace recloser::sim
