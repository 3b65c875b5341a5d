#include "channel_binding.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "call_metadata.h"
#include "recloser/channel.h"
#include "runtime.h"
#include "service_config.h"

namespace grpc::internal {
// Declared in client_interceptor.h: the process-wide factory, which adds an interceptor behind all others.
extern experimental::ClientInterceptorFactoryInterface* g_global_client_interceptor_factory;
}  // namespace grpc::internal

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using grpc::internal::RpcMethod;

constexpr Duration kLongestWaitWithParent = std::chrono::milliseconds(250);

/// What the method's .proto says, when its descriptor is linked in.
bool IsIdempotent(absl::string_view method) {
  const std::string name = absl::StrReplaceAll(method.substr(method.empty() ? 0 : 1), {{"/", "."}});
  const google::protobuf::MethodDescriptor* descriptor = google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  return descriptor != nullptr && descriptor->options().idempotency_level() != google::protobuf::MethodOptions::IDEMPOTENCY_UNKNOWN;
}

absl::Status Validate(const PoliciesOrSource& policies) {
  if (const auto* fixed = std::get_if<Policies>(&policies)) return fixed->Validate();
  const auto& source = std::get<std::shared_ptr<PolicySource>>(policies);
  return source != nullptr ? source->current()->Validate() : absl::InvalidArgumentError("the policy source is null");
}

std::string TargetOf(grpc::Channel& channel) {
  if (!access::kPrivateMembers) {  // the same for two channels would make them share breakers
    static std::atomic<int> channels{0};
    return absl::StrCat("unknown-", ++channels);
  }
  char* target = grpc_channel_get_target(access::Member(access::CoreChannel{}, channel));
  std::string copy(target);
  gpr_free(target);
  return copy;
}

}  // namespace

grpc::internal::Call InnerChannel::CreateCall(const grpc::internal::RpcMethod& method, grpc::ClientContext* context,
                                              grpc::CompletionQueue* queue) {
  return access::Invoke(access::CreateCallInternal{}, channel_, method, context, queue, position_);
}
void InnerChannel::PerformOpsOnCall(grpc::internal::CallOpSetInterface* ops, grpc::internal::Call* call) {
  access::Invoke(access::PerformOpsOnCall{}, channel_, ops, call);
}
void InnerChannel::NotifyOnStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline, grpc::CompletionQueue* queue, void* tag) {
  access::Invoke(access::NotifyOnStateChange{}, channel_, last, deadline, queue, tag);
}
bool InnerChannel::WaitForStateChangeImpl(grpc_connectivity_state last, gpr_timespec deadline) {
  return access::Invoke(access::WaitForStateChange{}, channel_, last, deadline);
}

ChannelBinding::ChannelBinding(std::string target, PoliciesOrSource policies, std::shared_ptr<Registry> registry, bool core_may_retry)
    : target_(std::move(target)),
      policies_(std::move(policies)),
      policy_error_(Validate(policies_)),
      registry_(registry != nullptr ? std::move(registry) : Registry::Global()),
      core_may_retry_(core_may_retry),
      seed_(registry_->NextSeed()) {
  // Before the first call: a status page lists it from the start.
  if (const auto* source = std::get_if<std::shared_ptr<PolicySource>>(&policies_)) registry_->AddSource(*source);
}

void ChannelBinding::Attach(grpc::experimental::ClientRpcInfo& info, const grpc::experimental::ClientInterceptorFactoryInterface* self) {
  std::call_once(attached_, [&] {
    channel_ = static_cast<grpc::Channel*>(info.channel());
    if (!access::kPrivateMembers) return;  // no attempt will be re-issued
    const access::Factories& factories = access::Member(access::InterceptorCreators{}, *channel_);
    std::size_t behind = factories.size();
    for (std::size_t i = 0; i < factories.size(); ++i) {
      if (factories[i].get() == self) behind = i + 1;
    }
    others_behind_ = behind < factories.size() || grpc::internal::g_global_client_interceptor_factory != nullptr;
    inner_channel_ = std::make_shared<InnerChannel>(channel_, behind);
  });
}

const std::shared_ptr<Link>& ChannelBinding::link() {
  std::call_once(linked_, [&] {
    if (target_.empty()) target_ = TargetOf(*channel_);
    std::visit([this](const auto& policies) { link_ = Link::Create(target_, policies, registry_); }, policies_);
  });
  return link_;
}

CallSetup ChannelBinding::Setup(const char* method, grpc::internal::RpcMethod::RpcType type, grpc::ClientContext& context) {
  CallSetup setup;
  setup.created = Now();
  setup.overrides = TakeCallOverrides(context);
  // A parent call's cancellation reaches attempts, not waits.
  if (HasParent(context)) setup.overrides.longest_wait = kLongestWaitWithParent;
  setup.callers_deadline = FromGrpcDeadline(context.raw_deadline(), setup.created);
  if (policy_error_.ok()) {
    Link& known = *link();
    setup.method = known.Find(method);
    if (!setup.method) {
      MethodTraits traits;
      traits.streaming = type != RpcMethod::NORMAL_RPC;
      traits.server_streaming = type == RpcMethod::SERVER_STREAMING;
      traits.idempotent = IsIdempotent(method);
      setup.method = known.Method(method, traits, setup.created);
    }
  }
  return setup;
}

bool ChannelBinding::core_retries(const MethodId& method) {
  if (!core_may_retry_ || !ServiceConfigRetries(channel_->GetServiceConfigJSON(), method.service, method.method)) return false;
  if (!core_retries_told_.exchange(true)) {
    registry_->Report({Problem::Kind::kCoreRetryPolicy, method.target,
                       absl::StrCat("the service config has a retryPolicy for ", method.service, "/", method.method,
                                    "; gRPC itself retries, so Recloser does not")});
  }
  return true;
}

void ChannelBinding::NoteUnsupportedMessage(const MethodId& method) {
  if (unsupported_told_.exchange(true)) return;
  registry_->Report(
      {Problem::Kind::kUnsupportedMessage, method.target,
       absl::StrCat("calls of ", method.service, "/", method.method,
                    access::kPrivateMembers ? " have a message type that can't be re-created, so they are not retried"
                                            : " are not retried: Recloser was built with a gRPC whose private members it does "
                                              "not know")});
}

void ChannelBinding::NoteRefused() {
  std::call_once(watched_, [&] { connectivity_ = ConnectivityWatch::Create(*channel_, link_); });
  if (connectivity_ != nullptr) connectivity_->OnRefused();
}

std::uint64_t ChannelBinding::NextSeed() { return seed_.fetch_add(1, std::memory_order_relaxed); }

thread_local ScopedCallSetup* ScopedCallSetup::current_ = nullptr;

CallSetup* ScopedCallSetup::Take(const ChannelBinding& binding, const grpc::ClientContext* context) {
  if (current_ == nullptr || &current_->binding_ != &binding || current_->context_ != context) return nullptr;
  return std::exchange(current_->setup_, nullptr);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
