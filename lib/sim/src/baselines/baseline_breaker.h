// What the baselines have in common: permits, states, one event per transition, counters. They are other people's rules for comparison,
// driven by the simulator alone, so permits need no leases: each comes back.
//
// Thread safety: none.
#ifndef RECLOSER_SIM_SRC_BASELINES_BASELINE_BREAKER_H_
#define RECLOSER_SIM_SRC_BASELINES_BASELINE_BREAKER_H_

#include <array>
#include <cstdint>
#include <optional>

#include "recloser/core/breaker.h"

namespace recloser::sim {

class BaselineBreaker : public CircuitBreaker {
 public:
  explicit BaselineBreaker(Time now) : since_(now) {}

  Admission TryAcquire(Time now, const AttemptInfo& info) final;
  Outcome Record(const Permit& permit, Time now, const AttemptResult& result) final;
  void Drop(const Permit& permit, Time now) final;
  void StreamStarted(const Permit&, Time) final {}
  void FreshEvidence(Time) final {}
  void ForceOpen(Time now) final { Enter(now, BreakerState::kForcedOpen, TransitionReason::kManual); }
  void Disable(Time now) final { Enter(now, BreakerState::kDisabled, TransitionReason::kManual); }
  void Reset(Time now) final { Enter(now, BreakerState::kClosed, TransitionReason::kManual); }
  std::optional<Duration> healthy_latency() const final { return std::nullopt; }
  BreakerState state() const final { return state_; }
  BreakerSnapshot Snapshot(Time now) const final;

 protected:
  struct Ended {
    bool failed = false;
    Duration took = Duration::zero();
  };

  /// May an attempt be made? Not asked while forced open or disabled.
  virtual bool Admit(Time now) = 0;
  /// A success or a failure of an admitted attempt.
  virtual void Learn(Time now, const Ended& ended) = 0;
  virtual std::optional<double> rating(Time) const { return std::nullopt; }

  /// The event, to be filled with the decision's numbers; null when that is the state already.
  BreakerTransition* Enter(Time now, BreakerState to, TransitionReason reason);
  Time since() const { return since_; }

 private:
  BreakerState state_ = BreakerState::kClosed;
  Time since_;
  std::uint64_t generation_ = 1;
  std::uint64_t granted_ = 0;
  std::int64_t in_flight_ = 0;
  std::uint64_t rejected_ = 0;
  std::array<Duration, kBreakerStates> time_in_state_{};
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_BASELINES_BASELINE_BREAKER_H_
