#include "standard_breaker.h"

#include <algorithm>
#include <cmath>

namespace recloser {
inline namespace RECLOSER_INTERNAL {

StandardBreaker::StandardBreaker(const StandardBreakerOptions& options, Time now, Random random)
    : BreakerBase(now), options_(options), random_(random), window_(options, now) {}

BreakerBase::Decision StandardBreaker::Decide(Time now, const AttemptInfo&) {
  Decision decision;
  if (state() == BreakerState::kClosed) return decision;
  if (state() == BreakerState::kOpen) {
    if (now < open_until_) return {false, false, false, false};
    const Duration wait = Elapsed(since(), open_until_);
    BeginHalfOpen();
    Change(now, BreakerState::kHalfOpen, TransitionReason::kProbe, window_.Totals(now)).wait = wait;
  }
  // Probes of an earlier half-open state may still be out: together they keep the limit.
  decision.admit = half_open_permits_ > 0 && probes_in_flight() < probe_limit();
  decision.probe = decision.leased = true;
  if (decision.admit) --half_open_permits_;
  return decision;
}

void StandardBreaker::OnOutcome(Time now, const HeldPermit& permit, Outcome outcome, const AttemptResult*) {
  if (outcome == Outcome::kIgnored) return OnReturned(now, permit);
  const bool failed = outcome == Outcome::kFailure;
  const bool slow = !permit.streaming && Elapsed(permit.started, now) > options_.slow_call_duration;
  if (state() == BreakerState::kClosed) {
    window_.Add(now, failed, slow);
    const CallCounts totals = window_.Totals(now);
    if (totals.calls >= minimum_calls() && AtThreshold(totals)) Open(now, TransitionReason::kRating, totals, minimum_calls());
  } else {
    half_open_.Add({1, failed ? 1 : 0, slow ? 1 : 0});
    if (half_open_.calls < half_open_calls_) return;
    const CallCounts totals = half_open_;
    AtThreshold(totals) ? Open(now, TransitionReason::kProbe, totals, half_open_calls_) : Close(now, totals);
  }
}

void StandardBreaker::OnReturned(Time, const HeldPermit&) {
  if (state() != BreakerState::kHalfOpen) return;
  ++half_open_permits_;
  Check(half_open_permits_ + half_open_.calls <= half_open_calls_);
}

void StandardBreaker::OnManual(Time) {
  window_.Clear();
  half_open_ = {};
  openings_in_a_row_ = 0;
}

Duration StandardBreaker::retry_after(Time now) const {
  return state() == BreakerState::kOpen ? Elapsed(now, open_until_) : Duration::zero();
}

void StandardBreaker::Describe(Time now, BreakerSnapshot* snapshot) const {
  const CallCounts counts = state() == BreakerState::kHalfOpen ? half_open_ : window_.Totals(now);
  snapshot->window_calls = counts.calls;
  if (options_.window == StandardBreakerOptions::Window::kTime) snapshot->window_span = options_.window_time;
  if (counts.calls == 0) return;
  snapshot->failure_rate = counts.failure_rate();
  snapshot->slow_call_rate = counts.slow_rate();
}

bool StandardBreaker::AtThreshold(const CallCounts& counts) const {
  return counts.failure_rate() >= options_.failure_rate_threshold || counts.slow_rate() >= options_.slow_call_rate_threshold;
}

void StandardBreaker::Open(Time now, TransitionReason reason, const CallCounts& counts, int required) {
  open_until_ = SaturatingAdd(now, DrawWait());
  ++openings_in_a_row_;
  Judged(now, BreakerState::kOpen, reason, counts, required);
}

void StandardBreaker::Close(Time now, const CallCounts& counts) {
  window_.Clear();
  openings_in_a_row_ = 0;
  Judged(now, BreakerState::kClosed, TransitionReason::kProbe, counts, half_open_calls_).admitted_share = 1;
}

BreakerTransition& StandardBreaker::Judged(Time now, BreakerState to, TransitionReason reason, const CallCounts& counts, int required) {
  BreakerTransition& transition = Change(now, to, reason, counts);
  transition.context_required = required;
  transition.failure_rate_threshold = options_.failure_rate_threshold;
  transition.slow_call_rate_threshold = options_.slow_call_rate_threshold;
  return transition;
}

BreakerTransition& StandardBreaker::Change(Time now, BreakerState to, TransitionReason reason, const CallCounts& counts) {
  BreakerTransition& transition = Transition(now, to, reason);
  transition.context_calls = counts.calls;
  transition.context_failed = counts.failed;
  transition.context_slow = counts.slow;
  if (counts.calls > 0) {
    transition.failure_rate = counts.failure_rate();
    transition.slow_call_rate = counts.slow_rate();
  }
  return transition;
}

int StandardBreaker::minimum_calls() const {
  const bool by_count = options_.window == StandardBreakerOptions::Window::kCount;
  return by_count ? std::min(options_.minimum_calls, options_.window_calls) : options_.minimum_calls;
}

void StandardBreaker::BeginHalfOpen() {
  half_open_ = {};
  half_open_calls_ = half_open_permits_ = options_.permitted_half_open_calls;
}

double StandardBreaker::Wait(double openings) const {
  return std::min(ToSeconds(options_.wait) * std::pow(options_.wait_multiplier, openings), ToSeconds(options_.wait_cap));
}

Duration StandardBreaker::DrawWait() {
  const double wait = Wait(openings_in_a_row_);
  return FromSeconds(random_.Uniform(wait * (1 - options_.wait_jitter), wait * (1 + options_.wait_jitter)));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
