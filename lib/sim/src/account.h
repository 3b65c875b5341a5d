// Keeps the books of a run: what is counted, when, and the figures in the end. Everything before the end of the warm-up is ignored.
//
// Thread safety: none.
#ifndef RECLOSER_SIM_SRC_ACCOUNT_H_
#define RECLOSER_SIM_SRC_ACCOUNT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "fault_timeline.h"
#include "latency_histogram.h"
#include "recloser/core/breaker.h"
#include "recloser/core/time.h"
#include "recloser/sim/figures.h"

namespace recloser::sim {

class Account {
 public:
  /// `origin`: the end of the warm-up. `span`: of the faults. `series_step`: 0 for no series.
  Account(Time origin, Duration length, std::optional<FaultSpan> span, std::size_t callers, Duration series_step);

  bool Measures(Time call_started) const { return call_started >= origin_; }

  // Of measured calls only.
  void OnCallStarted(Time now, bool by_client);
  void OnAttemptStarted(Time now);
  void OnAttemptWasted(Time now);
  /// `worth`: g.
  void OnCallRejected(Time now, double worth);
  void OnClientCallEnded(Time started, Time now, bool good);

  /// `counts_for_time_to_open`: the breaker guards a service with faults.
  void OnTransition(std::size_t caller, const BreakerTransition& transition, bool counts_for_time_to_open);
  void OnSample(Time now, double worth, const BreakerSnapshot* snapshot);

  Figures Finish(std::int64_t invariant_violations) const;
  const Series& series() const { return series_; }

 private:
  struct Bin {
    std::int64_t offered = 0;
    std::int64_t good = 0;
    std::int64_t calls = 0;  // on all hops
    std::int64_t attempts = 0;
  };

  static constexpr Duration kBin = std::chrono::milliseconds(100);
  Bin& BinOf(Time t);
  Series::Step* StepOf(Time t);
  std::optional<double> TimeToOpen() const;
  std::optional<double> BlockingLatency() const;
  std::optional<double> Recovery() const;
  double WorstAmplification() const;

  const Time origin_;
  const std::optional<FaultSpan> span_;
  Figures figures_;
  LatencyHistogram latencies_;
  std::vector<Bin> bins_;
  std::size_t measured_bins_;
  std::vector<std::optional<Time>> first_opening_;  // by caller, since the first fault's begin
  std::optional<Time> last_good_rejection_;         // within the time that blocking latency looks at
  Series series_;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_ACCOUNT_H_
