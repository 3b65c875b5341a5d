// The outage that every arm lives through: its phases, and the fault plans that make them.
//
// | phase     | seconds | what the service does                                                    |
// | healthy   | 6       | 5 workers, 20 ms a call (lognormal, sigma 0.5): 250 calls/s              |
// | slow      | 5       | the same workers 40 times slower                                         |
// | blackhole | 6       | accepts calls, never answers                                             |
// | healthy   | 3       |                                                                          |
// | dead      | 4       | its process is killed (SIGKILL); connections are refused                 |
// | cold      | 6       | a new process on the same port, from a quarter of the capacity to all    |
// | healthy   | 10      |                                                                          |
#ifndef RECLOSER_DEMO_SERVICES_DEMO_SCRIPT_H_
#define RECLOSER_DEMO_SERVICES_DEMO_SCRIPT_H_

#include <string>
#include <vector>

#include "demo_services/demo/timeline.h"
#include "recloser/core/time.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

/// Calls per second that the healthy service can answer.
inline constexpr double kCapacity = 250;

struct ScriptPhase {
  std::string name;
  Duration start;  // since the load began
  Duration end;
};

class Script {
 public:
  /// `scale` stretches or shrinks every phase.
  explicit Script(double scale);

  const std::vector<ScriptPhase>& phases() const { return phases_; }
  Duration length() const { return phases_.back().end; }
  Duration kill_at() const { return phases_[kDead].start; }
  Duration restart_at() const { return phases_[kDead].end; }
  /// The phase at `at`; the last one beyond the end.
  const ScriptPhase& PhaseAt(Duration at) const;

  /// For the first process, which plays it from the load's beginning to its own death.
  v1::FaultPlan FirstPlan() const;
  /// For the restarted process, from its start on.
  v1::FaultPlan RestartPlan() const;

  /// What really happened: the first plan began at `plan_started`, the process was killed and its successor ready at the other two.
  Timeline TimelineOf(SteadyTime plan_started, SteadyTime killed, SteadyTime ready) const;

 private:
  enum Index { kHealthy, kSlow, kBlackhole, kGap, kDead, kCold, kEnd };
  Duration LengthOf(Index phase) const { return phases_[phase].end - phases_[phase].start; }

  std::vector<ScriptPhase> phases_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_SCRIPT_H_
