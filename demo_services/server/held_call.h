// A server's call that can wait without a thread, and that ends well when its client leaves at any moment.
//
// A call is at any time either *held* (waits for its timer, or for somebody's Wake) or *busy* (runs code, or waits for an operation of gRPC
// whose reaction will go on). When the client leaves, a held call ends at once; a busy one notices when it is next held (gRPC fails its
// operation soon). Exactly one of the two happens for each hold: `next` runs, or `ClientLeft` does.
//
// Thread safety: Hold is for the call's own busy code; the rest, from any thread.
#ifndef RECLOSER_DEMO_SERVICES_SERVER_HELD_CALL_H_
#define RECLOSER_DEMO_SERVICES_SERVER_HELD_CALL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "demo_services/server/scheduler.h"

namespace recloser::demo {

class HeldCall : public std::enable_shared_from_this<HeldCall> {
 public:
  explicit HeldCall(Scheduler* scheduler) : scheduler_(scheduler) {}
  virtual ~HeldCall() = default;

  /// Ends the hold now: runs its `next` here. Does nothing to a busy call.
  void Wake();

 protected:
  /// The call's first step. Busy code, before gRPC knows the reactor.
  virtual void Begin() = 0;
  /// Holds the call for `time`, then runs `next` on the scheduler's thread; here and now when `time` is 0.
  void Hold(Duration time, std::function<void()> next);
  /// Holds the call until Wake.
  void HoldUntilWoken(std::function<void()> next) { Hold(kForever, std::move(next)); }

  /// From the reactor's OnCancel.
  void OnClientLeft();
  /// Ends the call as cancelled. Runs at most once, and no `next` after it.
  virtual void ClientLeft() = 0;
  bool client_has_left() const;

  /// From the reactor's OnDone: the call may die.
  void Release() { const std::shared_ptr<HeldCall> last = std::move(self_); }

 private:
  template <class Call>
  friend Call* StartCall(std::shared_ptr<Call> call);

  void WakeFrom(std::uint64_t hold);
  std::function<void()> TakeNext();  // with mutex_ held

  Scheduler* const scheduler_;
  mutable std::mutex mutex_;
  bool client_left_ = false;
  std::uint64_t hold_ = 0;      // number of the last hold: an old hold's timer must not end a new one
  std::function<void()> next_;  // not null: held
  bool has_timer_ = false;
  Scheduler::Id timer_;
  std::shared_ptr<HeldCall> self_;
};

/// Begins `call` and keeps it alive until its reactor's OnDone. Returns what a service's method returns to gRPC.
template <class Call>
Call* StartCall(std::shared_ptr<Call> call) {
  HeldCall& held = *call;
  held.self_ = call;
  held.Begin();
  return call.get();
}

/// A reactor of gRPC that is a held call.
template <class Reactor>
class HeldReactor : public Reactor, public HeldCall {
 public:
  using HeldCall::HeldCall;
  void OnCancel() final { OnClientLeft(); }
  void OnDone() final { Release(); }
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_SERVER_HELD_CALL_H_
