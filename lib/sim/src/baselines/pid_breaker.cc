#include "baselines/pid_breaker.h"

#include <algorithm>

namespace recloser::sim {
namespace {

constexpr Duration kWindow = std::chrono::seconds(10);
constexpr Duration kInitialHistory = std::chrono::minutes(15);
constexpr double kInitialErrorRate = 0.01;
constexpr double kIdealErrorRateMax = 0.1;
constexpr double kProportional = 1;
constexpr double kIntegral = 0.2;
constexpr double kDerivative = 0;

}  // namespace

PidBreaker::PidBreaker(Time now, Random random)
    : BaselineBreaker(now),
      random_(random),
      window_end_(SaturatingAdd(now, kWindow)),
      error_rates_(static_cast<std::size_t>(kInitialHistory / kWindow), kInitialErrorRate) {}

bool PidBreaker::Admit(Time now) {
  Advance(now);
  const BreakerState shown = rejection_rate_ <= 0   ? BreakerState::kClosed
                             : rejection_rate_ >= 1 ? BreakerState::kOpen
                                                    : BreakerState::kHalfOpen;
  if (BreakerTransition* const changed = Enter(now, shown, TransitionReason::kRating)) changed->admitted_share = 1 - rejection_rate_;
  return random_.Uniform() >= rejection_rate_;
}

void PidBreaker::Learn(Time now, const Ended& ended) {
  Advance(now);
  ++(ended.failed ? failed_ : succeeded_);
}

void PidBreaker::Advance(Time now) {
  for (; now >= window_end_; window_end_ = SaturatingAdd(window_end_, kWindow)) Update();
}

void PidBreaker::Update() {
  const std::int64_t calls = succeeded_ + failed_;
  const double error_rate = calls == 0 ? 0 : static_cast<double>(failed_) / static_cast<double>(calls);
  succeeded_ = failed_ = 0;
  error_rates_.insert(std::upper_bound(error_rates_.begin(), error_rates_.end(), error_rate), error_rate);
  const double dt = ToSeconds(kWindow);
  const double p = (error_rate - IdealErrorRate()) - rejection_rate_;
  integral_ += p * dt;
  const double signal = kProportional * p + kIntegral * integral_ + kDerivative * (p - previous_p_) / dt;
  previous_p_ = p;
  rejection_rate_ = std::clamp(rejection_rate_ + signal, 0.0, 1.0);
}

double PidBreaker::IdealErrorRate() const {
  const std::size_t rank = error_rates_.size() * 9 / 10;
  return std::min(error_rates_[std::min(rank, error_rates_.size() - 1)], kIdealErrorRateMax);
}

}  // namespace recloser::sim
