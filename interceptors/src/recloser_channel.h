// The channel decorator: gives every call its deadline at creation, so that gRPC enforces it and the server sees it.
#ifndef RECLOSER_RECLOSER_CHANNEL_H_
#define RECLOSER_RECLOSER_CHANNEL_H_

#include <grpcpp/channel.h>

#include <memory>

#include "channel_binding.h"
#include "passing_channel.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class RecloserChannel final : public PassingChannel, public std::enable_shared_from_this<RecloserChannel> {
 public:
  RecloserChannel(std::shared_ptr<grpc::Channel> channel, std::shared_ptr<ChannelBinding> binding)
      : PassingChannel(*channel), channel_(std::move(channel)), binding_(std::move(binding)) {}

  grpc_connectivity_state GetState(bool try_to_connect) override { return channel_->GetState(try_to_connect); }

 private:
  grpc::internal::Call CreateCall(const grpc::internal::RpcMethod& method, grpc::ClientContext* context,
                                  grpc::CompletionQueue* queue) override;
  grpc::internal::Call CreateCallInternal(const grpc::internal::RpcMethod& method, grpc::ClientContext* context,
                                          grpc::CompletionQueue* queue, std::size_t position) override;
  void PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops, grpc::internal::Call* call) override;
  void* RegisterMethod(const char* method) override;
  grpc::CompletionQueue* CallbackCQ() override;
  void NotifyOnStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline, grpc::CompletionQueue* queue, void* tag) override;
  bool WaitForStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline) override;

  const std::shared_ptr<grpc::Channel> channel_;
  const std::shared_ptr<ChannelBinding> binding_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_RECLOSER_CHANNEL_H_
