// Which phase of a fault plan runs, and whether it is down. Values in, decision out: reads no clock.
//
//   FaultTimeline timeline(plan, now, &random);
//   while (timeline.NextChange() <= now) timeline.Change();
//   if (timeline.outage() == v1::Outage::REFUSE) ...
//
// Changes happen at their exact times, however late `Change` is called. Thread safety: none.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_TIMELINE_H_
#define RECLOSER_DEMO_SERVICES_FAULT_TIMELINE_H_

#include <string>

#include "recloser/core/random.h"
#include "recloser/core/time.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

class FaultTimeline {
 public:
  /// Plays a checked plan from `start` on; a plan without phases is healthy for ever. `random` outlives the timeline.
  FaultTimeline(v1::FaultPlan plan, Time start, Random* random);

  /// When the phase ends or the flapping turns next.
  Time NextChange() const;
  /// Makes that change.
  void Change();

  /// The phase that runs; null: none (before, between and after plans), that is healthy.
  const v1::Phase* phase() const;
  /// Its index; -1 for none.
  int index() const { return index_; }
  Time phase_start() const { return phase_start_; }
  Time plan_start() const { return plan_start_; }
  v1::Outage::Kind outage() const;
  /// The workers now; null: none, any number of calls at once.
  const v1::WorkerPool* pool() const;
  /// Share of the pool's capacity at `t`.
  double CapacityAt(Time t) const;

  const v1::FaultPlan& plan() const { return plan_; }
  /// The phase's name as shown; `plan().phases_size()` gives "healthy".
  std::string NameOf(int index) const;

 private:
  void EnterPhase(int index, Time t);
  void Turn(bool down, Time t);

  const v1::FaultPlan plan_;
  const Time plan_start_;
  Random* const random_;
  int index_ = -1;
  Time phase_start_;
  Time phase_end_ = kInfiniteFuture;
  bool down_ = false;  // of the flapping
  Time next_turn_ = kInfiniteFuture;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_TIMELINE_H_
