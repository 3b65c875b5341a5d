// A whole healthy call through the core: deadline, retry, breaker, budget; no transport.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>

#include "absl/status/status.h"
#include "clock.h"
#include "recloser/core/call_session.h"
#include "recloser/core/link.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"
#include "recloser/core/time.h"

namespace recloser {
namespace {

Policies WithDeadline() {
  Policies policies = Policies::Defaults();
  policies.defaults.deadline = std::chrono::seconds(1);
  return policies;
}

const MethodContext& IdempotentMethod(Link& link) {
  MethodTraits traits;
  traits.idempotent = true;
  return *link.Method("/service/Method", traits, ReadClock());
}

void HealthyCall(benchmark::State& state) {
  static std::shared_ptr<Link> link;
  if (state.thread_index() == 0) link = Link::Create("target", WithDeadline(), Registry::Create());
  std::uint64_t seed = 0;
  const MethodContext* method = nullptr;
  for (auto _ : state) {
    if (method == nullptr) method = &IdempotentMethod(*link);  // the other threads see `link` from here on
    CallSession session(*method, {}, ++seed);
    benchmark::DoNotOptimize(session.Start(ReadClock(), kInfiniteFuture));
    benchmark::DoNotOptimize(session.OnAttemptFinished(ReadClock(), {}));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(HealthyCall)->Threads(1)->Threads(2)->UseRealTime();

/// Two failed attempts and a good one, back-off in virtual time. Every call is like that, so breaker and budget, which would end it, are
/// off.
void RecoveredCall(benchmark::State& state) {
  Policies policies = WithDeadline();
  policies.defaults.breaker.mode = BreakerMode::kDisabled;
  policies.retry_budget.enabled = false;
  const std::shared_ptr<Link> link = Link::Create("target", policies, Registry::Create());
  const MethodContext& method = IdempotentMethod(*link);
  AttemptResult failed;
  failed.code = absl::StatusCode::kUnavailable;
  std::uint64_t seed = 0;
  Time now = ReadClock();
  for (auto _ : state) {
    now += std::chrono::milliseconds(1);
    CallSession session(method, {}, ++seed);
    Action action = session.Start(now, kInfiniteFuture);
    while (action.kind == Action::Kind::kSend || action.kind == Action::Kind::kWait) {
      if (action.kind == Action::Kind::kWait) {
        now = action.wake;
        action = session.OnTimer(now);
      } else {
        action = session.OnAttemptFinished(now, session.attempts() < 3 ? failed : AttemptResult{});
      }
    }
    benchmark::DoNotOptimize(action);
  }
}
BENCHMARK(RecoveredCall);

}  // namespace
}  // namespace recloser
