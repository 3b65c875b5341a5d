#include "demo_services/load_client/arms.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "recloser/channel.h"

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The configuration that lost least in the simulation of these faults: a small count window sees a fault soonest, a short wait ends it
// soonest.
StandardBreakerOptions StrongestStandard() {
  StandardBreakerOptions options;
  options.window = StandardBreakerOptions::Window::kCount;
  options.window_calls = 20;
  options.minimum_calls = 10;
  options.failure_rate_threshold = 0.5;
  options.slow_call_duration = milliseconds(500);
  options.slow_call_rate_threshold = 0.8;
  options.wait = seconds(1);
  options.permitted_half_open_calls = 10;
  return options;
}

void MakeNaive(Policies& policies) {
  policies.defaults.retry.backoff.base = Duration::zero();
  policies.defaults.retry.backoff.cap = Duration::zero();
  policies.defaults.breaker.mode = BreakerMode::kDisabled;
  policies.retry_budget.enabled = false;
}

grpc::ChannelArguments Arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectBackoff.initial);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kReconnectBackoff.min);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectBackoff.max);
  return arguments;
}

}  // namespace

absl::string_view ArmName(Arm arm) {
  switch (arm) {
    case Arm::kNone:
      return "none";
    case Arm::kNaiveRetry:
      return "naive-retry";
    case Arm::kStandard:
      return "standard";
    case Arm::kRecloser:
      break;
  }
  return "recloser";
}

bool HasBreaker(Arm arm) { return arm == Arm::kStandard || arm == Arm::kRecloser; }

Policies PoliciesOf(const ArmOptions& options) {
  if (options.arm == Arm::kNone) return Policies::Off();
  Policies policies = Policies::Defaults();
  policies.defaults.attempt_timeout = options.attempt_timeout;
  if (options.arm == Arm::kNaiveRetry) MakeNaive(policies);
  if (options.arm == Arm::kStandard) policies.defaults.breaker.kind = StrongestStandard();
  if (options.max_attempts.has_value()) policies.defaults.retry.max_attempts = *options.max_attempts;
  return policies;
}

std::shared_ptr<grpc::ChannelInterface> CreateArmChannel(const std::string& target, const ArmOptions& options,
                                                         const std::shared_ptr<Registry>& registry) {
  const std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (options.arm == Arm::kNone) return grpc::CreateCustomChannel(target, credentials, Arguments());
  ChannelOptions channel;
  channel.arguments = Arguments();
  channel.registry = registry;
  return CreateChannel(target, credentials, PoliciesOf(options), std::move(channel));
}

}  // namespace recloser::demo
