// The concurrent shell around a breaker: the one place with locks.
//
// Any number of threads may call any member at any time. On a healthy link, threads do not wait for each other: while an adaptive breaker
// with the built-in metrics is closed and nothing speaks against its link, attempts are noted beside it, by thread, and told to it in one
// go, within a millisecond while there is something else to tell, else within a tenth of a second; a snapshot holds all of them.
// Transitions are told to observers outside the lock, in the order in which they happened, one at a time; an observer may read the breaker,
// reset it or destroy its last handle. What an observer throws is caught and counted.
//
//   std::shared_ptr<SharedBreaker> breaker = registry->Find("dns:///orders:443", "orders.Orders/Get");
//   if (breaker != nullptr) breaker->ForceOpen(now);
#ifndef RECLOSER_CORE_SHARED_BREAKER_H_
#define RECLOSER_CORE_SHARED_BREAKER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "recloser/core/breaker.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/export.h"
#include "recloser/core/random.h"

namespace recloser {
inline namespace RECLOSER_API {

/// Which link a breaker guards.
struct BreakerId {
  std::string target;   // as given to the channel
  std::string service;  // "package.Service"; "" when the scope is the whole target
  std::string method;   // "Method"; "" when the scope is wider than a method

  /// "package.Service/Method", "package.Service" or "*".
  std::string name() const;
  friend bool operator==(const BreakerId& a, const BreakerId& b) {
    return a.target == b.target && a.service == b.service && a.method == b.method;
  }
};

/// Makes the machines of breakers: what `MakeBreaker(options, now, random)` gives, or something around it that watches what goes into it
/// (recloser/events/decision_trace.h does). The result is used under its `SharedBreaker`'s lock, like any machine.
using BreakerMaker =
    std::function<std::unique_ptr<CircuitBreaker>(const BreakerId& id, const BreakerOptions& options, Time now, Random random)>;

class HealthyLane;

class SharedBreaker : public std::enable_shared_from_this<SharedBreaker> {
 public:
  /// Called outside the lock, in order, for each transition, by whichever thread made it or is already telling an earlier one. What it
  /// throws is swallowed; the registry's listener counts.
  using Listener = std::function<void(const SharedBreaker&, const BreakerTransition&)>;

  /// `breaker`: what `MakeBreaker(options, ...)` gave, not null. `now`: of its making.
  /// `maker`: of the machines of other kinds to come (`Reconfigure`); empty: `MakeBreaker`.
  SharedBreaker(BreakerId id, const BreakerOptions& options, std::unique_ptr<CircuitBreaker> breaker, Time now, Listener listener,
                BreakerMaker maker = nullptr);
  ~SharedBreaker();

  const BreakerId& id() const { return id_; }
  /// The options in force; what is returned never changes.
  std::shared_ptr<const BreakerOptions> options() const;
  BreakerMode mode() const { return mode_.load(std::memory_order_relaxed); }

  /// As in `CircuitBreaker`; in shadow mode a rejection becomes an admission without permit and `would_reject`, and the decision is
  /// counted.
  Admission TryAcquire(Time now, const AttemptInfo& info);
  /// As in `CircuitBreaker`. Without a permit (`id == 0`) nothing is learnt; what the result counts as is still told. In shadow mode the
  /// attempt is counted as good or bad.
  Outcome Record(const Permit& permit, Time now, const AttemptResult& result);
  void Drop(const Permit& permit, Time now);
  /// Drop for a holder that can't tell the time: as of the latest admission or record.
  void Abandon(const Permit& permit);
  void StreamStarted(const Permit& permit, Time now);
  void FreshEvidence(Time now);
  void ForceOpen(Time now);
  void Disable(Time now);
  void Reset(Time now);
  /// Both without a lock.
  std::optional<Duration> healthy_latency() const;
  BreakerState state() const { return state_.load(std::memory_order_acquire); }
  BreakerSnapshot Snapshot(Time now) const;

  /// Valid options for the running breaker. Another mode is followed from the next attempt on; in mode kDisabled every attempt is admitted
  /// without a permit and the machine rests. Options of the same kind are taken over in place and everything stays
  /// (`CircuitBreaker::Reconfigure`). Another kind gets a new machine, of `random`, that begins in the same state: an open breaker stays
  /// open. Generations go on, so that results of attempts admitted before are stale, and so do all counters. There is no event, unless the
  /// state can't be kept (`CircuitBreaker::TakeOver`; reason kConfig). False, and nothing changed: a factory of the user's threw or gave
  /// none.
  bool Reconfigure(const BreakerOptions& options, Time now, Random random);

 private:
  using Lock = std::unique_lock<std::mutex>;

  Lock Take();
  /// Runs `change` under the lock, when the machine knows all that was noted beside it, then tells the transitions it made. `now`: nothing
  /// means as of the latest admission or record.
  template <class Change>
  auto Locked(std::optional<Time> now, Change&& change);
  /// As the end of that; lets the lock go.
  void Finish(Lock& lock, Time now);
  void DeliverTransitions();
  // What `TryAcquire` and `Record` do when the attempt can't be noted beside the machine. Not inlined: seldom needed by a healthy link.
  [[gnu::noinline]] void AskMachine(Time now, const AttemptInfo& info, Admission* admission);
  [[gnu::noinline]] Outcome TellMachine(const Permit& permit, Time now, const AttemptResult& result);
  /// Tells the machine what was noted where this permit was, unless somebody else has the lock: then a later attempt does.
  [[gnu::noinline]] void TellNoted(const Permit& permit, Time now);
  void CountShadowResult(const Permit& permit, Time now, Outcome outcome);
  // Under `mutex_`.
  void TakeTransitions();
  void SetOptions(const BreakerOptions& options);
  /// Puts `machine` in the place of `breaker_`, and the other way round.
  void Replace(std::unique_ptr<CircuitBreaker>& machine, Time now);
  /// The permit as `breaker_` knows it; none when it is an earlier machine's. `given_back`: it is about to be.
  Permit AsMachines(const Permit& permit, bool given_back = true);
  BreakerSnapshot SnapshotLocked(Time now) const;

  /// What a snapshot's counters were when its machine was replaced.
  struct EarlierCounters {
    std::uint64_t rejected = 0;
    std::uint64_t stale_results = 0;
    std::uint64_t leases_expired = 0;
    std::uint64_t clock_anomalies = 0;
    std::uint64_t invariant_violations = 0;
    std::array<std::uint64_t, kProbeResults> probes{};
    std::array<Duration, kBreakerStates> time_in_state{};

    static EarlierCounters Between(const BreakerSnapshot& total, const BreakerSnapshot& part);
    void AddTo(BreakerSnapshot* snapshot) const;
  };

  const BreakerId id_;
  const Listener listener_;
  const BreakerMaker maker_;
  const std::unique_ptr<HealthyLane> lane_;
  // Read by every attempt, so not beside what is written often. Written under `mutex_`.
  std::atomic<HealthyLane*> open_lane_{nullptr};  // null: no attempt can be noted there now
  std::atomic<BreakerMode> mode_;
  std::atomic<BreakerState> state_;
  mutable std::atomic<Duration::rep> healthy_latency_;  // negative: not known

  alignas(64) mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  std::shared_ptr<const BreakerOptions> options_;
  std::unique_ptr<CircuitBreaker> breaker_;
  std::uint64_t generations_before_ = 0;  // of earlier machines; permits, snapshots and events count on from there
  EarlierCounters before_;
  mutable Time latest_;  // the `now` of the latest admission or record
  ShadowCounts shadow_;
  std::vector<BreakerTransition> pending_;
  bool delivering_ = false;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_SHARED_BREAKER_H_
