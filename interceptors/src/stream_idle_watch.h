// Ends a stream whose application waits too long for a message (`MethodPolicy::stream_idle_timeout`).
//
// One alarm at a time: when it comes it looks how long the application has been waiting and is set again for the rest, so a message costs
// two plain stores and no alarm. Thread safety: all members, from any thread.
#ifndef RECLOSER_STREAM_IDLE_WATCH_H_
#define RECLOSER_STREAM_IDLE_WATCH_H_

#include <grpc/grpc.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "recloser/core/export.h"
#include "recloser/core/time.h"
#include "runtime.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class StreamIdleWatch : public std::enable_shared_from_this<StreamIdleWatch> {
 public:
  /// Holds a reference on `call` until it is over.
  static std::shared_ptr<StreamIdleWatch> Start(grpc_call* call, Duration timeout);
  StreamIdleWatch(grpc_call* call, Duration timeout);
  ~StreamIdleWatch();
  StreamIdleWatch(const StreamIdleWatch&) = delete;
  StreamIdleWatch& operator=(const StreamIdleWatch&) = delete;

  /// The application waits for a message from `now` on.
  void Await(Time now) { since_.store(now, std::memory_order_relaxed); }
  /// It waits no more.
  void Rest() { since_.store(kInfiniteFuture, std::memory_order_relaxed); }
  /// The stream has ended. Once is enough.
  void Stop();
  /// Did this end the stream?
  bool fired() const { return fired_.load(std::memory_order_relaxed); }
  /// What the application gets then. gRPC has it from this, and newer versions add words of their own.
  grpc::Status status() const;

 private:
  void SetAlarm(Time at);
  void OnAlarm();

  grpc_call* const call_;
  const Duration timeout_;
  std::atomic<Time> since_{kInfiniteFuture};
  std::atomic<bool> fired_{false};
  std::mutex mutex_;
  bool stopped_ = false;        // guarded by `mutex_`,
  std::shared_ptr<Wait> wait_;  // as this is
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_STREAM_IDLE_WATCH_H_
