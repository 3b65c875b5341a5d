// The figures of a run that was not simulated, by the simulator's own bookkeeping.
//
//   Observed observed;                        // filled from what a real client saw
//   Figures figures = FiguresOf(scenario, observed);
//
// Thread safety: pure.
#ifndef RECLOSER_SIM_OBSERVED_H_
#define RECLOSER_SIM_OBSERVED_H_

#include <cstdint>
#include <vector>

#include "recloser/core/breaker.h"
#include "recloser/core/time.h"
#include "recloser/sim/figures.h"
#include "recloser/sim/scenario.h"

namespace recloser::sim {

/// All times count from the end of the warm-up, in any order. What is earlier is ignored.
struct Observed {
  struct Call {
    Duration arrived = Duration::zero();
    Duration ended = Duration::zero();
    bool ok = false;
  };
  struct Transition {
    Duration at = Duration::zero();
    BreakerState from = BreakerState::kClosed;
    BreakerState to = BreakerState::kClosed;
  };

  std::vector<Call> calls;
  std::vector<Duration> attempts;    // when each began
  std::vector<Duration> rejections;  // when a breaker's rejection ended a call, also before a retry
  std::vector<Duration> excused;     // when an attempt ended as a failure that all arms pay alike (kExcusedErrorShare)
  std::vector<Transition> transitions;
};

/// Of one client's calls to the one service of a realised scenario.
Figures FiguresOf(const Scenario& scenario, const Observed& observed);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_OBSERVED_H_
