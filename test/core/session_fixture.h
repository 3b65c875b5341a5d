// A link with one method under test, in virtual time.
#ifndef RECLOSER_TEST_CORE_SESSION_FIXTURE_H_
#define RECLOSER_TEST_CORE_SESSION_FIXTURE_H_

#include <memory>

#include "event_recorder.h"
#include "recloser/core/call_session.h"
#include "recloser/core/link.h"
#include "recloser/core/registry.h"

namespace recloser {

inline constexpr Time kStart{std::chrono::hours(1)};
inline constexpr Duration kMs = std::chrono::milliseconds(1);

/// Opens on the second failure in a row, waits a second, lets one probe through.
inline StandardBreakerOptions QuickBreaker() {
  StandardBreakerOptions options;
  options.window_calls = 2;
  options.minimum_calls = 2;
  options.failure_rate_threshold = 1;
  options.wait = std::chrono::seconds(1);
  options.permitted_half_open_calls = 1;
  return options;
}

/// Retries always, no breaker: each test adds what it is about.
inline Policies RetryingPolicies() {
  Policies policies;
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.defaults.breaker.mode = BreakerMode::kDisabled;
  return policies;
}

inline AttemptResult Result(absl::StatusCode code) {
  AttemptResult result;
  result.code = code;
  return result;
}

struct SessionFixture {
  explicit SessionFixture(const Policies& policies, const MethodTraits& traits = {}) {
    RegistryOptions options;
    options.seed = 7;
    registry = Registry::Create(options);
    registry->AddObserver(log);
    link = Link::Create("dns:///orders", policies, registry);
    method = &*link->Method("/orders.Orders/Get", traits, kStart);
  }

  CallSession Session(const CallOverrides& overrides = {}) const { return CallSession(*method, overrides, registry->NextSeed()); }
  std::int64_t permits(Time now) const { return method->breaker->Snapshot(now).permits_in_flight; }

  /// Runs a call whose every attempt ends with `code` at once. Returns the last action.
  Action RunToEnd(CallSession& session, Time* now, absl::StatusCode code, Time deadline = kInfiniteFuture) const {
    Action action = session.Start(*now, deadline);
    while (true) {
      if (action.kind == Action::Kind::kSend) {
        action = session.OnAttemptFinished(*now, Result(code));
      } else if (action.kind == Action::Kind::kWait) {
        *now = action.wake;
        action = session.OnTimer(*now);
      } else {
        return action;
      }
    }
  }

  std::shared_ptr<EventRecorder> log = std::make_shared<EventRecorder>();
  std::shared_ptr<Registry> registry;
  std::shared_ptr<Link> link;
  const MethodContext* method = nullptr;
};

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_SESSION_FIXTURE_H_
