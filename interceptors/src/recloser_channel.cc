#include "recloser_channel.h"

#include <algorithm>
#include <utility>

#include "runtime.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

Time EndOfFirstAttempt(const CallSetup& setup, bool unary) {
  const MethodPolicy& policy = setup.method->policy;
  Time end = setup.callers_deadline;
  if (policy.deadline.has_value()) end = std::min(end, SaturatingAdd(setup.created, *policy.deadline));
  const std::optional<Duration> timeout =
      setup.overrides.attempt_timeout.has_value() ? setup.overrides.attempt_timeout : policy.attempt_timeout;
  if (unary && timeout.has_value()) end = std::min(end, SaturatingAdd(setup.created, *timeout));
  return end;
}

}  // namespace

grpc::internal::Call RecloserChannel::CreateCall(const grpc::internal::RpcMethod& method, grpc::ClientContext* context,
                                                 grpc::CompletionQueue* queue) {
  const bool unary = method.method_type() == grpc::internal::RpcMethod::NORMAL_RPC;
  CallSetup setup = binding_->Setup(method.name(), method.method_type(), *context);
  setup.native_deadlines = true;
  setup.decorator = shared_from_this();
  setup.callback_api = queue == access::Member(access::CallbackQueue{}, *channel_).load(std::memory_order_relaxed);
  const Time created = setup.created;
  const Time callers_end = setup.callers_deadline;
  const Time end = setup.method ? EndOfFirstAttempt(setup, unary) : callers_end;
  const ScopedCallSetup scope(*binding_, context, &setup);
  grpc::ChannelInterface& channel = *channel_;
  if (end >= callers_end) return access::Invoke(access::CreateCall{}, channel, method, context, queue);

  const gpr_timespec callers = context->raw_deadline();
  context->set_deadline(TimeLeft(end, created));
  grpc::internal::Call call = access::Invoke(access::CreateCall{}, channel, method, context, queue);
  context->set_deadline(callers);  // the core call has its deadline; the caller's context stays the caller's
  return call;
}

grpc::internal::Call RecloserChannel::CreateCallInternal(const grpc::internal::RpcMethod& method, grpc::ClientContext* context,
                                                         grpc::CompletionQueue* queue, std::size_t position) {
  return access::Invoke(access::CreateCallInternal{}, *channel_, method, context, queue, position);
}
void RecloserChannel::PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops, grpc::internal::Call* call) {
  access::Invoke(access::PerformOpsOnCall{}, *channel_, ops, call);
}
void* RecloserChannel::RegisterMethod(const char* method) { return access::Invoke(access::RegisterMethod{}, *channel_, method); }
grpc::CompletionQueue* RecloserChannel::CallbackCQ() { return access::Invoke(access::CallbackCq{}, *channel_); }
void RecloserChannel::NotifyOnStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline, grpc::CompletionQueue* queue,
                                              void* tag) {
  access::Invoke(access::NotifyOnStateChange{}, *channel_, last, deadline, queue, tag);
}
bool RecloserChannel::WaitForStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline) {
  return access::Invoke(access::WaitForStateChange{}, *channel_, last, deadline);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
