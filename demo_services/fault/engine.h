// The gate that plays fault plans in real time: FaultModel with a lock, a clock and the counts.
//
//   FaultEngine engine(&scheduler, seed);
//   engine.SetPlan(plan);
//   EchoService service({&scheduler, &stats, &engine});
//
// Thread safety: all functions, from any thread. No lock is held while a call goes on or a watcher runs.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_ENGINE_H_
#define RECLOSER_DEMO_SERVICES_FAULT_ENGINE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "demo_services/echo/call_gate.h"
#include "demo_services/fault/model.h"
#include "demo_services/server/scheduler.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

class FaultEngine final : public CallGate {
 public:
  /// `seed` is for plans that bring none. `scheduler` is stopped before the engine dies, and all calls have left by then.
  FaultEngine(Scheduler* scheduler, std::uint64_t seed);

  /// Replaces the plan; its first phase starts now. INVALID_ARGUMENT for a bad plan: nothing changes then.
  absl::Status SetPlan(const v1::FaultPlan& plan);
  /// No plan: healthy.
  void Reset();

  /// `port_open` is left to the owner of the port.
  v1::FaultStatus Status();

  /// The service's port is to be closed.
  bool Refuses();

  /// Runs `watcher` after each change of plan, phase or outage, on any thread, until Unwatch. It must not block.
  std::uint64_t Watch(std::function<void()> watcher);
  /// `watcher` may still run once, if it is running already.
  void Unwatch(std::uint64_t id);
  /// Runs the watchers: something else of interest to them has changed.
  void TellWatchers();

  /// While true, calls whose connection ends are counted as cut by the server, not as abandoned by their clients.
  void set_cutting(bool cutting);

  // CallGate:
  std::shared_ptr<Ticket> Arrive() override;
  void Await(const std::shared_ptr<Ticket>& ticket, Proceed proceed) override;
  void Leave(const std::shared_ptr<Ticket>& ticket, CallResult result) override;

 private:
  struct Counts {
    std::uint64_t received = 0;
    std::uint64_t ok = 0;
    std::uint64_t errors = 0;
    std::uint64_t abandoned = 0;
    std::uint64_t cut = 0;
  };
  /// What is to be done once the lock is released.
  struct Todo {
    std::vector<std::pair<Proceed, grpc::Status>> calls;
    std::vector<std::function<void()>> watchers;
    void Run();
  };

  void StartPlan(v1::FaultPlan plan);
  void OnTimer(std::uint64_t number);
  /// The next three with mutex_ held. Moves to `now` and sets the timer; `Arm` is enough where nothing else can have become due.
  Todo Advance(Time now);
  void Arm(Time now);
  Counts* CountsOf(const FaultTicket& ticket);

  Scheduler* const scheduler_;
  std::mutex mutex_;
  FaultModel model_;
  std::vector<Counts> counts_;  // by phase; the last one: no phase
  std::uint64_t in_flight_ = 0;
  std::uint64_t changes_told_ = 0;
  std::map<std::uint64_t, std::function<void()>> watchers_;
  std::uint64_t next_watcher_ = 0;
  bool cutting_ = false;
  std::optional<Scheduler::Id> timer_;
  std::uint64_t timer_number_ = 0;  // of the last timer set
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_ENGINE_H_
