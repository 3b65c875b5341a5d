// What every breaker does alike, so that a breaker's own file holds only its rules: permits and leases, generations and stale results,
// manual states, time in state, one event per transition, counters.
//
// All times that the rules see are monotonic; those of events and snapshots are the caller's.
#ifndef RECLOSER_CORE_SRC_BREAKER_BASE_H_
#define RECLOSER_CORE_SRC_BREAKER_BASE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "monotonic_clock.h"
#include "permit_ledger.h"
#include "recloser/core/breaker.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class BreakerBase : public CircuitBreaker {
 public:
  Admission TryAcquire(Time now, const AttemptInfo& info) final;
  Outcome Record(const Permit& permit, Time now, const AttemptResult& result) final;
  void Drop(const Permit& permit, Time now) final;
  void StreamStarted(const Permit& permit, Time now) final;
  void FreshEvidence(Time now) final;
  void ForceOpen(Time now) final;
  void Disable(Time now) final;
  void Reset(Time now) final;
  void TakeOver(const BreakerSnapshot& before, Time now) final;
  BreakerState state() const final { return state_; }
  BreakerSnapshot Snapshot(Time now) const final;

 protected:
  struct Decision {
    bool admit = true;
    bool probe = false;
    bool watched = false;  // may be marked slow while in flight
    bool leased = false;
  };

  explicit BreakerBase(Time now) : clock_(now), since_(now) {}

  // The rules.

  /// Of an arriving attempt while closed, open or half-open; may change the state.
  virtual Decision Decide(Time now, const AttemptInfo& info) = 0;
  /// An attempt of the current generation ended; `permit` is given back already. `result` is null for a stream's first message.
  virtual void OnOutcome(Time now, const HeldPermit& permit, Outcome outcome, const AttemptResult* result) = 0;
  /// A permit of the current generation came back without a result.
  virtual void OnReturned(Time now, const HeldPermit& permit) = 0;
  /// The lease of a permit of the current generation ended.
  virtual void OnLeaseEnded(Time now, const HeldPermit& permit) { OnReturned(now, permit); }
  /// Every result and every arrival, before anything else.
  virtual void OnEnter(Time) {}
  virtual void OnArrival(Time) {}
  /// Any attempt ended, stale ones too and those whose lease ended before, before its outcome is judged. `result` is null for a stream's
  /// first message.
  virtual void OnEnd(Time, const AttemptResult*) {}
  /// A result of an older generation. It may hint, it must not count.
  virtual void OnStale(Time, const HeldPermit&, Outcome) {}
  virtual void OnFreshEvidence(Time) {}
  /// The state was changed by hand: forget what led to the state before.
  virtual void OnManual(Time now) = 0;
  /// The state is that of `before`: open, half-open or by hand. What else the rules can use of it, they take.
  virtual void OnTakenOver(Time now, const BreakerSnapshot& before) = 0;

  virtual Duration lease() const = 0;
  virtual double admitted_share() const = 0;
  virtual Duration retry_after(Time now) const = 0;
  virtual int probe_limit() const = 0;
  virtual void Describe(Time now, BreakerSnapshot* snapshot) const = 0;

  /// Changes the state and notes the event. The caller fills the numbers of its decision into what is returned.
  BreakerTransition& Transition(Time now, BreakerState to, TransitionReason reason);
  void Check(bool invariant) {
    if (!invariant) ++counters_.invariant_violations;
  }
  /// The caller's time as the rules see it, for what is neither an arrival nor a result.
  Time AsRules(Time now) { return clock_.Advance(now); }
  Time AsCallers(Time t) const { return clock_.AsCallers(t); }
  std::optional<HeldPermit> MarkNext(Time limit) { return ledger_.MarkNext(limit); }

  // For attempts that were noted elsewhere (lane_machine.h). Times are the rules'.

  /// One that was admitted arrives.
  void ReplayArrival(Time t);
  /// One that holds no permit here ends with an answer of the service.
  void ReplaySuccess(Time t, const HeldPermit& permit);
  /// Nobody looks at anything before `t`.
  void AdvanceTo(Time t) { clock_.AdvanceTo(t); }
  std::uint64_t Grant(const HeldPermit& permit, bool watched) { return ledger_.Grant(permit, watched, /*leased=*/false); }
  std::uint64_t generation() const { return generation_; }
  const MonotonicClock& clock() const { return clock_; }
  const PermitLedger& ledger() const { return ledger_; }
  Time since() const { return since_; }
  std::int64_t permits_in_flight() const { return ledger_.in_flight(); }
  std::int64_t probes_in_flight() const { return ledger_.probes_in_flight(); }

 private:
  Time Enter(Time now);
  /// An attempt whose permit is given back already ended.
  void End(Time t, const HeldPermit& permit, Outcome outcome, const AttemptResult& result);
  void ReclaimLeases(Time now);
  void Manual(Time now, BreakerState to);
  Admission Reject(Time now);
  void CountProbe(const HeldPermit& permit, ProbeResult result);

  struct Counters {
    std::uint64_t rejected = 0;
    std::uint64_t stale_results = 0;
    std::uint64_t leases_expired = 0;
    std::uint64_t invariant_violations = 0;
    std::array<std::uint64_t, kProbeResults> probes{};
  };

  MonotonicClock clock_;
  PermitLedger ledger_;
  BreakerState state_ = BreakerState::kClosed;
  Time since_;
  std::uint64_t generation_ = 1;
  std::array<Duration, kBreakerStates> time_in_state_{};
  Counters counters_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_BREAKER_BASE_H_
