// One run: clients, services and everything that happens between them.
//
// The policies are the product's own: each call is a CallSession on a Link, driven by events as the gRPC binding drives it. Thread safety:
// none; a world belongs to one thread.
#ifndef RECLOSER_SIM_SRC_WORLD_H_
#define RECLOSER_SIM_SRC_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "account.h"
#include "caller.h"
#include "event_queue.h"
#include "fault_timeline.h"
#include "load_profile.h"
#include "pool.h"
#include "recloser/core/policies.h"
#include "recloser/core/random.h"
#include "recloser/sim/scenario.h"
#include "server.h"
#include "trace_hash.h"
#include "traffic.h"

namespace recloser::sim {

class World {
 public:
  /// `scenario` must outlive the world. `series_step`: 0 for no series.
  World(const Scenario& scenario, const Policies& policies, std::uint64_t seed, Duration series_step);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Until the last call has ended. False if `stop` became true before.
  bool Run(const std::function<bool()>& stop);

  Figures figures();
  const Series& series() const { return account_->series(); }
  std::uint64_t trace_hash() const { return trace_.value(); }

 private:
  struct ServiceState {
    std::uint32_t first_server = 0;
    std::vector<std::uint32_t> callers;  // for the services that it calls, in their order
    bool has_faults = false;
    double visits = 0;  // per call of a client
  };

  void MakeServices(Random* seeds);
  void MakeClients(const Policies& policies, Random* seeds);
  std::uint32_t AddCaller(int service, const Policies& policies, Random* seeds);

  void Handle(const Event& event);
  void OnArrival(std::uint32_t client);
  void OnServed(std::uint32_t attempt, std::uint64_t serial);
  void OnAnswer(std::uint32_t attempt, std::uint64_t serial);
  void OnDeadline(std::uint32_t attempt, std::uint64_t serial);
  void OnRetry(std::uint32_t call, std::uint64_t serial);
  void OnSample();
  /// The course goes on after the last call.
  void SampleToTheEnd();

  void StartCall(std::uint32_t caller, SlotId parent, bool measured);
  void Do(std::uint32_t call, const Action& action);
  void Send(std::uint32_t call, Time deadline);
  /// The caller learns of the attempt's end.
  void FinishAttempt(std::uint32_t attempt, absl::StatusCode code);
  void EndCall(std::uint32_t call, bool rejected);
  void CallOthers(std::uint32_t attempt);
  void OnOwnCallEnded(SlotId attempt, const Call& call);
  double Worth(int service);

  const Scenario& scenario_;
  const Time begin_;
  const Time origin_;  // the end of the warm-up
  const Time end_;     // no arrivals from here on
  Time now_;
  const LoadProfile load_;
  EventQueue events_;
  Pool<Attempt> attempts_;
  std::vector<ServiceState> services_;
  std::vector<Server> servers_;
  std::vector<std::size_t> service_of_;   // by server
  std::vector<FaultInterval> intervals_;  // of all services
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<LoadProfile::Arrivals> arrivals_;  // by client
  std::unique_ptr<Account> account_;
  TraceHash trace_;
  std::int64_t arriving_ = 0;  // clients with calls to come
  std::int64_t open_calls_ = 0;
  Pool<Call> calls_;  // last: a session that is still open when it is destroyed gives its permit back
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_WORLD_H_
