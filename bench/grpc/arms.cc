#include "arms.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <chrono>
#include <utility>

#include "recloser/channel.h"
#include "recloser/core/policies.h"
#include "reissue.h"

namespace recloser::bench {
namespace {

constexpr Duration kDeadline = std::chrono::seconds(10);

constexpr char kServiceConfig[] = R"({"methodConfig": [{
  "name": [{"service": "recloser.demo.v1.Echo"}],
  "retryPolicy": {"maxAttempts": 3, "initialBackoff": "0.025s", "maxBackoff": "0.25s", "backoffMultiplier": 2,
                  "retryableStatusCodes": ["UNAVAILABLE"]}}]})";

bool IsRecloser(absl::string_view arm) { return arm == kRecloser || arm == kRecloserCoreOff || arm == kRecloserFactories; }

bool IsDecorated(absl::string_view arm) { return arm == kRecloser || arm == kRecloserCoreOff; }

grpc::ChannelArguments ArgumentsOf(absl::string_view arm) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // else channels to one address share a connection
  if (arm == kBareCoreOff) arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  if (arm == kRetryPolicy) arguments.SetServiceConfigJSON(kServiceConfig);
  return arguments;
}

/// Deadline, retry (the method declares that it may be repeated) and breaker.
Policies PoliciesFor(Course course) {
  Policies policies = Policies::Defaults();
  policies.defaults.deadline = kDeadline;
  if (course == Course::kRecovered) {
    // Every call fails once: breaker and budget would end that.
    policies.defaults.breaker.mode = BreakerMode::kDisabled;
    policies.retry_budget.enabled = false;
  }
  return policies;
}

InterceptorFactories FactoriesOf(absl::string_view arm, Course course, const std::shared_ptr<Registry>& registry) {
  if (arm == kRecloserFactories) return MakeClientInterceptors(PoliciesFor(course), registry);
  InterceptorFactories factories;
  if (arm == kIdle || arm == kIdleDeadline) factories.push_back(MakeIdleFactory());
  if (arm == kReissue) factories.push_back(MakeReissuingFactory());
  return factories;
}

}  // namespace

const std::vector<ArmInfo>& AllArms() {
  static const std::vector<ArmInfo> arms = {
      {kBare, "a channel as gRPC gives it, no interceptor"},
      {kBareAgain, "a second one: what it differs by is noise"},
      {kBareDeadline, "a bare channel whose caller sets a deadline on each call"},
      {kIdle, "an interceptor that does nothing"},
      {kIdleDeadline, "both: what gRPC itself takes for what Recloser needs of it"},
      {kRetryPolicy, "gRPC's own retryPolicy, by the service config"},
      {kRecloser, "Recloser by CreateChannel: deadline, retry, breaker, Prometheus metrics"},
      {kRecloserFactories, "the same by MakeClientInterceptors"},
      {kReissue, "an interceptor that makes every call again"},
      {kBareCoreOff, "a bare channel with core's retries off (GRPC_ARG_ENABLE_RETRIES 0)"},
      {kRecloserCoreOff, "Recloser by CreateChannel with disable_core_retries"},
  };
  return arms;
}

bool IsMeasured(absl::string_view arm, const Cell& cell) {
  if (cell.transport == Transport::kInProcess && (IsDecorated(arm) || arm == kRetryPolicy || arm == kBareCoreOff)) return false;
  switch (cell.course) {
    case Course::kHealthy:
      return true;
    case Course::kRecovered:
      return arm == kRetryPolicy || IsRecloser(arm);
    case Course::kRejected:
      return IsRecloser(arm);
  }
  return false;
}

absl::string_view YardstickOf(const Cell& cell) {
  switch (cell.course) {
    case Course::kHealthy:
      return kBare;
    case Course::kRecovered:
      return kRetryPolicy;
    case Course::kRejected:
      break;
  }
  return "";
}

Channels::Client& Channels::ClientFor(absl::string_view arm, const Cell& cell) {
  const auto key = std::make_tuple(std::string(arm), cell.transport, cell.course);
  const auto found = clients_.find(key);
  return found != clients_.end() ? found->second : clients_.emplace(key, Make(arm, cell)).first->second;
}

demo::v1::Echo::Stub& Channels::StubFor(absl::string_view arm, const Cell& cell) { return *ClientFor(arm, cell).stub; }

void Channels::OpenBreakers(absl::string_view arm, const Cell& cell) {
  Client& client = ClientFor(arm, cell);
  grpc::ClientContext context;
  demo::v1::EchoResponse response;
  client.stub->Echo(&context, {}, &response);  // a method's breaker is made by its first call
  for (const auto& breaker : client.registry->List()) breaker->ForceOpen(Now());
}

Channels::Client Channels::Make(absl::string_view arm, const Cell& cell) {
  Client client;
  if (IsRecloser(arm)) {
    client.registry = Registry::Create();
    client.exporter = PrometheusExporter::Create(client.registry, &Now);
  }
  const grpc::ChannelArguments arguments = ArgumentsOf(arm);
  std::shared_ptr<grpc::ChannelInterface> channel;
  if (IsDecorated(arm)) {
    ChannelOptions options;
    options.arguments = arguments;
    options.registry = client.registry;
    options.disable_core_retries = arm == kRecloserCoreOff;
    channel =
        CreateChannel(service_.target(cell.transport), grpc::InsecureChannelCredentials(), PoliciesFor(cell.course), std::move(options));
  } else {
    InterceptorFactories factories = FactoriesOf(arm, cell.course, client.registry);
    if (cell.transport == Transport::kInProcess) {
      channel = service_.server().experimental().InProcessChannelWithInterceptors(arguments, std::move(factories));
    } else {
      channel = grpc::experimental::CreateCustomChannelWithInterceptors(service_.target(cell.transport), grpc::InsecureChannelCredentials(),
                                                                        arguments, std::move(factories));
    }
  }
  client.stub = demo::v1::Echo::NewStub(channel);
  return client;
}

}  // namespace recloser::bench
