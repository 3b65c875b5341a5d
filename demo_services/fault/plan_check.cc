#include <cstdint>

#include "absl/strings/str_cat.h"
#include "demo_services/fault/plan.h"
#include "recloser/config/duration.h"
#include "recloser/core/validation.h"

namespace recloser::demo {
namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr Duration kShortest = Duration(1);
constexpr std::size_t kMaxNameBytes = 64;
constexpr int kMaxPhases = 1000;

void CheckDuration(Validator& v, absl::string_view field, const google::protobuf::Duration& value, Duration low) {
  v.InRange(field, FromProto(value), low, kDay);
}

/// Printed in full, not as 1e+06.
void CheckInteger(Validator& v, absl::string_view field, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
  v.Require(value >= low && value <= high, field, absl::StrCat(value), absl::StrCat("must be from ", low, " to ", high));
}

/// Closed enums in JSON, open ones in binary requests: a number without a name can come in.
void CheckEnum(Validator& v, absl::string_view field, int value, bool known) {
  v.Require(known, field, absl::StrCat(value), "must be one of the values in fault.proto");
}

absl::Status CheckDistribution(const v1::Distribution& distribution, absl::string_view path) {
  Validator v(path);
  switch (distribution.shape_case()) {
    case v1::Distribution::kFixed:
      CheckDuration(v, "fixed", distribution.fixed(), Duration::zero());
      break;
    case v1::Distribution::kUniform:
      CheckDuration(v, "uniform.low", distribution.uniform().low(), Duration::zero());
      CheckDuration(v, "uniform.high", distribution.uniform().high(), FromProto(distribution.uniform().low()));
      break;
    case v1::Distribution::kLognormal:
      CheckDuration(v, "lognormal.mean", distribution.lognormal().mean(), kShortest);
      v.InRange("lognormal.sigma", distribution.lognormal().sigma(), 0, 5);
      break;
    case v1::Distribution::kExponential:
      CheckDuration(v, "exponential", distribution.exponential(), Duration::zero());
      break;
    case v1::Distribution::SHAPE_NOT_SET:
      v.Require(false, "shape", "nothing", "must be one of fixed, uniform, lognormal, exponential");
  }
  v.InRange("multiplier", distribution.multiplier(), 0, 1000);
  return v.status();
}

absl::Status CheckPool(const v1::WorkerPool& pool, absl::string_view path) {
  Validator v(path);
  CheckInteger(v, "workers", pool.workers(), 1, 100'000);
  CheckInteger(v, "queue_limit", pool.queue_limit().value(), 0, 1'000'000);
  v.Nested(CheckDistribution(pool.service_time(), v.Path("service_time")));
  CheckEnum(v, "when_full", pool.when_full(), v1::WorkerPool::WhenFull_IsValid(pool.when_full()));
  return v.status();
}

absl::Status CheckErrors(const v1::Phase& phase, absl::string_view path) {
  Validator v(path);
  double sum = 0;
  for (int i = 0; i < phase.errors_size(); ++i) {
    const v1::ErrorRate& error = phase.errors(i);
    const std::string field = absl::StrCat("errors[", i, "]");
    v.Require(v1::Code_IsValid(error.code()) && error.code() != v1::OK, absl::StrCat(field, ".code"),
              v1::Code_IsValid(error.code()) ? v1::Code_Name(error.code()) : absl::StrCat(error.code()),
              "must be a status code other than OK");
    v.InRange(absl::StrCat(field, ".probability"), error.probability(), 0, 1);
    sum += error.probability();
  }
  constexpr double kRounding = 1e-9;
  v.Require(!(sum > 1 + kRounding), "errors", absl::StrCat("a sum of probabilities of ", sum), "must be at most 1");
  return v.status();
}

absl::Status CheckFlapping(const v1::Flapping& flapping, absl::string_view path) {
  constexpr Duration kShortestPeriod = std::chrono::milliseconds(10);
  Validator v(path);
  CheckDuration(v, "down", flapping.down(), kShortestPeriod);
  CheckDuration(v, "up", flapping.up(), kShortestPeriod);
  v.InRange("jitter", flapping.jitter(), 0, 0.9);
  CheckEnum(v, "down_means", flapping.down_means(), v1::Outage::Kind_IsValid(flapping.down_means()));
  return v.status();
}

absl::Status CheckCapacity(const v1::CapacityCurve& capacity, absl::string_view path) {
  Validator v(path);
  v.InRange("start", capacity.start(), 0.001, 10);
  v.InRange("end", capacity.end(), 0.001, 10);
  CheckDuration(v, "over", capacity.over(), Duration::zero());
  CheckEnum(v, "scales", capacity.scales(), v1::CapacityCurve::Scales_IsValid(capacity.scales()));
  return v.status();
}

absl::Status CheckPhase(const v1::Phase& phase, absl::string_view path, bool is_last, bool plan_has_pool) {
  Validator v(path);
  v.Require(phase.name().size() <= kMaxNameBytes, "name", absl::StrCat("'", phase.name(), "'"),
            absl::StrCat("must be at most ", kMaxNameBytes, " bytes"));
  if (phase.has_length()) {
    CheckDuration(v, "length", phase.length(), kShortest);
  } else {
    v.Require(is_last, "length", "nothing", "must be given in every phase but the last");
  }
  CheckEnum(v, "outage", phase.outage(), v1::Outage::Kind_IsValid(phase.outage()));
  if (phase.has_delay()) v.Nested(CheckDistribution(phase.delay(), v.Path("delay")));
  v.Nested(CheckErrors(phase, path));
  if (phase.has_pool()) v.Nested(CheckPool(phase.pool(), v.Path("pool")));
  if (phase.has_capacity()) {
    v.Require(phase.has_pool() || plan_has_pool, "capacity", "a curve", "must be absent where neither the phase nor the plan has a pool");
    v.Nested(CheckCapacity(phase.capacity(), v.Path("capacity")));
  }
  if (phase.has_flapping()) {
    v.Require(phase.outage() == v1::Outage::NONE, "flapping", "a flapping", "must be absent in a phase with an outage");
    v.Nested(CheckFlapping(phase.flapping(), v.Path("flapping")));
  }
  return v.status();
}

}  // namespace

absl::Status CheckPlan(const v1::FaultPlan& plan) {
  Validator v("");
  v.Require(plan.phases_size() >= 1 && plan.phases_size() <= kMaxPhases, "phases", absl::StrCat("a list of ", plan.phases_size()),
            absl::StrCat("must be a list of 1 to ", kMaxPhases));
  if (plan.has_pool()) v.Nested(CheckPool(plan.pool(), "pool"));
  for (int i = 0; i < plan.phases_size() && v.status().ok(); ++i) {
    v.Nested(CheckPhase(plan.phases(i), absl::StrCat("phases[", i, "]"), i + 1 == plan.phases_size(), plan.has_pool()));
  }
  return v.status();
}

}  // namespace recloser::demo
