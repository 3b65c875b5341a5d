#include "ramp.h"

#include <algorithm>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// Twice the rounding of a mean of millionths: 1 bad of 6 is exactly at the closing threshold.
constexpr double kRounding = 2e-6;
// A mean between the thresholds decides nothing, for ever if the service stays as it is: after this many outcomes the stage starts afresh.
constexpr int kUndecidedOutcomes = 20;
// What a passed ramp has learnt is trusted less than what a failed one has.
constexpr double kGrowthOfFirstShare = 2;

}  // namespace

void Ramp::Start() {
  setback_ = false;
  NextStage(first_share_);
}

Ramp::Verdict Ramp::Add(const WindowSample& sample, double offered_rate) {
  if (!sample.rating.rating.has_value()) return Verdict::kGoOn;
  stage_.Add(sample);
  if (*sample.rating.rating < rating_.open_threshold() - kRounding) ++bad_;
  const double mean = *stage_.rating();
  if (stage_.samples >= options_.ramp_stage_outcomes && mean >= rating_.close_threshold() - kRounding) return PassStage(offered_rate);
  if (bad_ >= kBadOutcomesToFail && mean < rating_.open_threshold() - kRounding) return FailStage(offered_rate);
  if (stage_.samples >= std::max(kUndecidedOutcomes, 2 * options_.ramp_stage_outcomes)) NextStage(share_);
  return Verdict::kGoOn;
}

double Ramp::Share(double offered_rate) const {
  if (offered_rate <= options_.ramp_free_rate) return 1;
  return std::min(1.0, std::max(share_, options_.ramp_free_rate / offered_rate));
}

void Ramp::Reset() {
  first_share_ = options_.ramp_start;
  setback_ = false;
  NextStage(1);
}

void Ramp::Reconfigured(const AdaptiveBreakerOptions& before) {
  first_share_ = first_share_ == before.ramp_start ? options_.ramp_start : std::max(first_share_, options_.ramp_floor);
}

void Ramp::NextStage(double share) {
  share_ = share;
  bad_ = 0;
  stage_ = {};
}

Ramp::Verdict Ramp::PassStage(double offered_rate) {
  const double share = Share(offered_rate);
  if (share >= 1) {
    if (!setback_) first_share_ = std::min(1.0, first_share_ * kGrowthOfFirstShare);
    return Verdict::kPassed;
  }
  NextStage(std::min(1.0, share * options_.ramp_growth));
  return Verdict::kGoOn;
}

Ramp::Verdict Ramp::FailStage(double offered_rate) {
  setback_ = true;
  if (bad_ == stage_.samples) {
    first_share_ = std::max(options_.ramp_floor, first_share_ / options_.ramp_growth);
    return Verdict::kFailed;
  }
  NextStage(std::max(options_.ramp_floor, Share(offered_rate) / 2));
  return Verdict::kGoOn;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
