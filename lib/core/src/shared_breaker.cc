#include "recloser/core/shared_breaker.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "breaker_identity.h"
#include "healthy_lane.h"
#include "spin_lock.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

std::string BreakerId::name() const {
  if (service.empty()) return "*";
  return method.empty() ? service : absl::StrCat(service, "/", method);
}

namespace {

constexpr Duration::rep kUnknown = -1;

/// The mutex is seldom held for more than a microsecond or two: less than it takes to be put to sleep and woken.
constexpr int kTriesBeforeSleep = 50;

Duration::rep AsCount(std::optional<Duration> latency) { return latency.has_value() ? latency->count() : kUnknown; }

/// It may be noted beside the machine.
bool IsPlain(const AttemptInfo& info) { return !info.streaming && !info.hypothetical; }

/// The attempt came back from the service as it should.
bool IsPlainSuccess(const AttemptResult& result) {
  return result.code == absl::StatusCode::kOk && result.has_response && !result.streaming && !result.cancelled_by_caller &&
         !result.attempt_timed_out && !result.rejected_by_recloser && !result.outcome_by_hook.has_value();
}

}  // namespace

SharedBreaker::SharedBreaker(BreakerId id, const BreakerOptions& options, std::unique_ptr<CircuitBreaker> breaker, Time now,
                             Listener listener, BreakerMaker maker)
    : id_(std::move(id)),
      listener_(std::move(listener)),
      maker_(std::move(maker)),
      lane_(std::make_unique<HealthyLane>()),
      mode_(options.mode),
      state_(breaker->state()),
      healthy_latency_(AsCount(breaker->healthy_latency())),
      options_(std::make_shared<const BreakerOptions>(options)),
      breaker_(std::move(breaker)),
      latest_(now) {
  lane_->SetMachine(dynamic_cast<LaneMachine*>(breaker_.get()), generations_before_);
}

SharedBreaker::~SharedBreaker() = default;

SharedBreaker::Lock SharedBreaker::Take() {
  Lock lock(mutex_, std::try_to_lock);
  for (int tries = 0; !lock.owns_lock() && tries < kTriesBeforeSleep; ++tries) {
    Pause();
    lock = Lock(mutex_, std::try_to_lock);
  }
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

template <class Change>
auto SharedBreaker::Locked(std::optional<Time> now, Change&& change) {
  Lock lock = Take();
  latest_ = lane_->Fold(now).value_or(latest_);
  const Time t = now.value_or(latest_);
  lane_->Enter(t);
  if constexpr (std::is_void_v<decltype(change(*breaker_))>) {
    change(*breaker_);
    Finish(lock, t);
  } else {
    const auto result = change(*breaker_);
    Finish(lock, t);
    return result;
  }
}

void SharedBreaker::Finish(Lock& lock, Time now) {
  open_lane_.store(lane_->Leave(now, options_->mode == BreakerMode::kEnforce) ? lane_.get() : nullptr, std::memory_order_release);
  state_.store(breaker_->state(), std::memory_order_release);
  healthy_latency_.store(AsCount(breaker_->healthy_latency()), std::memory_order_relaxed);
  if (breaker_->has_transitions()) TakeTransitions();
  const bool deliver = !pending_.empty() && !std::exchange(delivering_, true);
  lock.unlock();
  if (deliver) DeliverTransitions();
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
  Lock lock(mutex_);
  while (!pending_.empty()) {
    const std::vector<BreakerTransition> transitions = std::exchange(pending_, {});
    lock.unlock();
    for (const BreakerTransition& transition : transitions) {
      try {
        if (listener_) listener_(*this, transition);
      } catch (...) {
        // Must not reach the call that happened to make the transition.
      }
    }
    lock.lock();
  }
  delivering_ = false;
}

Admission SharedBreaker::TryAcquire(Time now, const AttemptInfo& info) {
  // One object, made where the caller wants it.
  Admission admission;
  HealthyLane* const lane = open_lane_.load(std::memory_order_acquire);
  if (lane != nullptr && IsPlain(info) && lane->Begin(now, &admission.permit)) return admission;
  if (mode() != BreakerMode::kDisabled) AskMachine(now, info, &admission);
  return admission;
}

void SharedBreaker::AskMachine(Time now, const AttemptInfo& info, Admission* admission) {
  Locked(now, [&](CircuitBreaker& breaker) {
    latest_ = now;
    if (options_->mode == BreakerMode::kDisabled) return;
    *admission = breaker.TryAcquire(now, info);
    // A breaker of the user's own may not know hypothetical attempts.
    if (info.hypothetical && admission->permit.id != 0) breaker.Drop(std::exchange(admission->permit, {}), now);
    if (admission->permit.id != 0) admission->permit.generation += generations_before_;
    if (IsPlain(info)) lane_->Prepare();
    // A machine that is disabled by hand decides nothing.
    if (options_->mode != BreakerMode::kShadow || breaker.state() == BreakerState::kDisabled) return;
    shadow_.Count({info.hypothetical, !admission->admitted});
    if (!admission->admitted) {
      admission->permit = {};
      admission->permit.started = now;
      admission->permit.streaming = info.streaming;
      admission->admitted = admission->would_reject = admission->permit.would_reject = true;
    }
    admission->permit.shadow = true;
  });
}

Outcome SharedBreaker::Record(const Permit& permit, Time now, const AttemptResult& result) {
  HealthyLane* const lane = open_lane_.load(std::memory_order_acquire);
  if (lane != nullptr && permit.lane && IsPlainSuccess(result)) {
    const LaneShard::Noted noted = lane->End(permit, now);
    if (noted == LaneShard::Noted::kYesAndLogIsFilling) TellNoted(permit, now);
    if (noted != LaneShard::Noted::kNo) return Outcome::kSuccess;
  }
  if (permit.id == 0 && !permit.shadow && mode() == BreakerMode::kDisabled) return Classify(result, healthy_latency());
  return TellMachine(permit, now, result);
}

Outcome SharedBreaker::TellMachine(const Permit& permit, Time now, const AttemptResult& result) {
  return Locked(now, [&](CircuitBreaker& breaker) {
    latest_ = now;
    const Permit known = AsMachines(permit);
    if (known.id == 0 && permit.id != 0) ++before_.stale_results;
    const Outcome outcome = breaker.Record(known, now, result);
    CountShadowResult(permit, now, outcome);
    return outcome;
  });
}

void SharedBreaker::TellNoted(const Permit& permit, Time now) {
  Lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  latest_ = lane_->FoldOf(permit).value_or(latest_);
  Finish(lock, now);
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
  Locked(now, [&](CircuitBreaker& breaker) { breaker.Drop(AsMachines(permit), now); });
}

void SharedBreaker::Abandon(const Permit& permit) {
  Locked(std::nullopt, [&](CircuitBreaker& breaker) { breaker.Drop(AsMachines(permit), latest_); });
}

void SharedBreaker::StreamStarted(const Permit& permit, Time now) {
  Locked(now, [&](CircuitBreaker& breaker) { breaker.StreamStarted(AsMachines(permit, /*given_back=*/false), now); });
}

void SharedBreaker::FreshEvidence(Time now) {
  Locked(now, [&](CircuitBreaker& breaker) { breaker.FreshEvidence(now); });
}

void SharedBreaker::ForceOpen(Time now) {
  Locked(now, [&](CircuitBreaker& breaker) { breaker.ForceOpen(now); });
}

void SharedBreaker::Disable(Time now) {
  Locked(now, [&](CircuitBreaker& breaker) { breaker.Disable(now); });
}

void SharedBreaker::Reset(Time now) {
  Locked(now, [&](CircuitBreaker& breaker) { breaker.Reset(now); });
}

std::optional<Duration> SharedBreaker::healthy_latency() const {
  const Duration::rep latency = healthy_latency_.load(std::memory_order_relaxed);
  return latency == kUnknown ? std::nullopt : std::optional<Duration>(latency);
}

BreakerSnapshot SharedBreaker::Snapshot(Time now) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  latest_ = lane_->FoldAll().value_or(latest_);
  healthy_latency_.store(AsCount(breaker_->healthy_latency()), std::memory_order_relaxed);
  return SnapshotLocked(now);
}

BreakerSnapshot SharedBreaker::SnapshotLocked(Time now) const {
  BreakerSnapshot snapshot = breaker_->Snapshot(now);
  snapshot.permits_in_flight += lane_->in_flight();
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
    if (!SameKind(*options_, options)) {
      lane_->AdoptAll();
      if (!breaker.Reconfigure(options, latest())) return false;
    }
    before = options_;
    SetOptions(options);
    return true;
  };
  try {
    if (Locked(now, in_place)) return true;
    // Outside the lock, as its end: code of the user.
    std::unique_ptr<CircuitBreaker> machine = maker_ ? maker_(id_, options, now, random) : MakeBreaker(options, now, random);
    if (machine == nullptr) return false;
    Locked(now, [&](CircuitBreaker&) {
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
