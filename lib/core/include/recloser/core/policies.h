// All policies of a channel as plain structs: what happens to a call of which method.
//
//   Policies policies = Policies::Defaults();
//   policies.defaults.deadline = std::chrono::seconds(2);                    // all methods of the channel
//   policies.methods["orders.Orders/Get"] = policies.defaults;               // one method: start from a copy, then differ
//   policies.methods["orders.Orders/Get"].retry.mode = RetryMode::kAlways;
//   absl::Status status = policies.Validate();
//
// A method's policy is the most specific entry, whole (as in gRPC's service config nothing is merged): `methods`, then `services`, then
// `defaults`. `/grpc.health.v1.Health/*` and server reflection always pass without retry and breaker unless they are named in `methods`.
// Thread safety: values.
#ifndef RECLOSER_CORE_POLICIES_H_
#define RECLOSER_CORE_POLICIES_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/export.h"
#include "recloser/core/retry.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

struct MethodPolicy {
  /// The whole call, back-off included. The earlier of this and the caller's own deadline holds. Range: 1 ms to 24 h. Default: none.
  std::optional<Duration> deadline;
  /// One attempt. Of streams only those that may be retried (`retry.retry_server_streams`) have one, to their first message. Range: 1 ms to
  /// 24 h, at most `deadline`. Default: none.
  std::optional<Duration> attempt_timeout;
  /// How long a stream's application may wait for a message: from when it asks for one until it comes. In a client stream, whose only
  /// message is the response: from the end of its writes. Then the stream ends with DEADLINE_EXCEEDED, which the breaker takes as a
  /// failure. While the application asks for nothing no time counts. Range: 1 ms to 24 h, at most `deadline`. Default: none.
  std::optional<Duration> stream_idle_timeout;
  RetryOptions retry;
  BreakerOptions breaker;
  /// A second machine beside `breaker`, which counts what it would have done (shadow.h). Its mode must be kShadow. In the registry it is
  /// "package.Service/Method#shadow", by its own scope, one of `max_breakers`. Without a `classify` of its own `breaker`'s holds. Default:
  /// none.
  std::optional<BreakerOptions> shadow_breaker;

  /// A user's function classifies results: it may read trailers and response.
  bool has_outcome_hook() const { return breaker.classify || (shadow_breaker && shadow_breaker->classify); }
  absl::Status Validate(absl::string_view path) const;
};

struct Policies {
  MethodPolicy defaults;
  std::map<std::string, MethodPolicy> services;  // key: "package.Service"
  std::map<std::string, MethodPolicy> methods;   // key: "package.Service/Method"
  RetryBudgetOptions retry_budget;               // one bucket per channel

  /// Retries where the .proto says that they are safe, the adaptive breaker everywhere, the caller's deadlines.
  static Policies Defaults();
  /// Everything off: calls pass as on a bare channel.
  static Policies Off();

  /// INVALID_ARGUMENT with the path of the field, its value and what is allowed: "policies.methods[a.B/C].retry.max_attempts: ...".
  absl::Status Validate() const;

  /// The policy of "package.Service" / "Method".
  const MethodPolicy& For(absl::string_view service, absl::string_view method) const;
};

/// True for health checks and server reflection.
bool IsExcludedService(absl::string_view service);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_POLICIES_H_
