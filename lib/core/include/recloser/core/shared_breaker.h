// The concurrent shell around a breaker: the one place with locks.
//
// Any number of threads may call any member at any time. Transitions are told to observers outside the lock, in the order in which they
// happened, one at a time; an observer may read the breaker, reset it or destroy its last handle. What an observer throws is caught and
// counted.
//
//   std::shared_ptr<SharedBreaker> breaker = registry->Find("dns:///orders:443", "orders.Orders/Get");
//   if (breaker != nullptr) breaker->ForceOpen(now);
#ifndef RECLOSER_CORE_SHARED_BREAKER_H_
#define RECLOSER_CORE_SHARED_BREAKER_H_

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "recloser/core/breaker.h"
#include "recloser/core/breaker_options.h"

namespace recloser {

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

class SharedBreaker : public std::enable_shared_from_this<SharedBreaker> {
 public:
  /// Called outside the lock, in order, for each transition, by whichever thread made it or is already telling an earlier one. What it
  /// throws is swallowed; the registry's listener counts.
  using Listener = std::function<void(const SharedBreaker&, const BreakerTransition&)>;

  /// `breaker`: what `MakeBreaker(options, ...)` gave, not null. `now`: of its making.
  SharedBreaker(BreakerId id, const BreakerOptions& options, std::unique_ptr<CircuitBreaker> breaker, Time now, Listener listener);

  const BreakerId& id() const { return id_; }
  const BreakerOptions& options() const { return options_; }
  BreakerMode mode() const { return options_.mode; }

  /// As in `CircuitBreaker`; in shadow mode a rejection becomes an admission without permit and `would_reject`, and the decision is counted.
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
  std::optional<Duration> healthy_latency() const;
  BreakerState state() const;
  BreakerSnapshot Snapshot(Time now) const;

 private:
  /// Runs `change` under the lock, then tells the transitions it made.
  template <class Change>
  auto Locked(Change&& change);
  void DeliverTransitions();
  void CountShadowResult(const Permit& permit, Time now, Outcome outcome);

  const BreakerId id_;
  const BreakerOptions options_;
  const Listener listener_;
  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  const std::unique_ptr<CircuitBreaker> breaker_;
  Time latest_;  // the `now` of the latest admission or record
  ShadowCounts shadow_;
  std::deque<BreakerTransition> pending_;
  bool delivering_ = false;
};

}  // namespace recloser

#endif  // RECLOSER_CORE_SHARED_BREAKER_H_
