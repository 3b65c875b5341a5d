// The standard breaker under new options, and in the place of a breaker of another kind.
#include <algorithm>
#include <tuple>
#include <variant>

#include "recloser/core/export.h"
#include "standard_breaker.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

bool StandardBreaker::Reconfigure(const BreakerOptions& options, Time now) {
  const auto* const next = std::get_if<StandardBreakerOptions>(&options.kind);
  if (next == nullptr) return false;
  const Time t = AsRules(now);
  const auto shape = [](const StandardBreakerOptions& o) { return std::tie(o.window, o.window_calls, o.window_time); };
  if (shape(*next) != shape(options_)) window_ = window_.Reshaped(*next, t);
  options_ = *next;
  if (state() == BreakerState::kOpen) {
    const Duration longest = FromSeconds(Wait(std::max(openings_in_a_row_ - 1, 0.0)) * (1 + options_.wait_jitter));
    open_until_ = std::min(open_until_, SaturatingAdd(since(), longest));
  } else if (state() == BreakerState::kHalfOpen) {
    // Those that are admitted already are waited for, and when all of them have ended, one more is needed to decide.
    const int admitted = half_open_calls_ - half_open_permits_;
    half_open_calls_ = std::max({options_.permitted_half_open_calls, admitted, static_cast<int>(half_open_.calls) + 1});
    half_open_permits_ = half_open_calls_ - admitted;
  }
  return true;
}

void StandardBreaker::OnTakenOver(Time now, const BreakerSnapshot& before) {
  if (before.state == BreakerState::kHalfOpen) BeginHalfOpen();
  if (before.state != BreakerState::kOpen) return;
  open_until_ = SaturatingAdd(now, std::min(DrawWait(), before.retry_after));
  openings_in_a_row_ = 1;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
