#include "stream_idle_watch.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recloser/channel.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

std::shared_ptr<StreamIdleWatch> StreamIdleWatch::Start(grpc_call* call, Duration timeout) {
  auto watch = std::make_shared<StreamIdleWatch>(call, timeout);
  watch->SetAlarm(SaturatingAdd(Now(), timeout));
  return watch;
}

StreamIdleWatch::StreamIdleWatch(grpc_call* call, Duration timeout) : call_(call), timeout_(timeout) { grpc_call_ref(call_); }

StreamIdleWatch::~StreamIdleWatch() { grpc_call_unref(call_); }

void StreamIdleWatch::Stop() {
  std::shared_ptr<Wait> wait;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    wait = std::move(wait_);
  }
  if (wait != nullptr) wait->Cancel();
}

void StreamIdleWatch::SetAlarm(Time at) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_) return;
  wait_ = Runtime::Get().WaitUntil(at, [self = shared_from_this()](bool due) {
    if (due) self->OnAlarm();
  });
}

void StreamIdleWatch::OnAlarm() {
  const Time now = Now();
  const Time since = since_.load(std::memory_order_relaxed);
  const Time end = SaturatingAdd(since == kInfiniteFuture ? now : since, timeout_);
  if (now < end) return SetAlarm(end);
  fired_.store(true, std::memory_order_relaxed);
  grpc_call_cancel_with_status(call_, GRPC_STATUS_DEADLINE_EXCEEDED, status().error_message().c_str(), nullptr);
}

grpc::Status StreamIdleWatch::status() const {
  return {grpc::StatusCode::DEADLINE_EXCEEDED,
          absl::StrCat("recloser: no message for ", FormatDuration(timeout_), " (stream_idle_timeout)")};
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
