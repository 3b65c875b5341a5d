// Virtual workers behind one first-in-first-out queue: a service with a finite capacity, as exact as a simulated one. Reads no clock.
//
// A worker starts its next call at the very moment it is done with the last one, however late `Advance` is called, so that late timers cost
// no capacity. Thread safety: none.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_WORKERS_H_
#define RECLOSER_DEMO_SERVICES_FAULT_WORKERS_H_

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "demo_services/fault/ticket.h"
#include "demo_services/fault/timeline.h"
#include "recloser/core/random.h"
#include "recloser/core/time.h"

namespace recloser::demo {

class FaultWorkers {
 public:
  /// A call and the time it was served.
  using Served = std::pair<Time, std::shared_ptr<FaultTicket>>;

  /// `random` outlives the workers.
  explicit FaultWorkers(Random* random) : random_(random) {}

  /// False: workers and queue are full.
  bool Enqueue(std::shared_ptr<FaultTicket> ticket, const FaultTimeline& timeline, Time now);
  /// Appends what is served by `now`, in order. Between two calls of it the timeline's pool stays the same.
  void Advance(const FaultTimeline& timeline, Time now, std::vector<Served>* served);
  /// After the timeline has changed at `now`: without a pool, all calls are served at once; during a refusal, all are forgotten.
  void TimelineChanged(const FaultTimeline& timeline, Time now, std::vector<Served>* served);
  /// Takes a call out of the queue: its client is gone. Does nothing when it does not wait.
  void Skip(FaultTicket& ticket);

  Time NextEvent(const FaultTimeline& timeline, Time now) const;
  std::size_t queue_length() const { return waiting_; }

 private:
  void StartWaiting(const FaultTimeline& timeline, Time now);
  static std::size_t WorkersAt(const FaultTimeline& timeline, Time t);

  Random* const random_;
  std::multimap<Time, std::shared_ptr<FaultTicket>> busy_;  // by the end of the service
  std::deque<std::shared_ptr<FaultTicket>> queue_;
  std::size_t waiting_ = 0;  // of queue_, without those that will be skipped
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_WORKERS_H_
