// The private members of gRPC that the binding needs, all in one place.
//
// An explicit instantiation may name private members (C++17, [temp.spec] 13.9/6), so `Access` hands out pointers to them: standard
// C++, checked at compile time by name and type, so a gRPC that changes one of them does not compile instead of misbehaving. The build
// tries that once; where it fails, everything is compiled with RECLOSER_GRPC_PRIVATE_MEMBERS 0, and `kPrivateMembers` tells what can't be
// done: retries first of all. Why each is needed: docs/adr/0004-access-to-private-members.md.
#ifndef RECLOSER_GRPC_ACCESS_H_
#define RECLOSER_GRPC_ACCESS_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/client_interceptor.h>

// Where gRPC has moved them, and where they were.
#if __has_include(<grpcpp/impl/call_op_set.h>)
#include <grpcpp/impl/call_op_set.h>
#else
#include <grpcpp/impl/codegen/call_op_set.h>
#endif
#if __has_include(<grpcpp/impl/interceptor_common.h>)
#include <grpcpp/impl/interceptor_common.h>
#else
#include <grpcpp/impl/codegen/interceptor_common.h>
#endif
#if __has_include(<grpcpp/impl/proto_utils.h>)
#include <grpcpp/impl/proto_utils.h>
#else
#include <grpcpp/impl/codegen/proto_utils.h>
#endif

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifndef RECLOSER_GRPC_PRIVATE_MEMBERS
#define RECLOSER_GRPC_PRIVATE_MEMBERS 1
#endif

namespace recloser::access {

/// Are gRPC's private members those that are named here? Else none may be used.
inline constexpr bool kPrivateMembers = RECLOSER_GRPC_PRIVATE_MEMBERS != 0;

#if RECLOSER_GRPC_PRIVATE_MEMBERS
template <class Tag, typename Tag::type Member>
struct Access {
  friend typename Tag::type Get(Tag) { return Member; }
};

#define RECLOSER_PRIVATE_MEMBER(Name, Type, Member) \
  struct Name {                                     \
    using type = Type;                              \
    friend type Get(Name);                          \
  };                                                \
  template struct Access<Name, &Member>
#else
#define RECLOSER_PRIVATE_MEMBER(Name, Type, Member) \
  struct Name {                                     \
    using type = Type;                              \
    friend type Get(Name) { return nullptr; }       \
  }
#endif

using grpc::ChannelInterface;
using grpc::ClientContext;
using grpc::CompletionQueue;
using grpc::internal::Call;
using grpc::internal::CallOpSetInterface;
using grpc::internal::RpcMethod;
using Factories = std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;
using Metadata = std::multimap<std::string, std::string>;

// Making calls: what a channel decorator has to pass on.
using CreateCallType = Call (ChannelInterface::*)(const RpcMethod&, ClientContext*, CompletionQueue*);
using CreateCallInternalType = Call (ChannelInterface::*)(const RpcMethod&, ClientContext*, CompletionQueue*, std::size_t);
using PerformOpsType = void (ChannelInterface::*)(CallOpSetInterface*, Call*);
using RegisterMethodType = void* (ChannelInterface::*)(const char*);
using CallbackCqType = CompletionQueue* (ChannelInterface::*)();
using NotifyType = void (ChannelInterface::*)(grpc_connectivity_state, gpr_timespec, CompletionQueue*, void*);
using WaitType = bool (ChannelInterface::*)(grpc_connectivity_state, gpr_timespec);
RECLOSER_PRIVATE_MEMBER(CreateCall, CreateCallType, ChannelInterface::CreateCall);
RECLOSER_PRIVATE_MEMBER(CreateCallInternal, CreateCallInternalType, ChannelInterface::CreateCallInternal);
RECLOSER_PRIVATE_MEMBER(PerformOpsOnCall, PerformOpsType, ChannelInterface::PerformOpsOnCall);
RECLOSER_PRIVATE_MEMBER(RegisterMethod, RegisterMethodType, ChannelInterface::RegisterMethod);
RECLOSER_PRIVATE_MEMBER(CallbackCq, CallbackCqType, ChannelInterface::CallbackCQ);
RECLOSER_PRIVATE_MEMBER(NotifyOnStateChange, NotifyType, ChannelInterface::NotifyOnStateChangeImpl);
RECLOSER_PRIVATE_MEMBER(WaitForStateChange, WaitType, ChannelInterface::WaitForStateChangeImpl);

// The channel: an interceptor's own place in its list, and the target's name.
using CreatorsType = Factories grpc::Channel::*;
using CoreChannelType = grpc_channel* const grpc::Channel::*;
using CallbackQueueType = std::atomic<CompletionQueue*> grpc::Channel::*;
RECLOSER_PRIVATE_MEMBER(InterceptorCreators, CreatorsType, grpc::Channel::interceptor_creators_);
RECLOSER_PRIVATE_MEMBER(CoreChannel, CoreChannelType, grpc::Channel::c_channel_);
RECLOSER_PRIVATE_MEMBER(CallbackQueue, CallbackQueueType, grpc::Channel::callback_cq_);

// The caller's context: what another attempt has to carry too.
using MetadataType = Metadata ClientContext::*;
using StringType = grpc::string ClientContext::*;
using BoolType = bool ClientContext::*;
using CallType = grpc_call* ClientContext::*;
using PropagationType = grpc::PropagationOptions ClientContext::*;
RECLOSER_PRIVATE_MEMBER(SendInitialMetadata, MetadataType, ClientContext::send_initial_metadata_);
RECLOSER_PRIVATE_MEMBER(Authority, StringType, ClientContext::authority_);
RECLOSER_PRIVATE_MEMBER(WaitForReady, BoolType, ClientContext::wait_for_ready_);
RECLOSER_PRIVATE_MEMBER(WaitForReadyIsExplicit, BoolType, ClientContext::wait_for_ready_explicitly_set_);
RECLOSER_PRIVATE_MEMBER(ParentCall, CallType, ClientContext::propagate_from_call_);
RECLOSER_PRIVATE_MEMBER(Propagation, PropagationType, ClientContext::propagation_options_);
// Cancelled before the call was made, which interceptors are not told.
RECLOSER_PRIVATE_MEMBER(CancelledEarly, BoolType, ClientContext::call_canceled_);

// The batch: which type of message it receives, and that it has received one.
using OpsType = CallOpSetInterface* grpc::internal::InterceptorBatchMethodsImpl::*;
using DeserializeType = std::unique_ptr<grpc::internal::DeserializeFunc> grpc::internal::CallOpGenericRecvMessage::*;
RECLOSER_PRIVATE_MEMBER(Ops, OpsType, grpc::internal::InterceptorBatchMethodsImpl::ops_);
RECLOSER_PRIVATE_MEMBER(Deserialize, DeserializeType, grpc::internal::CallOpGenericRecvMessage::deserialize_);

// A hijacked read of a stream: where its bytes go.
using ReceivesBytes = grpc::internal::CallOpRecvMessage<grpc::ByteBuffer>;
using HijackedReceiveFailedType = bool* grpc::internal::InterceptorBatchMethodsImpl::*;
using ReceiveFailedType = bool ReceivesBytes::*;
using ReceiveBufferType = grpc::ByteBuffer ReceivesBytes::*;
RECLOSER_PRIVATE_MEMBER(HijackedReceiveFailed, HijackedReceiveFailedType,
                        grpc::internal::InterceptorBatchMethodsImpl::hijacked_recv_message_failed_);
RECLOSER_PRIVATE_MEMBER(ReceiveFailed, ReceiveFailedType, ReceivesBytes::hijacked_recv_message_failed_);
RECLOSER_PRIVATE_MEMBER(ReceiveBuffer, ReceiveBufferType, ReceivesBytes::recv_buf_);

#undef RECLOSER_PRIVATE_MEMBER

/// `object`'s private member `Name`.
template <class Name, class Object>
auto& Member(Name name, Object& object) {
  return object.*Get(name);
}

/// Calls the private member function `Name` of a channel.
template <class Name, class... Arguments>
auto Invoke(Name name, ChannelInterface& channel, Arguments&&... arguments) {
  return (channel.*Get(name))(std::forward<Arguments>(arguments)...);
}

}  // namespace recloser::access

#endif  // RECLOSER_GRPC_ACCESS_H_
