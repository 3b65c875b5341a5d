// A scenario made ready to be played outside the simulator: smaller, with its dice thrown, and as a list of phases.
//
//   const Scenario drawn = Realised(Scaled(*FindShippedScenario("S1"), 0.25), seed);
//   Simulate(drawn, arm, {}, other_seed);                       // these very fault times, other arrivals and service times
//   for (const Phase& phase : PhasesOf(drawn.services[0])) ...  // the same faults, for a real server
//
// Thread safety: pure functions.
#ifndef RECLOSER_SIM_REALISED_H_
#define RECLOSER_SIM_REALISED_H_

#include <cstdint>
#include <vector>

#include "recloser/core/time.h"
#include "recloser/sim/conditions.h"
#include "recloser/sim/scenario.h"

namespace recloser::sim {

/// The same with `scale` times the workers (rounded, at least 1), and rates and queue limits in proportion to them, so that each service is
/// as busy as before and a full queue is as long a wait. `scale` > 0.
Scenario Scaled(const Scenario& scenario, double scale);

/// The same with every fault's times drawn by `seed`: none has a jitter any more, and flapping has become its down times.
Scenario Realised(const Scenario& scenario, std::uint64_t seed);

/// A time in which nothing begins or ends; it lasts until the next one begins. What `first` and `last` differ in is a capacity that changes
/// in a straight line.
struct Phase {
  Duration begin = Duration::zero();  // since the end of the warm-up; the first one's: -`warm_up`
  Conditions first;
  Conditions last;
};

/// What the first server of a service of a realised scenario goes through, from the begin of the warm-up on.
std::vector<Phase> PhasesOf(const Service& service, Duration warm_up);

/// When calls arrive, since the begin of the warm-up, in order.
std::vector<Duration> DrawArrivals(const Scenario& scenario, std::uint64_t seed);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_REALISED_H_
