// What a run measured. The definitions: proto/recloser/sim/v1/results.proto. Thread safety: values.
#ifndef RECLOSER_SIM_FIGURES_H_
#define RECLOSER_SIM_FIGURES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "recloser/core/breaker.h"
#include "recloser/core/time.h"

namespace recloser::sim {

struct Figures {
  std::int64_t calls = 0;      // of the clients
  std::int64_t good = 0;       // OK within the SLO
  std::int64_t all_calls = 0;  // on all hops
  std::int64_t attempts = 0;   // on all hops
  std::int64_t wasted = 0;     // attempts without an OK within the SLO, but for those that all arms pay
  std::int64_t rejected = 0;   // calls that ended in a breaker's rejection
  double good_rejected = 0;    // the sum of g over them
  std::optional<double> time_to_open_s;
  std::optional<double> blocking_latency_s;
  std::optional<double> recovery_s;
  double amplification_worst = 0;
  double p50_s = 0;
  double p99_s = 0;
  std::int64_t transitions = 0;
  std::int64_t openings = 0;  // closed -> open
  std::int64_t invariant_violations = 0;

  double goodput() const { return calls == 0 ? 0 : static_cast<double>(good) / static_cast<double>(calls); }
  double amplification() const { return all_calls == 0 ? 0 : static_cast<double>(attempts) / static_cast<double>(all_calls); }
  /// What the run cost when a wasted attempt is worth `rho` rejected good calls.
  double Cost(double rho) const { return rho * static_cast<double>(wasted) + good_rejected; }
};

/// Values per step of time from the end of the warm-up.
struct Series {
  struct Step {
    std::int64_t offered = 0;
    std::int64_t good = 0;
    std::int64_t rejected = 0;
    std::int64_t wasted = 0;
    double worth = 0;  // g at the step's end
    // Of the first client's breaker at the step's end.
    BreakerState state = BreakerState::kClosed;
    std::optional<double> rating;
    std::int64_t window_calls = 0;
    double admitted_share = 1;
  };
  Duration step = Duration::zero();
  std::vector<Step> steps;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_FIGURES_H_
