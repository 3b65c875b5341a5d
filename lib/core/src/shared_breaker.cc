#include "recloser/core/shared_breaker.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "breaker_identity.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

std::string BreakerId::name() const {
  if (service.empty()) return "*";
  return method.empty() ? service : absl::StrCat(service, "/", method);
}

SharedBreaker::SharedBreaker(BreakerId id, const BreakerOptions& options, std::unique_ptr<CircuitBreaker> breaker, Time now,
                             Listener listener, BreakerMaker maker)
    : id_(std::move(id)),
      listener_(std::move(listener)),
      maker_(std::move(maker)),
      mode_(options.mode),
      options_(std::make_shared<const BreakerOptions>(options)),
      breaker_(std::move(breaker)),
      latest_(now) {}

template <class Change>
auto SharedBreaker::Locked(Change&& change) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto finish = [&] {
    if (breaker_->has_transitions()) TakeTransitions();
    const bool deliver = !pending_.empty() && !std::exchange(delivering_, true);
    lock.unlock();
    if (deliver) DeliverTransitions();
  };
  if constexpr (std::is_void_v<decltype(change(*breaker_))>) {
    change(*breaker_);
    finish();
  } else {
    const auto result = change(*breaker_);
    finish();
    return result;
  }
}

void SharedBreaker::TakeTransitions() {
  for (BreakerTransition& transition : breaker_->TakeTransitions()) {
    transition.generation += generations_before_;
    pending_.push_back(std::move(transition));
  }
}

void SharedBreaker::DeliverTransitions() {
  // A listener may drop the last handle; this one keeps the breaker until all is told and the lock is free.
  const std::shared_ptr<SharedBreaker> self = weak_from_this().lock();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!pending_.empty()) {
    const BreakerTransition transition = std::move(pending_.front());
    pending_.pop_front();
    lock.unlock();
    try {
      if (listener_) listener_(*this, transition);
    } catch (...) {
      // Must not reach the call that happened to make the transition.
    }
    lock.lock();
  }
  delivering_ = false;
}

Admission SharedBreaker::TryAcquire(Time now, const AttemptInfo& info) {
  return Locked([&](CircuitBreaker& breaker) {
    latest_ = now;
    if (options_->mode == BreakerMode::kDisabled) return Admission();
    Admission admission = breaker.TryAcquire(now, info);
    // A breaker of the user's own may not know hypothetical attempts.
    if (info.hypothetical && admission.permit.id != 0) breaker.Drop(std::exchange(admission.permit, {}), now);
    if (admission.permit.id != 0) admission.permit.generation += generations_before_;
    // A machine that is disabled by hand decides nothing.
    if (options_->mode != BreakerMode::kShadow || breaker.state() == BreakerState::kDisabled) return admission;
    shadow_.Count({info.hypothetical, !admission.admitted});
    if (!admission.admitted) {
      admission.permit = {};
      admission.permit.started = now;
      admission.permit.streaming = info.streaming;
      admission.admitted = admission.would_reject = admission.permit.would_reject = true;
    }
    admission.permit.shadow = true;
    return admission;
  });
}

Outcome SharedBreaker::Record(const Permit& permit, Time now, const AttemptResult& result) {
  return Locked([&](CircuitBreaker& breaker) {
    latest_ = now;
    const Permit known = AsMachines(permit);
    if (known.id != permit.id) ++before_.stale_results;
    const Outcome outcome = breaker.Record(known, now, result);
    CountShadowResult(permit, now, outcome);
    return outcome;
  });
}

void SharedBreaker::CountShadowResult(const Permit& permit, Time now, Outcome outcome) {
  if (!permit.shadow || outcome == Outcome::kIgnored) return;
  const bool slow = !permit.streaming && Elapsed(permit.started, now) >= breaker_->slow_call_duration();
  if (outcome == Outcome::kFailure || slow) {
    ++shadow_.bad;
    if (permit.would_reject) ++shadow_.would_save;
  } else {
    ++shadow_.good;
    if (permit.would_reject) ++shadow_.would_refuse_good;
  }
}

void SharedBreaker::Drop(const Permit& permit, Time now) {
  Locked([&](CircuitBreaker& breaker) { breaker.Drop(AsMachines(permit), now); });
}

void SharedBreaker::Abandon(const Permit& permit) {
  Locked([&](CircuitBreaker& breaker) { breaker.Drop(AsMachines(permit), latest_); });
}

void SharedBreaker::StreamStarted(const Permit& permit, Time now) {
  Locked([&](CircuitBreaker& breaker) { breaker.StreamStarted(AsMachines(permit), now); });
}

void SharedBreaker::FreshEvidence(Time now) {
  Locked([&](CircuitBreaker& breaker) { breaker.FreshEvidence(now); });
}

void SharedBreaker::ForceOpen(Time now) {
  Locked([&](CircuitBreaker& breaker) { breaker.ForceOpen(now); });
}

void SharedBreaker::Disable(Time now) {
  Locked([&](CircuitBreaker& breaker) { breaker.Disable(now); });
}

void SharedBreaker::Reset(Time now) {
  Locked([&](CircuitBreaker& breaker) { breaker.Reset(now); });
}

std::optional<Duration> SharedBreaker::healthy_latency() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return breaker_->healthy_latency();
}

BreakerState SharedBreaker::state() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return breaker_->state();
}

BreakerSnapshot SharedBreaker::Snapshot(Time now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return SnapshotLocked(now);
}

BreakerSnapshot SharedBreaker::SnapshotLocked(Time now) const {
  BreakerSnapshot snapshot = breaker_->Snapshot(now);
  snapshot.generation += generations_before_;
  before_.AddTo(&snapshot);
  if (options_->mode == BreakerMode::kShadow || shadow_.decisions() > 0) snapshot.shadow = shadow_;
  return snapshot;
}

bool SharedBreaker::Reconfigure(const BreakerOptions& options, Time now, Random random) {
  std::shared_ptr<const BreakerOptions> before;  // its hooks are code of the user: they end after the lock, too
  // An update may be long on its way while calls go on: its time is no step of the clock.
  const auto latest = [&] { return std::max(now, latest_); };
  const auto in_place = [&](CircuitBreaker& breaker) {
    if (!SameKind(*options_, options) && !breaker.Reconfigure(options, latest())) return false;
    before = options_;
    SetOptions(options);
    return true;
  };
  try {
    if (Locked(in_place)) return true;
    // Outside the lock, as its end: code of the user.
    std::unique_ptr<CircuitBreaker> machine = maker_ ? maker_(id_, options, now, random) : MakeBreaker(options, now, random);
    if (machine == nullptr) return false;
    Locked([&](CircuitBreaker&) {
      Replace(machine, latest());
      before = options_;
      SetOptions(options);
    });
    return true;
  } catch (...) {
    return false;
  }
}

std::shared_ptr<const BreakerOptions> SharedBreaker::options() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return options_;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
