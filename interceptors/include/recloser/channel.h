// Attaching Recloser to gRPC: three ways, the first one is the best.
//
//   #include <recloser/recloser.h>
//   auto channel = recloser::CreateChannel("dns:///orders:443", credentials, recloser::Policies::Defaults());
//   auto stub = orders::Orders::NewStub(channel);     // nothing else changes
//
// | way                        | gives                              | deadlines reach the server as |
// | CreateChannel              | shared_ptr<grpc::ChannelInterface> | deadlines                     |
// | CreateInterceptedChannel   | shared_ptr<grpc::Channel>          | cancellations                 |
// | MakeClientInterceptors     | factories for a channel of yours   | cancellations                 |
//
// Every generated `NewStub` takes a ChannelInterface. Use the second way for code that names `grpc::Channel`, the third for code that
// makes its channels in its own manner.
//
// Policies that may change while the channel is used come from a `PolicySource` (recloser/core/policy_source.h), which each of the three
// takes in their place; many channels share one.
//
// Errors: invalid policies give a channel (or interceptors) on which every call ends at once with INVALID_ARGUMENT and a message that
// names the field; call `policies.Validate()` first to see it without a call. Nothing throws. Thread safety: all functions, from any
// thread.
#ifndef RECLOSER_CHANNEL_H_
#define RECLOSER_CHANNEL_H_

#include <grpcpp/channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <string>
#include <vector>

#include "recloser/core/export.h"
#include "recloser/core/policies.h"
#include "recloser/core/policy_source.h"
#include "recloser/core/registry.h"

namespace recloser {
inline namespace RECLOSER_API {

using InterceptorFactories = std::vector<std::unique_ptr<grpc::experimental::ClientInterceptorFactoryInterface>>;

struct ChannelOptions {
  /// gRPC's own arguments.
  grpc::ChannelArguments arguments;
  /// The application's interceptors. Those `outside` see the call once, those `inside` see every attempt.
  InterceptorFactories outside;
  InterceptorFactories inside;
  /// Where the breakers live. Null: `Registry::Global()`.
  std::shared_ptr<Registry> registry;
  /// Switches gRPC core's own retries off (GRPC_ARG_ENABLE_RETRIES = 0). That saves time, and takes away the transparent retries of calls
  /// that a server never processed. Default: left as gRPC has it.
  bool disable_core_retries = false;
};

/// A channel whose calls have deadlines, retries and circuit breaking as `policies` say.
std::shared_ptr<grpc::ChannelInterface> CreateChannel(const std::string& target,
                                                      const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                      const Policies& policies, ChannelOptions options = {});
std::shared_ptr<grpc::ChannelInterface> CreateChannel(const std::string& target,
                                                      const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                      std::shared_ptr<PolicySource> source, ChannelOptions options = {});

/// The same as a real `grpc::Channel`; the policy's deadlines reach the server as cancellations.
std::shared_ptr<grpc::Channel> CreateInterceptedChannel(const std::string& target,
                                                        const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                        const Policies& policies, ChannelOptions options = {});
std::shared_ptr<grpc::Channel> CreateInterceptedChannel(const std::string& target,
                                                        const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                                        std::shared_ptr<PolicySource> source, ChannelOptions options = {});

/// The factories alone, for `grpc::experimental::CreateCustomChannelWithInterceptors` and its kin. Use a result for one channel.
InterceptorFactories MakeClientInterceptors(const Policies& policies, std::shared_ptr<Registry> registry = nullptr);
InterceptorFactories MakeClientInterceptors(std::shared_ptr<PolicySource> source, std::shared_ptr<Registry> registry = nullptr);

/// The steady clock's time as the core counts it, for `Registry` and `SharedBreaker`.
Time Now();

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CHANNEL_H_
