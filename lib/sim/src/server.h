// One server: workers behind a first-in-first-out queue, and what is wrong with it.
//
// An attempt is judged by the conditions at its arrival (down, errors), served at the speed at which its service begins, and answered with
// the delay of that moment. Service times are drawn when service begins.
//
// Thread safety: none.
#ifndef RECLOSER_SIM_SRC_SERVER_H_
#define RECLOSER_SIM_SRC_SERVER_H_

#include <cstdint>
#include <vector>

#include "distributions.h"
#include "event_queue.h"
#include "fault_timeline.h"
#include "pool.h"
#include "recloser/core/random.h"
#include "recloser/sim/scenario.h"
#include "traffic.h"

namespace recloser::sim {

class Server {
 public:
  /// What is referred to must outlive the server.
  Server(const Service& service, FaultTimeline timeline, Duration round_trip, Random* seeds, EventQueue* events, Pool<Attempt>* attempts);

  /// An attempt arrives.
  void Arrive(Time now, std::uint32_t attempt);
  /// A worker is done with it. What comes next is the caller's: `Answer`, or the service's own calls first.
  void Served(Time now);
  /// Sends the answer on its way.
  void Answer(Time now, std::uint32_t attempt, absl::StatusCode code);
  /// Its caller gave up on an attempt that is still held here.
  void Abandon(std::uint32_t attempt);
  /// Cuts all connections: whatever is held here fails. `server` is this server's number.
  void Cut(Time now, std::uint32_t server);

  const Conditions& At(Time now) { return timeline_.At(now); }
  std::vector<Time> Cuts() const { return timeline_.Cuts(); }
  const Service& service() const { return service_; }
  int busy() const { return busy_; }
  std::size_t waiting() const { return waiting_; }

 private:
  int Workers(const Conditions& conditions) const;
  void StartWaiting(Time now);
  void Start(Time now, std::uint32_t attempt, const Conditions& conditions);

  const Service& service_;
  FaultTimeline timeline_;
  const Duration round_trip_;
  const Lognormal service_time_;
  Random errors_;
  Random service_times_;
  EventQueue* const events_;
  Pool<Attempt>* const attempts_;
  int busy_ = 0;
  std::vector<std::uint32_t> queue_;  // from `first_` on, in order
  std::size_t first_ = 0;
  std::size_t waiting_ = 0;  // those in the queue that were not abandoned
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_SERVER_H_
