// Many calls at once over one link, while somebody works the breaker by hand. Also run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "recloser/core/call_session.h"
#include "session_fixture.h"

namespace recloser {
namespace {

using absl::StatusCode;
using Kind = Action::Kind;

class Counters final : public Observer, public MethodObserver, public std::enable_shared_from_this<Counters> {
 public:
  std::atomic<int> calls{0};
  std::atomic<int> calls_in_flight{0};
  std::atomic<int> attempts{0};
  std::atomic<int> attempts_in_flight{0};
  std::atomic<int> transitions{0};

  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return shared_from_this(); }
  void OnTransition(const SharedBreaker&, const BreakerTransition&) override { ++transitions; }
  void OnCallStarted() override {
    ++calls;
    ++calls_in_flight;
  }
  void OnCallFinished(const CallFinished&) override { --calls_in_flight; }
  void OnAttemptStarted(int) override {
    ++attempts;
    ++attempts_in_flight;
  }
  void OnAttemptFinished(const AttemptFinished&) override { --attempts_in_flight; }
};

void RunCall(CallSession& session, Random& random, Time now) {
  Action action = session.Start(now, now + std::chrono::seconds(1));
  while (random.Uniform() < 0.95) {  // else: abandoned
    if (action.kind == Kind::kSend) {
      AttemptResult result = Result(random.Uniform() < 0.6 ? StatusCode::kOk : StatusCode::kUnavailable);
      result.cancelled_by_caller = random.Uniform() < 0.05;
      action = session.OnAttemptFinished(now, result);
    } else if (action.kind == Kind::kWait) {
      now = action.wake;
      action = random.Uniform() < 0.1 ? session.OnCancelled(now) : session.OnTimer(now);
    } else {
      return;
    }
  }
}

TEST(CallSessionStress, WhateverHappensAllIsGivenBack) {
  constexpr int kThreads = 16;
  constexpr int kCalls = 1000;
  RegistryOptions options;
  options.seed = 3;
  const auto registry = Registry::Create(options);
  const auto counters = std::make_shared<Counters>();
  registry->AddObserver(counters);
  Policies policies = RetryingPolicies();
  policies.defaults.breaker.mode = BreakerMode::kEnforce;
  const auto link = Link::Create("t", policies, registry);

  std::atomic<int> ticks{0};
  const auto now = [&] { return kStart + kMs * ticks.fetch_add(1); };
  const auto method_name = [](int i) { return "/a.B/M" + std::to_string(i % 3); };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Random random(100 + t);
      for (int i = 0; i < kCalls; ++i) {
        const MethodContext& method = *link->Method(method_name(i), {}, now());
        CallSession session(method, {}, registry->NextSeed());
        RunCall(session, random, now());
        if (t == 0 && i % 10 == 0) {
          const double dice = random.Uniform();
          dice < 0.2 ? method.breaker->ForceOpen(now()) : dice < 0.3 ? method.breaker->Disable(now()) : method.breaker->Reset(now());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(counters->calls, kThreads * kCalls);
  EXPECT_EQ(counters->calls_in_flight, 0);
  EXPECT_GT(counters->attempts, 0);
  EXPECT_EQ(counters->attempts_in_flight, 0);
  std::uint64_t transitions = 0;
  for (const auto& breaker : registry->List()) {
    const BreakerSnapshot snapshot = breaker->Snapshot(now());
    EXPECT_EQ(snapshot.permits_in_flight, 0);
    EXPECT_EQ(snapshot.probes_in_flight, 0);
    EXPECT_EQ(snapshot.invariant_violations, 0u);
    transitions += snapshot.generation - 1;
  }
  EXPECT_GT(transitions, 0u);
  EXPECT_EQ(static_cast<std::uint64_t>(counters->transitions), transitions);
  EXPECT_EQ(registry->listener_errors(), 0u);
}

}  // namespace
}  // namespace recloser
