#include "evaluate/fault_plan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "recloser/config/duration.h"
#include "recloser/sim/realised.h"

namespace recloser::tools {
namespace {

using demo::v1::CapacityCurve;

demo::v1::Outage::Kind OutageOf(const sim::Conditions& conditions) {
  if (conditions.refused) return demo::v1::Outage::REFUSE;
  return conditions.blackhole ? demo::v1::Outage::BLACKHOLE : demo::v1::Outage::NONE;
}

void AddErrors(const sim::Conditions& conditions, demo::v1::Phase* phase) {
  if (conditions.error_share <= 0) return;
  demo::v1::ErrorRate& errors = *phase->add_errors();
  errors.set_code(static_cast<demo::v1::Code>(conditions.error_code));
  errors.set_probability(conditions.error_share);
  if (conditions.error_share <= sim::kExcusedErrorShare) errors.set_message(kBackgroundFailure);
}

/// Workers and the time that they take, but for a capacity that changes within the phase.
void SetPool(const sim::Service& service, const sim::Conditions& conditions, demo::v1::WorkerPool* pool) {
  pool->set_workers(static_cast<std::uint32_t>(std::max(1L, std::lround(service.workers * conditions.workers_share))));
  pool->mutable_queue_limit()->set_value(static_cast<std::uint32_t>(service.queue_limit));
  demo::v1::Distribution& time = *pool->mutable_service_time();
  *time.mutable_lognormal()->mutable_mean() = ToProto(service.service_time);
  time.mutable_lognormal()->set_sigma(service.sigma);
  time.set_multiplier(conditions.slow_factor);
  const bool unavailable = service.when_full == absl::StatusCode::kUnavailable;
  pool->set_when_full(unavailable ? demo::v1::WorkerPool::ANSWER_UNAVAILABLE : demo::v1::WorkerPool::ANSWER_RESOURCE_EXHAUSTED);
  pool->set_skip_abandoned(!service.finishes_abandoned);
}

CapacityCurve Curve(CapacityCurve::Scales scales, double start, double end, Duration over) {
  CapacityCurve curve;
  curve.set_scales(scales);
  curve.set_start(start);
  curve.set_end(end);
  *curve.mutable_over() = ToProto(over);
  return curve;
}

void AddPhase(const sim::Service& service, const sim::Phase& from, std::optional<Duration> length, demo::v1::FaultPlan* plan) {
  demo::v1::Phase& phase = *plan->add_phases();
  if (length.has_value()) *phase.mutable_length() = ToProto(*length);
  phase.set_outage(OutageOf(from.first));
  AddErrors(from.first, &phase);
  if (from.first.delay > Duration::zero()) *phase.mutable_delay()->mutable_fixed() = ToProto(from.first.delay);
  sim::Conditions pool = from.first;
  if (from.first.workers_share != from.last.workers_share) {
    *phase.mutable_capacity() = Curve(CapacityCurve::WORKERS, from.first.workers_share, from.last.workers_share, *length);
    pool.workers_share = 1;
  } else if (from.first.slow_factor != from.last.slow_factor) {
    *phase.mutable_capacity() = Curve(CapacityCurve::SPEED, 1 / from.first.slow_factor, 1 / from.last.slow_factor, *length);
    pool.slow_factor = 1;
  }
  SetPool(service, pool, phase.mutable_pool());
}

}  // namespace

demo::v1::FaultPlan FaultPlanOf(const sim::Scenario& scenario, Duration lead, std::uint64_t seed) {
  demo::v1::FaultPlan plan;
  plan.set_seed(seed);
  const sim::Service& service = scenario.services.front();
  std::vector<sim::Phase> phases = PhasesOf(service, scenario.warm_up);
  phases.front().begin -= lead;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    std::optional<Duration> length;
    if (i + 1 < phases.size()) length = phases[i + 1].begin - phases[i].begin;
    AddPhase(service, phases[i], length, &plan);
  }
  return plan;
}

}  // namespace recloser::tools
