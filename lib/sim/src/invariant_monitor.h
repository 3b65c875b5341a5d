// Watches one breaker for the invariants of the model while it is driven, from outside: what it says is compared with what was done to it.
//
// Thread safety: none.
#ifndef RECLOSER_SIM_SRC_INVARIANT_MONITOR_H_
#define RECLOSER_SIM_SRC_INVARIANT_MONITOR_H_

#include <cstdint>
#include <optional>

#include "recloser/core/breaker.h"
#include "recloser/core/shared_breaker.h"

namespace recloser::sim {

class InvariantMonitor {
 public:
  /// `breaker` may be null: there is none.
  explicit InvariantMonitor(const SharedBreaker* breaker);

  void OnAdmitted(Time now);
  void OnEnded(Time now);
  void OnRejected(Time now, const Rejection& rejection);
  void OnTransition(const BreakerTransition& transition);
  /// All permits are back.
  void OnFinished(Time now);

  std::int64_t violations() const { return violations_; }

 private:
  void Check(bool holds) { violations_ += holds ? 0 : 1; }
  void CountStep(Time now);
  void CheckSnapshot(Time now);

  const SharedBreaker* const breaker_;
  std::optional<Duration> longest_wait_;
  int probes_max_ = 0;  // 0: not known
  std::int64_t permits_out_ = 0;
  std::uint64_t steps_ = 0;
  BreakerState state_ = BreakerState::kClosed;
  std::uint64_t generation_ = 1;
  Time latest_transition_ = Time::min();
  std::int64_t violations_ = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_INVARIANT_MONITOR_H_
