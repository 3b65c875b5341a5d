#include "recloser/config/duration.h"
#include "scenario_check.h"

namespace recloser::sim {
namespace {

absl::StatusCode ReadCode(v1::ErrorShare::Code code) {
  switch (code) {
    case v1::ErrorShare::INTERNAL:
      return absl::StatusCode::kInternal;
    case v1::ErrorShare::RESOURCE_EXHAUSTED:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

Load ReadLoad(const v1::Load& from) {
  Load load;
  if (from.has_rate()) load.rate = from.rate();
  if (from.has_clients()) load.clients = static_cast<int>(from.clients());
  for (const v1::RateChange& change : from.changes())
    load.changes.push_back({FromProto(change.at()), change.rate(), FromProto(change.over())});
  return load;
}

Calls ReadCalls(const v1::Calls& from) {
  Calls calls;
  if (from.has_attempts()) calls.attempts = static_cast<int>(from.attempts());
  if (from.has_retry_budget()) calls.retry_budget = from.retry_budget();
  if (from.has_attempt_timeout()) calls.attempt_timeout = FromProto(from.attempt_timeout());
  if (from.has_deadline()) calls.deadline = FromProto(from.deadline());
  if (from.has_slo()) calls.slo = FromProto(from.slo());
  if (from.has_round_trip()) calls.round_trip = FromProto(from.round_trip());
  return calls;
}

void ReadKind(const v1::Fault& from, Fault* fault) {
  switch (from.kind_case()) {
    case v1::Fault::kBlackhole:
      fault->kind = Fault::Kind::kBlackhole;
      break;
    case v1::Fault::kSlowFactor:
      fault->kind = Fault::Kind::kSlow;
      fault->slow_factor = from.slow_factor();
      break;
    case v1::Fault::kErrors:
      fault->kind = Fault::Kind::kErrors;
      fault->error_share = from.errors().share();
      fault->error_code = ReadCode(from.errors().code());
      break;
    case v1::Fault::kCapacity:
      fault->kind = Fault::Kind::kCapacity;
      fault->capacity_start = from.capacity().start();
      fault->capacity_end = from.capacity().has_end() ? from.capacity().end() : from.capacity().start();
      fault->capacity_scales_workers = from.capacity().scales() == v1::Capacity::WORKERS;
      break;
    case v1::Fault::kFlapping:
      fault->kind = Fault::Kind::kFlapping;
      fault->down = FromProto(from.flapping().down());
      fault->up = FromProto(from.flapping().up());
      fault->cycles = static_cast<int>(from.flapping().cycles());
      if (from.flapping().has_jitter()) fault->jitter = from.flapping().jitter();
      fault->down_is_blackhole = from.flapping().blackhole();
      break;
    case v1::Fault::kDelay:
      fault->kind = Fault::Kind::kDelay;
      fault->delay = FromProto(from.delay());
      break;
    case v1::Fault::kRefused:
    case v1::Fault::KIND_NOT_SET:
      fault->kind = Fault::Kind::kRefused;
  }
}

Fault ReadFault(const v1::Fault& from) {
  Fault fault;
  ReadKind(from, &fault);
  if (from.has_at()) fault.at = FromProto(from.at());
  fault.start_jitter = FromProto(from.start_jitter());
  fault.length = FromProto(from.length());
  if (fault.kind == Fault::Kind::kFlapping) fault.end_jitter = Duration::zero();
  if (from.has_end_jitter()) fault.end_jitter = FromProto(from.end_jitter());
  fault.endpoints.assign(from.endpoints().begin(), from.endpoints().end());
  fault.recovery = from.recovery();
  return fault;
}

Service ReadService(const v1::Scenario& scenario, const v1::Service& from) {
  Service service;
  service.name = from.name();
  if (from.has_workers()) service.workers = static_cast<int>(from.workers());
  if (from.has_service_time()) service.service_time = FromProto(from.service_time());
  if (from.has_sigma()) service.sigma = from.sigma();
  if (from.has_queue_limit()) service.queue_limit = static_cast<int>(from.queue_limit());
  if (from.when_full() == v1::Service::UNAVAILABLE) service.when_full = absl::StatusCode::kUnavailable;
  if (from.has_finishes_abandoned()) service.finishes_abandoned = from.finishes_abandoned();
  if (from.has_background_errors()) service.background_errors = from.background_errors();
  if (from.has_endpoints()) service.endpoints = static_cast<int>(from.endpoints());
  for (const std::string& name : from.calls()) {
    for (int i = 0; i < scenario.services_size(); ++i) {
      if (scenario.services(i).name() == name) service.calls.push_back(i);
    }
  }
  service.forwards_rejections = from.forwards_rejections();
  for (const v1::Fault& fault : from.faults()) service.faults.push_back(ReadFault(fault));
  return service;
}

}  // namespace

Scenario ScenarioFromProto(const v1::Scenario& from) {
  Scenario scenario;
  scenario.id = from.id();
  scenario.title = from.title().empty() ? from.id() : from.title();
  if (from.has_warm_up()) scenario.warm_up = FromProto(from.warm_up());
  scenario.length = FromProto(from.length());
  scenario.load = ReadLoad(from.load());
  scenario.calls = ReadCalls(from.calls());
  for (const v1::Service& service : from.services()) scenario.services.push_back(ReadService(from, service));
  return scenario;
}

}  // namespace recloser::sim
