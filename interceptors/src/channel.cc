#include "recloser/channel.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>

#include <chrono>
#include <iterator>
#include <utility>

#include "absl/strings/string_view.h"
#include "channel_binding.h"
#include "client_call.h"
#include "recloser_channel.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

grpc::internal::RpcMethod::RpcType TypeOf(const grpc::experimental::ClientRpcInfo& info) {
  using grpc::experimental::ClientRpcInfo;
  using grpc::internal::RpcMethod;
  switch (info.type()) {
    case ClientRpcInfo::Type::UNARY:
      return RpcMethod::NORMAL_RPC;
    case ClientRpcInfo::Type::CLIENT_STREAMING:
      return RpcMethod::CLIENT_STREAMING;
    case ClientRpcInfo::Type::SERVER_STREAMING:
      return RpcMethod::SERVER_STREAMING;
    default:
      return RpcMethod::BIDI_STREAMING;
  }
}

class CallFactory final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit CallFactory(std::shared_ptr<ChannelBinding> binding) : binding_(std::move(binding)) {}

  grpc::experimental::Interceptor* CreateClientInterceptor(grpc::experimental::ClientRpcInfo* info) override {
    binding_->Attach(*info, this);
    if (CallSetup* const setup = ScopedCallSetup::Take(*binding_, info->client_context())) {
      return new ClientCall(*binding_, *info, std::move(*setup));
    }
    return new ClientCall(*binding_, *info, binding_->Setup(info->method(), TypeOf(*info), *info->client_context()));
  }

 private:
  const std::shared_ptr<ChannelBinding> binding_;
};

/// False when the arguments switch gRPC's own retries off: a `retryPolicy` in the service config then does nothing.
bool CoreMayRetry(const grpc::ChannelArguments& arguments) {
  const grpc_channel_args list = arguments.c_channel_args();
  for (std::size_t i = 0; i < list.num_args; ++i) {
    const grpc_arg& argument = list.args[i];
    if (argument.type == GRPC_ARG_INTEGER && absl::string_view(argument.key) == GRPC_ARG_ENABLE_RETRIES) return argument.value.integer != 0;
  }
  return true;
}

std::shared_ptr<ChannelBinding> MakeBinding(const std::string& target, PoliciesOrSource policies, const ChannelOptions& options) {
  const bool core_may_retry = !options.disable_core_retries && CoreMayRetry(options.arguments);
  return std::make_shared<ChannelBinding>(target, std::move(policies), options.registry, core_may_retry);
}

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                           const std::shared_ptr<ChannelBinding>& binding, ChannelOptions options) {
  InterceptorFactories factories = std::move(options.outside);
  factories.push_back(std::make_unique<CallFactory>(binding));
  std::move(options.inside.begin(), options.inside.end(), std::back_inserter(factories));
  if (options.disable_core_retries) options.arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  return grpc::experimental::CreateCustomChannelWithInterceptors(target, credentials, options.arguments, std::move(factories));
}

std::shared_ptr<grpc::ChannelInterface> MakeDecorated(const std::string& target,
                                                      const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                      PoliciesOrSource policies, ChannelOptions options) {
  auto binding = MakeBinding(target, std::move(policies), options);
  auto channel = MakeChannel(target, credentials, binding, std::move(options));
  if (!access::kPrivateMembers) return channel;  // deadlines are then kept by cancelling
  return std::make_shared<RecloserChannel>(std::move(channel), std::move(binding));
}

std::shared_ptr<grpc::Channel> MakeIntercepted(const std::string& target, const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                               PoliciesOrSource policies, ChannelOptions options) {
  auto binding = MakeBinding(target, std::move(policies), options);
  return MakeChannel(target, credentials, binding, std::move(options));
}

InterceptorFactories MakeFactories(PoliciesOrSource policies, std::shared_ptr<Registry> registry) {
  InterceptorFactories factories;
  factories.push_back(std::make_unique<CallFactory>(
      std::make_shared<ChannelBinding>(std::string(), std::move(policies), std::move(registry), /*core_may_retry=*/true)));
  return factories;
}

}  // namespace

std::shared_ptr<grpc::ChannelInterface> CreateChannel(const std::string& target,
                                                      const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                      const Policies& policies, ChannelOptions options) {
  return MakeDecorated(target, credentials, policies, std::move(options));
}
std::shared_ptr<grpc::ChannelInterface> CreateChannel(const std::string& target,
                                                      const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                      std::shared_ptr<PolicySource> source, ChannelOptions options) {
  return MakeDecorated(target, credentials, std::move(source), std::move(options));
}

std::shared_ptr<grpc::Channel> CreateInterceptedChannel(const std::string& target,
                                                        const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                        const Policies& policies, ChannelOptions options) {
  return MakeIntercepted(target, credentials, policies, std::move(options));
}
std::shared_ptr<grpc::Channel> CreateInterceptedChannel(const std::string& target,
                                                        const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                        std::shared_ptr<PolicySource> source, ChannelOptions options) {
  return MakeIntercepted(target, credentials, std::move(source), std::move(options));
}

InterceptorFactories MakeClientInterceptors(const Policies& policies, std::shared_ptr<Registry> registry) {
  return MakeFactories(policies, std::move(registry));
}
InterceptorFactories MakeClientInterceptors(std::shared_ptr<PolicySource> source, std::shared_ptr<Registry> registry) {
  return MakeFactories(std::move(source), std::move(registry));
}

Time Now() { return FromSteadyClock(std::chrono::steady_clock::now()); }

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
