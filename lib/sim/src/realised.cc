#include "recloser/sim/realised.h"

#include <algorithm>
#include <cmath>

#include "fault_timeline.h"
#include "load_profile.h"
#include "recloser/core/random.h"

namespace recloser::sim {
namespace {

// Any instant but the clock's origin, which hides mistakes.
constexpr Time kOrigin{std::chrono::hours(1)};

Fault Drawn(const FaultInterval& interval) {
  Fault fault = *interval.fault;
  fault.kind = interval.kind;
  fault.at = interval.begin - kOrigin;
  fault.length = interval.end - interval.begin;
  fault.start_jitter = fault.end_jitter = Duration::zero();
  return fault;
}

}  // namespace

Scenario Scaled(const Scenario& scenario, double scale) {
  Scenario scaled = scenario;
  for (Service& service : scaled.services) {
    const int workers = std::max(1, static_cast<int>(std::lround(service.workers * scale)));
    service.queue_limit = static_cast<int>(std::llround(static_cast<double>(service.queue_limit) * workers / service.workers));
    service.workers = workers;
  }
  // What the first service got: others may have been rounded otherwise.
  const double rates = static_cast<double>(scaled.services.front().workers) / scenario.services.front().workers;
  scaled.load.rate *= rates;
  for (RateChange& change : scaled.load.changes) change.rate *= rates;
  return scaled;
}

Scenario Realised(const Scenario& scenario, std::uint64_t seed) {
  Scenario realised = scenario;
  Random seeds(seed);
  for (Service& service : realised.services) {
    Random fault_times(seeds.Next());
    const std::vector<Fault> faults = std::move(service.faults);
    service.faults.clear();
    for (const FaultInterval& interval : DrawIntervals(faults, kOrigin, &fault_times)) service.faults.push_back(Drawn(interval));
  }
  return realised;
}

std::vector<Phase> PhasesOf(const Service& service, Duration warm_up) {
  Random nothing_to_draw(0);
  FaultTimeline timeline(DrawIntervals(service.faults, kOrigin, &nothing_to_draw), 0, service.background_errors);
  std::vector<Time> edges = timeline.Edges();
  edges.front() = SaturatingAdd(kOrigin, -warm_up);
  std::vector<Phase> phases;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    Phase phase;
    phase.begin = edges[i] - kOrigin;
    phase.first = timeline.At(edges[i]);
    phase.last = i + 1 < edges.size() ? timeline.At(edges[i + 1] - Duration(1)) : phase.first;
    phases.push_back(phase);
  }
  return phases;
}

std::vector<Duration> DrawArrivals(const Scenario& scenario, std::uint64_t seed) {
  const Time begin = SaturatingAdd(kOrigin, -scenario.warm_up);
  const LoadProfile load(scenario.load, begin, kOrigin, SaturatingAdd(kOrigin, scenario.length));
  LoadProfile::Arrivals arrivals(&load, Random(seed));
  std::vector<Duration> times;
  while (const std::optional<Time> next = arrivals.Next()) times.push_back(*next - begin);
  return times;
}

}  // namespace recloser::sim
