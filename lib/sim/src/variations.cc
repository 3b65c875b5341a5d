#include "recloser/sim/variations.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "pinned_math.h"
#include "recloser/core/random.h"

namespace recloser::sim {
namespace {

using std::chrono::seconds;

constexpr double kLeast = 0.5;
constexpr double kMost = 1.5;
// The run itself draws from its seed; the variation must not draw the same numbers.
constexpr std::uint64_t kVariationStream = 0x5eed0000;

double Factor(Random* random) { return random->Uniform(kLeast, kMost); }

Duration Times(Duration d, double factor) { return FromSeconds(ToSeconds(d) * factor); }

double LogUniform(double low, double high, Random* random) { return Exp(random->Uniform(Log(low), Log(high))); }

void Vary(double length_factor, double jitter_factor, Fault* fault) {
  fault->length = Times(fault->length, length_factor);
  fault->down = Times(fault->down, length_factor);
  fault->up = Times(fault->up, length_factor);
  fault->start_jitter = Times(fault->start_jitter, jitter_factor);
  fault->end_jitter = Times(fault->end_jitter, jitter_factor);
  fault->jitter = std::min(0.9, fault->jitter * jitter_factor);
}

Duration DrawLength(Random* random) { return FromSeconds(LogUniform(1, 40, random)); }

enum class HeldOutKind { kRefused, kBlackhole, kSlow, kErrors, kCapacity, kFlapping, kCold };
constexpr int kHeldOutKinds = 7;

std::vector<Fault> DrawFaults(Random* random) {
  Fault fault;
  fault.at = seconds(10);
  fault.length = DrawLength(random);
  const auto kind = static_cast<HeldOutKind>(random->Next() % kHeldOutKinds);
  switch (kind) {
    case HeldOutKind::kRefused:
      break;
    case HeldOutKind::kBlackhole:
      fault.kind = Fault::Kind::kBlackhole;
      break;
    case HeldOutKind::kSlow:
      fault.kind = Fault::Kind::kSlow;
      fault.slow_factor = LogUniform(5, 50, random);
      break;
    case HeldOutKind::kErrors:
      fault.kind = Fault::Kind::kErrors;
      fault.error_share = random->Uniform(0.2, 0.9);
      break;
    case HeldOutKind::kCapacity:
      fault.kind = Fault::Kind::kCapacity;
      fault.capacity_start = fault.capacity_end = random->Uniform(0.1, 0.6);
      fault.capacity_scales_workers = random->Uniform() < 0.5;
      break;
    case HeldOutKind::kFlapping:
      fault.kind = Fault::Kind::kFlapping;
      fault.down = FromSeconds(random->Uniform(0.5, 3));
      fault.up = FromSeconds(random->Uniform(1, 9));
      fault.cycles = 1 + static_cast<int>(fault.length / (fault.down + fault.up));
      fault.end_jitter = Duration::zero();
      break;
    case HeldOutKind::kCold: {
      Fault cold;
      cold.kind = Fault::Kind::kCapacity;
      cold.capacity_start = random->Uniform(0.1, 0.5);
      cold.length = FromSeconds(random->Uniform(2, 20));
      cold.end_jitter = Duration::zero();
      cold.recovery = true;
      return {fault, cold};
    }
  }
  return {fault};
}

Scenario DrawScenario(int number, Random* random) {
  Scenario scenario;
  scenario.id = absl::StrFormat("H%03d", number);
  scenario.title = "drawn at random";
  scenario.length = seconds(90);
  scenario.load.rate = LogUniform(2, 2000, random);
  if (random->Uniform() < 1.0 / 3) scenario.calls.attempts = 3;
  Service service;
  service.name = "service";
  service.service_time = FromSeconds(LogUniform(0.002, 0.2, random));
  service.sigma = random->Uniform(0.2, 1);
  service.background_errors = random->Uniform(0, 0.02);
  const double utilisation = random->Uniform(0.3, 0.8);
  const double busy = scenario.load.rate * ToSeconds(service.service_time);
  service.workers = static_cast<int>(std::ceil(busy / utilisation));
  service.faults = DrawFaults(random);
  scenario.services.push_back(std::move(service));
  return scenario;
}

}  // namespace

Scenario Varied(const Scenario& scenario, std::uint64_t seed) {
  Random random(seed ^ kVariationStream);
  Scenario varied = scenario;
  const double rate_factor = Factor(&random);
  const double length_factor = Factor(&random);
  const double jitter_factor = Factor(&random);
  varied.load.rate *= rate_factor;
  for (RateChange& change : varied.load.changes) change.rate *= rate_factor;
  for (Service& service : varied.services) {
    const double time_factor = Factor(&random);
    service.service_time = Times(service.service_time, time_factor);
    service.workers = std::max(1, static_cast<int>(std::lround(service.workers * rate_factor * time_factor)));
    for (Fault& fault : service.faults) Vary(length_factor, jitter_factor, &fault);
  }
  return varied;
}

std::vector<Scenario> HeldOutScenarios(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Scenario> scenarios;
  for (int i = 1; i <= count; ++i) scenarios.push_back(DrawScenario(i, &random));
  return scenarios;
}

}  // namespace recloser::sim
