// What a shared breaker keeps when its options or its machine change.
#include <algorithm>
#include <memory>
#include <utility>

#include "healthy_lane.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

template <class Number>
Number Remainder(Number total, Number part) {
  return total > part ? total - part : Number{};
}

std::uint64_t Sum(std::uint64_t a, std::uint64_t b) { return a + b; }
Duration Sum(Duration a, Duration b) { return SaturatingAdd(a, b); }

template <class Array>
void Add(const Array& from, Array* to) {
  std::transform(from.begin(), from.end(), to->begin(), to->begin(), [](auto a, auto b) { return Sum(a, b); });
}

template <class Array>
Array Remainders(Array totals, const Array& parts) {
  std::transform(totals.begin(), totals.end(), parts.begin(), totals.begin(), [](auto a, auto b) { return Remainder(a, b); });
  return totals;
}

}  // namespace

void SharedBreaker::EarlierCounters::AddTo(BreakerSnapshot* snapshot) const {
  snapshot->rejected += rejected;
  snapshot->stale_results += stale_results;
  snapshot->leases_expired += leases_expired;
  snapshot->clock_anomalies += clock_anomalies;
  snapshot->invariant_violations += invariant_violations;
  Add(probes, &snapshot->probes);
  Add(time_in_state, &snapshot->time_in_state);
}

SharedBreaker::EarlierCounters SharedBreaker::EarlierCounters::Between(const BreakerSnapshot& total, const BreakerSnapshot& part) {
  return {Remainder(total.rejected, part.rejected),
          Remainder(total.stale_results, part.stale_results),
          Remainder(total.leases_expired, part.leases_expired),
          Remainder(total.clock_anomalies, part.clock_anomalies),
          Remainder(total.invariant_violations, part.invariant_violations),
          Remainders(total.probes, part.probes),
          Remainders(total.time_in_state, part.time_in_state)};
}

Permit SharedBreaker::AsMachines(const Permit& permit, bool given_back) {
  if (permit.id == 0) return permit;
  if (permit.generation < generations_before_) return {};
  Permit own = permit.lane ? lane_->AsMachines(permit, given_back) : permit;
  own.generation -= generations_before_;
  return own;
}

void SharedBreaker::SetOptions(const BreakerOptions& options) {
  options_ = std::make_shared<const BreakerOptions>(options);
  mode_.store(options.mode, std::memory_order_relaxed);
}

void SharedBreaker::Replace(std::unique_ptr<CircuitBreaker>& machine, Time now) {
  lane_->SetMachine(nullptr, 0);
  const BreakerSnapshot old = SnapshotLocked(now);
  TakeTransitions();
  machine->TakeOver(old, now);
  machine->TakeTransitions();
  std::swap(breaker_, machine);
  // One is left out: a machine of the user's may count from 0.
  generations_before_ = old.generation + 1;
  lane_->SetMachine(dynamic_cast<LaneMachine*>(breaker_.get()), generations_before_);
  before_ = EarlierCounters();
  const BreakerSnapshot fresh = SnapshotLocked(now);
  before_ = EarlierCounters::Between(old, fresh);
  if (fresh.state == old.state) return;

  BreakerTransition transition;
  transition.from = old.state;
  transition.to = fresh.state;
  transition.reason = TransitionReason::kConfig;
  transition.at = now;
  transition.generation = fresh.generation;
  transition.time_in_from = Elapsed(old.since, now);
  transition.offered_rate = old.offered_rate;
  transition.admitted_share = fresh.admitted_share;
  pending_.push_back(std::move(transition));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
