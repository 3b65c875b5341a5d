#include "runtime.h"

#include <grpc/support/time.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include "recloser/channel.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

void Wait::Run(bool ok) {
  const std::shared_ptr<Wait> keep = std::move(self_);
  std::exchange(done_, nullptr)(ok);
}

Runtime& Runtime::Get() {
  static Runtime* const runtime = new Runtime;  // never destroyed: its thread may be polling while the process exits
  return *runtime;
}

Runtime::Runtime() : owner_(getpid()) {
  std::thread([this] { Serve(); }).detach();
}

namespace {
thread_local bool is_runtime_thread = false;
}  // namespace

bool Runtime::IsCurrentThread() { return is_runtime_thread; }

void Runtime::Serve() {
  is_runtime_thread = true;
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) static_cast<QueueTag*>(tag)->Run(ok);
}

bool Runtime::usable() const { return owner_ == getpid(); }

std::shared_ptr<Wait> Runtime::WaitUntil(Time wake, std::function<void(bool)> done) {
  auto wait = std::make_shared<Wait>();
  wait->done_ = std::move(done);
  wait->self_ = wait;
  wait->alarm_.Set(&queue_, AlarmTime(wake, Now()), static_cast<QueueTag*>(wait.get()));
  return wait;
}

void Runtime::Post(std::function<void()> task) {
  WaitUntil(Time::min(), [task = std::move(task)](bool) { task(); });
}

gpr_timespec AlarmTime(Time wake, Time now) { return wake <= now ? gpr_inf_past(GPR_CLOCK_MONOTONIC) : TimeLeft(wake, now); }

gpr_timespec TimeLeft(Time deadline, Time now) {
  if (deadline == kInfiniteFuture) return gpr_inf_future(GPR_TIMESPAN);
  return gpr_time_from_nanos(Elapsed(now, deadline).count(), GPR_TIMESPAN);
}

Time FromGrpcDeadline(gpr_timespec deadline, Time now) {
  if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0) return kInfiniteFuture;
  const gpr_timespec left = deadline.clock_type == GPR_TIMESPAN ? deadline : gpr_time_sub(deadline, gpr_now(deadline.clock_type));
  // Seconds first: a far deadline may not fit into nanoseconds.
  return SaturatingAdd(now, SaturatingAdd(FromSeconds(static_cast<double>(left.tv_sec)), Duration(left.tv_nsec)));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
