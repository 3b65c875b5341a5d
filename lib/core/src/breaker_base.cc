#include "breaker_base.h"

#include <algorithm>
#include <utility>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

ProbeResult AsProbeResult(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSuccess:
      return ProbeResult::kSuccess;
    case Outcome::kFailure:
      return ProbeResult::kFailure;
    case Outcome::kIgnored:
      break;
  }
  return ProbeResult::kIgnored;
}

}  // namespace

Admission BreakerBase::TryAcquire(Time now, const AttemptInfo& info) {
  const Time t = Enter(now);
  OnArrival(t);
  Admission admission;
  if (state_ == BreakerState::kDisabled) return admission;
  if (state_ == BreakerState::kForcedOpen) return Reject(t);
  const Decision decision = Decide(t, info);
  if (!decision.admit) return Reject(t);
  HeldPermit held;
  held.generation = generation_;
  held.started = t;
  held.probe = decision.probe;
  held.streaming = info.streaming;
  if (info.hypothetical) {
    OnReturned(t, held);
    return admission;
  }
  Permit& permit = admission.permit;
  permit.generation = generation_;
  permit.started = now;
  permit.probe = decision.probe;
  permit.streaming = info.streaming;
  permit.id = ledger_.Grant(held, decision.watched, decision.leased);
  Check(state_ != BreakerState::kForcedOpen);
  // Of other attempts it need not hold: new options may have lowered the limit below what is out.
  if (decision.probe) Check(ledger_.probes_in_flight() <= probe_limit());
  return admission;
}

Outcome BreakerBase::Record(const Permit& permit, Time now, const AttemptResult& result) {
  const Outcome outcome = Classify(result, healthy_latency());
  if (permit.id == 0) return outcome;
  const Time t = clock_.Advance(now);
  ReclaimLeases(t);
  // Taken back before overdue attempts are marked: this one is judged by its end.
  const std::optional<HeldPermit> held = ledger_.Release(permit.id);
  OnEnter(t);
  OnEnd(t, &result);
  if (!held.has_value()) {
    ++counters_.stale_results;
    return outcome;
  }
  Check(ledger_.in_flight() >= 0 && ledger_.probes_in_flight() >= 0);
  End(t, *held, outcome, result);
  return outcome;
}

void BreakerBase::End(Time t, const HeldPermit& permit, Outcome outcome, const AttemptResult& result) {
  CountProbe(permit, permit.marked ? ProbeResult::kFailure : AsProbeResult(outcome));
  if (permit.generation != generation_) {
    ++counters_.stale_results;
    OnStale(t, permit, outcome);
  } else {
    OnOutcome(t, permit, outcome, &result);
  }
}

void BreakerBase::ReplayArrival(Time t) {
  t = clock_.AdvanceTo(t);
  ReclaimLeases(t);
  OnEnter(t);
  OnArrival(t);
}

void BreakerBase::ReplaySuccess(Time t, const HeldPermit& permit) {
  const AttemptResult result;
  t = clock_.AdvanceTo(t);
  ReclaimLeases(t);
  OnEnter(t);
  OnEnd(t, &result);
  End(t, permit, Outcome::kSuccess, result);
}

void BreakerBase::Drop(const Permit& permit, Time now) {
  if (permit.id == 0) return;
  const Time t = Enter(now);
  const std::optional<HeldPermit> held = ledger_.Release(permit.id);
  if (!held.has_value()) return;
  CountProbe(*held, ProbeResult::kIgnored);
  if (held->generation == generation_) OnReturned(t, *held);
}

void BreakerBase::StreamStarted(const Permit& permit, Time now) {
  if (permit.id == 0) return;
  const Time t = Enter(now);
  OnEnd(t, nullptr);
  const HeldPermit* held = ledger_.Find(permit.id);
  if (held == nullptr) return;
  if (!held->probe) return ledger_.Park(permit.id);
  const HeldPermit probe = *ledger_.Release(permit.id);
  CountProbe(probe, ProbeResult::kSuccess);
  if (probe.generation == generation_) {
    OnOutcome(t, probe, Outcome::kSuccess, nullptr);
  } else {
    OnStale(t, probe, Outcome::kSuccess);
  }
}

void BreakerBase::FreshEvidence(Time now) { OnFreshEvidence(Enter(now)); }
void BreakerBase::ForceOpen(Time now) { Manual(now, BreakerState::kForcedOpen); }
void BreakerBase::Disable(Time now) { Manual(now, BreakerState::kDisabled); }
void BreakerBase::Reset(Time now) { Manual(now, BreakerState::kClosed); }

void BreakerBase::TakeOver(const BreakerSnapshot& before, Time now) {
  const Time t = clock_.Advance(now);
  state_ = before.state;
  since_ = std::min(before.since, t);
  OnTakenOver(t, before);
}

BreakerSnapshot BreakerBase::Snapshot(Time now) const {
  const Time t = clock_.Peek(now);
  BreakerSnapshot s;
  s.state = state_;
  s.generation = generation_;
  s.since = clock_.AsCallers(since_);
  s.permits_in_flight = ledger_.in_flight();
  s.probes_in_flight = ledger_.probes_in_flight();
  s.rejected = counters_.rejected;
  s.stale_results = counters_.stale_results;
  s.leases_expired = counters_.leases_expired;
  s.clock_anomalies = clock_.anomalies();
  s.invariant_violations = counters_.invariant_violations;
  s.probes = counters_.probes;
  s.time_in_state = time_in_state_;
  Duration& current = s.time_in_state[static_cast<std::size_t>(state_)];
  current = SaturatingAdd(current, Elapsed(since_, t));
  Describe(t, &s);
  s.admitted_share = state_ == BreakerState::kForcedOpen ? 0 : state_ == BreakerState::kDisabled ? 1 : admitted_share();
  s.retry_after = state_ == BreakerState::kForcedOpen ? kForever : state_ == BreakerState::kDisabled ? Duration::zero() : retry_after(t);
  return s;
}

BreakerTransition& BreakerBase::Transition(Time now, BreakerState to, TransitionReason reason) {
  Check(to != state_);
  BreakerTransition transition;
  transition.from = state_;
  transition.to = to;
  transition.reason = reason;
  transition.at = clock_.AsCallers(now);
  transition.time_in_from = Elapsed(since_, now);
  Duration& total = time_in_state_[static_cast<std::size_t>(state_)];
  total = SaturatingAdd(total, transition.time_in_from);
  state_ = to;
  since_ = now;
  transition.generation = ++generation_;
  ledger_.EndGeneration();
  return transitions_.emplace_back(std::move(transition));
}

Time BreakerBase::Enter(Time now) {
  const Time t = clock_.Advance(now);
  ReclaimLeases(t);
  OnEnter(t);
  return t;
}

void BreakerBase::ReclaimLeases(Time now) {
  if (!ledger_.any_leased()) return;
  while (const std::optional<HeldPermit> lost = ledger_.ReclaimNext(Time(SaturatingDifference(now, Time(lease()))))) {
    ++counters_.leases_expired;
    CountProbe(*lost, ProbeResult::kLeaseExpired);
    if (lost->generation == generation_) OnLeaseEnded(now, *lost);
  }
}

void BreakerBase::Manual(Time now, BreakerState to) {
  const Time t = Enter(now);
  // Resetting a closed breaker still empties its windows; it is no transition.
  OnManual(t);
  if (state_ == to) return;
  BreakerTransition& transition = Transition(t, to, TransitionReason::kManual);
  transition.admitted_share = to == BreakerState::kForcedOpen ? 0 : 1;
}

Admission BreakerBase::Reject(Time now) {
  ++counters_.rejected;
  Admission admission;
  admission.admitted = false;
  admission.rejection.state = state_;
  admission.rejection.retry_after = state_ == BreakerState::kForcedOpen ? kForever : retry_after(now);
  return admission;
}

void BreakerBase::CountProbe(const HeldPermit& permit, ProbeResult result) {
  if (permit.probe) ++counters_.probes[static_cast<std::size_t>(result)];
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
