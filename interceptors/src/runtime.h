// The library's own completion queue and its one thread: back-off waits, deadlines without a decorator, re-issued attempts.
//
// One per process, made at the first need, reachable and never joined at exit. Everything that happens to a call after its first attempt
// happens on this thread, one thing at a time, so it needs no locks. Thread safety: all members, from any thread. After fork the child
// has no such thread: `usable()` says so.
#ifndef RECLOSER_RUNTIME_H_
#define RECLOSER_RUNTIME_H_

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <functional>
#include <memory>

#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// Something on the queue. `Run` is called once, on the runtime's thread; the object must live until then.
class QueueTag {
 public:
  virtual ~QueueTag() = default;
  virtual void Run(bool ok) = 0;
};

/// One wait; a new one for each (setting an alarm again is a race in gRPC).
class Wait final : public QueueTag {
 public:
  /// Ends the wait early; `done` still runs, once, with false. No effect when it is over.
  void Cancel() { alarm_.Cancel(); }

 private:
  friend class Runtime;
  void Run(bool ok) override;

  grpc::Alarm alarm_;
  std::function<void(bool)> done_;
  std::shared_ptr<Wait> self_;  // until the event has come
};

class Runtime {
 public:
  static Runtime& Get();

  /// Runs `done(true)` on the runtime's thread at `wake`, or `done(false)` soon after `Cancel`.
  std::shared_ptr<Wait> WaitUntil(Time wake, std::function<void(bool)> done);
  /// Runs `task` on the runtime's thread soon.
  void Post(std::function<void()> task);

  grpc::CompletionQueue* queue() { return &queue_; }
  /// False in a forked child.
  bool usable() const;
  /// Is this the runtime's thread, running an observer or hook of the application? A call that waited for the runtime here would wait for
  /// ever.
  static bool IsCurrentThread();

 private:
  Runtime();
  void Serve();

  grpc::CompletionQueue queue_;
  const long owner_;
};

/// As an alarm takes it. gRPC rounds what is to come up to its next millisecond, now as well: what is due is in the past.
gpr_timespec AlarmTime(Time wake, Time now);
/// The time left until `deadline`, as gRPC takes it: a timespan, never an instant of the wall clock.
gpr_timespec TimeLeft(Time deadline, Time now);
/// gRPC's deadline as steady time; kInfiniteFuture for none.
Time FromGrpcDeadline(gpr_timespec deadline, Time now);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_RUNTIME_H_
