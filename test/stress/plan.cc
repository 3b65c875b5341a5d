#include "plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace recloser::stress {
namespace {

using grpc::StatusCode;

OutcomeHook HookThatThrowsAtTimes() {
  return [](const AttemptResult& result) -> std::optional<Outcome> {
    if (result.code == absl::StatusCode::kNotFound) throw 1;
    return std::nullopt;
  };
}

BreakerOptions DrawBreaker(Random& random) {
  BreakerOptions breaker;
  if (Chance(random, 0.4)) {
    StandardBreakerOptions standard;
    standard.window_calls = 20;
    standard.minimum_calls = 10;
    standard.wait = milliseconds(10);
    standard.permitted_half_open_calls = 3;
    breaker.kind = standard;
  } else {
    AdaptiveBreakerOptions adaptive;
    adaptive.probe_interval_min = milliseconds(5);
    adaptive.probe_interval_max = milliseconds(50);
    breaker.kind = adaptive;
  }
  breaker.mode = Chance(random, 0.5) ? BreakerMode::kEnforce : Chance(random, 0.5) ? BreakerMode::kShadow : BreakerMode::kDisabled;
  breaker.scope = static_cast<BreakerScope>(Pick(random, 0, 2));
  if (Chance(random, 0.2)) breaker.classify = HookThatThrowsAtTimes();
  return breaker;
}

Policies DrawPolicies(Random& random) {
  Policies policies = Policies::Defaults();
  MethodPolicy& policy = policies.defaults;
  policy.breaker = DrawBreaker(random);
  if (Chance(random, 0.2)) {
    policy.shadow_breaker = DrawBreaker(random);
    policy.shadow_breaker->mode = BreakerMode::kShadow;
  }
  policy.retry.mode = Chance(random, 0.7) ? RetryMode::kIdempotent : Chance(random, 0.7) ? RetryMode::kAlways : RetryMode::kNever;
  policy.retry.max_attempts = Pick(random, 1, kMostAttempts);
  if (Chance(random, 0.3)) policy.retry.retryable_codes.push_back(absl::StatusCode::kAborted);
  policy.retry.retry_rejections = Chance(random, 0.2);
  policy.retry.retry_server_streams = Chance(random, 0.4);
  if (Chance(random, 0.1)) policy.stream_idle_timeout = milliseconds(Pick(random, 5, 20));
  policy.retry.backoff.base = milliseconds(Pick(random, 0, 5));
  policy.retry.backoff.cap = milliseconds(10);
  policies.retry_budget.enabled = Chance(random, 0.5);
  policies.retry_budget.max_tokens = Chance(random, 0.5) ? 10 : 1000;
  if (Chance(random, 0.25)) policy.deadline = milliseconds(Pick(random, 20, 200));
  if (Chance(random, 0.25)) policy.attempt_timeout = milliseconds(Pick(random, 3, 20));
  return policies;
}

Reply DrawReply(const EpochPlan& epoch, Random& random, bool may_hang) {
  Reply reply;
  if (Chance(random, epoch.failing)) {
    constexpr StatusCode kCodes[] = {StatusCode::UNAVAILABLE, StatusCode::UNAVAILABLE, StatusCode::UNAVAILABLE, StatusCode::ABORTED,
                                     StatusCode::INTERNAL,    StatusCode::NOT_FOUND,   StatusCode::UNKNOWN};
    reply.code = kCodes[Pick(random, 0, 6)];
    constexpr const char* kPushbacks[] = {"0", "1", "7", "-1", "soon"};
    if (Chance(random, 0.2)) reply.pushback = kPushbacks[Pick(random, 0, 4)];
  }
  if (Chance(random, 0.3)) reply.delay = milliseconds(Pick(random, 0, 8));
  reply.hang = may_hang && Chance(random, 0.3);
  reply.headers_first = Chance(random, 0.2);
  reply.messages = Pick(random, 0, 3);
  if (Chance(random, 0.01)) reply.padding = 100'000;
  return reply;
}

}  // namespace

const char* MethodName(Method method) {
  constexpr const char* kNames[kMethods] = {"Echo", "Increment", "ServerStream", "ClientStream", "BidiStream"};
  return kNames[static_cast<int>(method)];
}

const char* ApiName(Api api) {
  constexpr const char* kNames[kApis] = {"sync", "queue", "queue, two batches", "generic", "callback", "reactor"};
  return kNames[static_cast<int>(api)];
}

bool EpochPlan::may_reject() const {
  return std::any_of(policies.begin(), policies.end(), [](const Policies& p) { return p.defaults.breaker.mode == BreakerMode::kEnforce; });
}
bool EpochPlan::has_deadlines() const {
  return std::any_of(policies.begin(), policies.end(),
                     [](const Policies& p) { return p.defaults.deadline || p.defaults.attempt_timeout || p.defaults.stream_idle_timeout; });
}
bool EpochPlan::retries_streams() const {
  return std::any_of(policies.begin(), policies.end(), [](const Policies& p) { return p.defaults.retry.retry_server_streams; });
}
bool EpochPlan::has_budget() const {
  return std::any_of(policies.begin(), policies.end(), [](const Policies& p) { return p.retry_budget.enabled; });
}

EpochPlan DrawEpoch(std::uint64_t seed, std::uint64_t number, int calls) {
  Random random(seed + 0x9e3779b97f4a7c15u * (number + 1));
  EpochPlan epoch;
  epoch.run_seed = seed;
  epoch.seed = random.Next();
  epoch.number = number;
  epoch.calls = calls;
  epoch.in_flight = Chance(random, 0.2) ? Pick(random, 1, 8) : Pick(random, 32, 256);
  epoch.attach = static_cast<Attach>(Pick(random, 0, 2));
  epoch.channels = Pick(random, 1, 3);
  epoch.reloads = Chance(random, 0.4);
  for (int i = epoch.reloads ? 3 : 1; i > 0; --i) epoch.policies.push_back(DrawPolicies(random));
  epoch.restarts = Chance(random, 0.25);
  epoch.manual = Chance(random, 0.25);
  epoch.recycles = Chance(random, 0.4);
  epoch.exporter = Chance(random, 0.5);
  epoch.foreign_inside = Chance(random, 0.2);
  epoch.no_core_retries = Chance(random, 0.5);
  epoch.releases_early = Chance(random, 0.3);
  epoch.failing = Chance(random, 0.5) ? 0.05 : 0.4;
  return epoch;
}

CallPlan DrawCall(const EpochPlan& epoch, int id) {
  Random random(epoch.seed ^ (0xd1b54a32d192ed03u * static_cast<std::uint64_t>(id + 1)));
  CallPlan call;
  constexpr Method kStreams[] = {Method::kServerStream, Method::kClientStream, Method::kBidiStream};
  if (Chance(random, 0.2)) {
    call.method = kStreams[Pick(random, 0, 2)];
    // A blocking call takes one of few threads.
    call.api = Chance(random, 0.1) ? Api::kSync : Chance(random, 0.5) ? Api::kQueue : Api::kCallback;
    call.drop = call.api != Api::kCallback && Chance(random, 0.1);
  } else {
    call.method = Chance(random, 0.8) ? Method::kEcho : Method::kIncrement;
    call.api = Chance(random, 0.1) ? Api::kSync : static_cast<Api>(Pick(random, 1, kApis - 1));
  }
  if (Chance(random, 0.15)) {
    call.cancel = static_cast<CallPlan::Cancel>(Pick(random, 1, IsUnary(call.method) ? 2 : 3));
    call.cancel_after = microseconds(Pick(random, 0, Chance(random, 0.5) ? 1000 : 15'000));
  }
  if (Chance(random, 0.15)) call.deadline = microseconds(Pick(random, 0, Chance(random, 0.5) ? 3000 : 30'000));
  if (Chance(random, 0.1)) call.max_attempts = Pick(random, 1, kMostAttempts);
  if (Chance(random, 0.05)) call.attempt_timeout = milliseconds(Pick(random, 1, 10));
  call.bypass_breaker = Chance(random, 0.05);
  call.wait_for_ready = Chance(random, 0.1);
  // With bare channels of gRPC 1.51 too a call that waits for a service that came back may wait for ever.
  if (call.wait_for_ready && epoch.restarts && !call.deadline) call.deadline = milliseconds(50);
  call.writes = Pick(random, 0, 4);
  const bool ends_anyway = call.deadline || call.cancel == CallPlan::Cancel::kBefore || call.cancel == CallPlan::Cancel::kLater;
  for (Reply& reply : call.replies) reply = DrawReply(epoch, random, ends_anyway);
  return call;
}

std::string Mark(int id, int attempt) { return absl::StrCat(id, ".", attempt); }

std::string Payload(int id, int attempt, int message, int padding) {
  return absl::StrCat(id, ".", attempt, ".", message, std::string(static_cast<std::size_t>(padding), ' '));
}

}  // namespace recloser::stress
