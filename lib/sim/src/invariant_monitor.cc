#include "invariant_monitor.h"

#include <memory>
#include <variant>

#include "recloser/core/breaker_options.h"

namespace recloser::sim {
namespace {

// A snapshot costs a hundred times what an admission does.
constexpr std::uint64_t kStepsPerSnapshot = 512;

Duration Stretched(Duration d, double jitter) { return FromSeconds(ToSeconds(d) * (1 + jitter) + 1e-9); }

}  // namespace

InvariantMonitor::InvariantMonitor(const SharedBreaker* breaker) : breaker_(breaker) {
  if (breaker_ == nullptr) return;
  const std::shared_ptr<const BreakerOptions> options = breaker_->options();
  if (const auto* adaptive = std::get_if<AdaptiveBreakerOptions>(&options->kind)) {
    longest_wait_ = Stretched(adaptive->probe_interval_max, adaptive->probe_jitter);
    probes_max_ = adaptive->probes_in_flight_max;
  } else if (const auto* standard = std::get_if<StandardBreakerOptions>(&options->kind)) {
    longest_wait_ = Stretched(standard->wait_multiplier > 1 ? standard->wait_cap : standard->wait, standard->wait_jitter);
  }
}

void InvariantMonitor::OnAdmitted(Time now) {
  if (breaker_ == nullptr) return;
  ++permits_out_;
  CountStep(now);
}

void InvariantMonitor::OnEnded(Time now) {
  if (breaker_ == nullptr) return;
  Check(--permits_out_ >= 0);
  CountStep(now);
}

void InvariantMonitor::OnRejected(Time now, const Rejection& rejection) {
  Check(breaker_ != nullptr && rejection.state != BreakerState::kClosed && rejection.state != BreakerState::kDisabled);
  if (breaker_ == nullptr) return;
  // Every OPEN is followed by a probe within its bound plus one arrival.
  if (longest_wait_.has_value()) Check(rejection.retry_after >= Duration::zero() && rejection.retry_after <= *longest_wait_);
  if (probes_max_ > 0 && rejection.state == BreakerState::kOpen && rejection.retry_after == Duration::zero()) {
    Check(breaker_->Snapshot(now).probes_in_flight >= probes_max_);
  }
  CountStep(now);
}

void InvariantMonitor::OnTransition(const BreakerTransition& transition) {
  Check(transition.from == state_ && transition.to != transition.from && transition.generation == generation_ + 1);
  Check(transition.at >= latest_transition_);
  state_ = transition.to;
  generation_ = transition.generation;
  latest_transition_ = transition.at;
}

void InvariantMonitor::OnFinished(Time now) {
  if (breaker_ == nullptr) return;
  Check(permits_out_ == 0);
  CheckSnapshot(now);
  violations_ += static_cast<std::int64_t>(breaker_->Snapshot(now).invariant_violations);
}

void InvariantMonitor::CountStep(Time now) {
  if (++steps_ % kStepsPerSnapshot == 0) CheckSnapshot(now);
}

void InvariantMonitor::CheckSnapshot(Time now) {
  const BreakerSnapshot snapshot = breaker_->Snapshot(now);
  Check(snapshot.state == state_ && snapshot.generation == generation_);
  // A permit whose lease ended is back before its attempt is.
  const bool reclaimed = snapshot.leases_expired > 0;
  Check(snapshot.permits_in_flight == permits_out_ || (reclaimed && snapshot.permits_in_flight < permits_out_));
  Check(snapshot.probes_in_flight >= 0 && snapshot.probes_in_flight <= snapshot.permits_in_flight);
  Check(probes_max_ == 0 || snapshot.probes_in_flight <= probes_max_);
  Check(!snapshot.rating.has_value() || (*snapshot.rating >= 0 && *snapshot.rating <= 1));
  Check(snapshot.clock_anomalies == 0);
}

}  // namespace recloser::sim
