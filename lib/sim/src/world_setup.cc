// What there is in a world before anything happens.
#include <chrono>
#include <cstddef>
#include <optional>

#include "world.h"
#include "worth.h"

namespace recloser::sim {
namespace {

// Any instant but the clock's origin, which hides mistakes.
constexpr Time kBegin{std::chrono::hours(1)};

}  // namespace

World::World(const Scenario& scenario, const Policies& policies, std::uint64_t seed, Duration series_step)
    : scenario_(scenario),
      begin_(kBegin),
      origin_(SaturatingAdd(begin_, scenario.warm_up)),
      end_(SaturatingAdd(origin_, scenario.length)),
      now_(begin_),
      load_(scenario.load, begin_, origin_, end_) {
  // Streams of their own, so that arrivals, faults and service times do not depend on what the arm does.
  Random seeds(seed);
  MakeServices(&seeds);
  MakeClients(policies, &seeds);
  account_ = std::make_unique<Account>(origin_, scenario.length, SpanOf(intervals_), callers_.size(), series_step);
  if (series_step > Duration::zero()) events_.Push(SaturatingAdd(origin_, series_step), EventKind::kSample, 0);
}

void World::MakeServices(Random* seeds) {
  const std::vector<double> visits = VisitsPerCall(scenario_.services);
  std::size_t servers = 0;
  for (const Service& service : scenario_.services) servers += static_cast<std::size_t>(service.endpoints);
  servers_.reserve(servers);
  for (std::size_t i = 0; i < scenario_.services.size(); ++i) {
    const Service& service = scenario_.services[i];
    ServiceState state;
    state.first_server = static_cast<std::uint32_t>(servers_.size());
    state.has_faults = !service.faults.empty();
    state.visits = visits[i];
    services_.push_back(state);
    Random fault_times(seeds->Next());
    const std::vector<FaultInterval> intervals = DrawIntervals(service.faults, origin_, &fault_times);
    intervals_.insert(intervals_.end(), intervals.begin(), intervals.end());
    for (int endpoint = 0; endpoint < service.endpoints; ++endpoint) {
      const auto number = static_cast<std::uint32_t>(servers_.size());
      servers_.emplace_back(service, FaultTimeline(intervals, endpoint, service.background_errors), scenario_.calls.round_trip, seeds,
                            &events_, &attempts_);
      service_of_.push_back(i);
      for (const Time cut : servers_.back().Cuts()) events_.Push(cut, EventKind::kCut, number);
    }
  }
}

void World::MakeClients(const Policies& policies, Random* seeds) {
  arrivals_.reserve(static_cast<std::size_t>(scenario_.load.clients));
  for (int client = 0; client < scenario_.load.clients; ++client) {
    AddCaller(0, policies, seeds);
    arrivals_.emplace_back(&load_, Random(seeds->Next()));
    ++arriving_;
    if (const std::optional<Time> first = arrivals_.back().Next()) {
      events_.Push(*first, EventKind::kArrival, static_cast<std::uint32_t>(client));
    } else {
      --arriving_;
    }
  }
  for (std::size_t i = 0; i < services_.size(); ++i) {
    for (const int called : scenario_.services[i].calls) services_[i].callers.push_back(AddCaller(called, policies, seeds));
  }
}

std::uint32_t World::AddCaller(int service, const Policies& policies, Random* seeds) {
  const auto number = static_cast<std::uint32_t>(callers_.size());
  const bool has_faults = services_[static_cast<std::size_t>(service)].has_faults;
  const auto on_transition = [this, number, has_faults](const BreakerTransition& transition) {
    trace_.Add(transition.at, TraceHash::Kind::kTransition, number,
               static_cast<std::uint64_t>(transition.from) << 8 | static_cast<std::uint64_t>(transition.to));
    account_->OnTransition(number, transition, has_faults);
  };
  callers_.push_back(std::make_unique<Caller>(service, policies, begin_, seeds->Next() | 1, on_transition));
  return number;
}

}  // namespace recloser::sim
