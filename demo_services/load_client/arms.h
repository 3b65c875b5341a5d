// The four ways to call a service that the demo compares, in one place.
//
// | arm         | retry                              | breaker                                                        |
// | none        | none                               | none: a bare gRPC channel                                      |
// | naive-retry | 3 attempts, at once, no budget     | none                                                           |
// | standard    | Recloser's default                 | standard, at the strongest configuration known: see `arms.cc`  |
// | recloser    | Recloser's default                 | adaptive, untouched defaults                                   |
//
// Equal in all: the attempt timeout, the deadline of the call and gRPC's own reconnect backoff.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_ARMS_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_ARMS_H_

#include <grpcpp/channel.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"
#include "recloser/core/time.h"

namespace recloser::demo {

enum class Arm { kNone, kNaiveRetry, kStandard, kRecloser };
inline constexpr std::array<Arm, 4> kArms = {Arm::kNone, Arm::kNaiveRetry, Arm::kStandard, Arm::kRecloser};
absl::string_view ArmName(Arm arm);  // "none", "naive-retry", "standard", "recloser"
bool HasBreaker(Arm arm);

/// gRPC waits this long between its own connection attempts (GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, MIN, MAX). Its defaults, 1 s and
/// growing, would decide the time to recover from a crash in every arm.
struct ReconnectBackoffMs {
  int initial = 100;
  int min = 100;
  int max = 250;
};
inline constexpr ReconnectBackoffMs kReconnectBackoff;

struct ArmOptions {
  Arm arm = Arm::kRecloser;
  Duration attempt_timeout = std::chrono::seconds(1);
  /// The first attempt included; nothing = as the arm has it.
  std::optional<int> max_attempts;
};

/// The policies of an arm; for `none` everything is off.
Policies PoliciesOf(const ArmOptions& options);

/// A channel to `target` as the arm has it. The breakers live in `registry`.
std::shared_ptr<grpc::ChannelInterface> CreateArmChannel(const std::string& target, const ArmOptions& options,
                                                         const std::shared_ptr<Registry>& registry);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_ARMS_H_
