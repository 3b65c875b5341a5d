#include "baselines/baseline_breaker.h"

#include <utility>

namespace recloser::sim {

Admission BaselineBreaker::TryAcquire(Time now, const AttemptInfo& info) {
  Admission admission;
  if (state_ == BreakerState::kDisabled) return admission;
  admission.admitted = state_ != BreakerState::kForcedOpen && Admit(now);
  if (!admission.admitted) {
    ++rejected_;
    admission.rejection.state = state_;
    return admission;
  }
  ++in_flight_;
  admission.permit.id = ++granted_;
  admission.permit.generation = generation_;
  admission.permit.started = now;
  admission.permit.streaming = info.streaming;
  return admission;
}

Outcome BaselineBreaker::Record(const Permit& permit, Time now, const AttemptResult& result) {
  const Outcome outcome = Classify(result, std::nullopt);
  if (permit.id == 0) return outcome;
  --in_flight_;
  if (outcome != Outcome::kIgnored) Learn(now, {outcome == Outcome::kFailure, Elapsed(permit.started, now)});
  return outcome;
}

void BaselineBreaker::Drop(const Permit& permit, Time) {
  if (permit.id != 0) --in_flight_;
}

BreakerSnapshot BaselineBreaker::Snapshot(Time now) const {
  BreakerSnapshot s;
  s.state = state_;
  s.generation = generation_;
  s.since = since_;
  s.admitted_share = state_ == BreakerState::kClosed || state_ == BreakerState::kDisabled ? 1 : 0;
  s.rating = rating(now);
  s.permits_in_flight = in_flight_;
  s.rejected = rejected_;
  s.time_in_state = time_in_state_;
  Duration& current = s.time_in_state[static_cast<std::size_t>(state_)];
  current = SaturatingAdd(current, Elapsed(since_, now));
  return s;
}

BreakerTransition* BaselineBreaker::Enter(Time now, BreakerState to, TransitionReason reason) {
  if (to == state_) return nullptr;
  BreakerTransition transition;
  transition.from = state_;
  transition.to = to;
  transition.reason = reason;
  transition.at = now;
  transition.time_in_from = Elapsed(since_, now);
  Duration& total = time_in_state_[static_cast<std::size_t>(state_)];
  total = SaturatingAdd(total, transition.time_in_from);
  state_ = to;
  since_ = now;
  transition.generation = ++generation_;
  return &transitions_.emplace_back(std::move(transition));
}

}  // namespace recloser::sim
