// Policies change as fast as they can while threads make calls: what must hold whatever the scheduler does. Also run under ThreadSanitizer.
// RECLOSER_RELOAD_SECONDS: how long, 1 s if not set.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "recloser/core/policy_source.h"
#include "session_fixture.h"

namespace recloser {
namespace {

using std::chrono::milliseconds;

constexpr int kCallers = 6;
constexpr int kMethods = 4;

std::chrono::milliseconds HowLong() {
  const char* const seconds = std::getenv("RECLOSER_RELOAD_SECONDS");
  return milliseconds(seconds != nullptr ? 1000 * std::max(std::atoi(seconds), 1) : 1000);
}

/// Policies that can be told to be whole: all numbers are made of one.
Policies Numbered(int number, Random& random) {
  Policies policies;
  policies.defaults.deadline = policies.defaults.attempt_timeout = milliseconds(1000 + number);
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.defaults.retry.max_attempts = 1 + number % 100;
  policies.defaults.breaker.mode = static_cast<BreakerMode>(random.Next() % 3);
  if (random.Next() % 2 == 0) {
    StandardBreakerOptions standard;
    standard.window_calls = standard.minimum_calls = 1 + static_cast<int>(random.Next() % 50);
    standard.wait = milliseconds(1 + random.Next() % 5);
    policies.defaults.breaker.kind = standard;
  }
  if (random.Next() % 4 == 0) policies.defaults.breaker.scope = BreakerScope::kService;
  policies.retry_budget.max_tokens = 1 + static_cast<int>(random.Next() % 1000);
  return policies;
}

bool IsWhole(const MethodContext& method) {
  const MethodPolicy& policy = method.policy;
  const auto number = *policy.deadline / milliseconds(1) - 1000;
  return policy.attempt_timeout == policy.deadline && policy.retry.max_attempts == 1 + number % 100 && method.registry != nullptr &&
         (method.breaker != nullptr) == (policy.breaker.mode != BreakerMode::kDisabled);
}

/// Each breaker's events follow each other.
class Sequence final : public Observer {
 public:
  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Last& last = last_[&breaker];
    broken += last.state != transition.from || last.generation >= transition.generation ? 1 : 0;
    last = {transition.to, transition.generation};
    ++events;
  }
  int broken = 0;
  int events = 0;

 private:
  struct Last {
    BreakerState state = BreakerState::kClosed;
    std::uint64_t generation = 1;
  };
  std::mutex mutex_;
  std::map<const SharedBreaker*, Last> last_;
};

struct World {
  World() {
    registry->AddObserver(sequence);
    for (auto& link : links) link = Link::Create("t", source, registry);
  }
  Time now() { return kStart + std::chrono::microseconds(100) * ticks.fetch_add(1, std::memory_order_relaxed); }
  bool over() const { return std::chrono::steady_clock::now() >= end; }
  static MethodRef Use(Link& link, std::uint64_t dice, Time now) {
    const std::string name = "/s.S/M" + std::to_string(dice % kMethods);
    if (MethodRef known = link.Find(name)) return known;
    return link.Method(name, {}, now);
  }

  const std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + HowLong();
  Random first{1};
  const std::shared_ptr<Sequence> sequence = std::make_shared<Sequence>();
  const std::shared_ptr<Registry> registry = Registry::Create();
  const std::shared_ptr<PolicySource> source = PolicySource::Create({Numbered(0, first), {}}, {"test", ""});
  std::array<std::shared_ptr<Link>, 2> links;
  std::atomic<int> ticks{0};
  std::atomic<int> calls{0};
  std::atomic<int> torn{0};
};

void MakeCalls(World& world, std::uint64_t seed) {
  Random random(seed);
  std::vector<MethodRef> kept;  // as streams do, over many updates
  while (!world.over()) {
    Link& link = *world.links[random.Next() % 2];
    MethodRef method = World::Use(link, random.Next(), world.now());
    if (!IsWhole(*method)) ++world.torn;
    if (random.Next() % 16 == 0) kept.push_back(World::Use(link, random.Next(), world.now()));
    if (kept.size() > 20) {
      for (const MethodRef& old : kept) world.torn += IsWhole(*old) ? 0 : 1;
      kept.clear();
    }
    CallSession session(std::move(method), {}, random.Next());
    Action action = session.Start(world.now(), kInfiniteFuture);
    while (action.kind == Action::Kind::kSend || action.kind == Action::Kind::kWait) {
      const Time now = world.now();
      const auto code = random.Uniform() < 0.5 ? absl::StatusCode::kUnavailable : absl::StatusCode::kOk;
      action =
          action.kind == Action::Kind::kSend ? session.OnAttemptFinished(now, Result(code)) : session.OnTimer(std::max(now, action.wake));
    }
    ++world.calls;
  }
}

TEST(ReloadStress, ReloadsWhileThreadsCallTearNothingAndLoseNothing) {
  World world;
  std::vector<std::thread> threads;
  for (int t = 0; t < kCallers; ++t) threads.emplace_back([&world, t] { MakeCalls(world, static_cast<std::uint64_t>(100 + t)); });
  threads.emplace_back([&world] {  // channels come and go
    Random random(7);
    while (!world.over()) {
      const auto link = Link::Create("t", world.source, world.registry);
      if (!IsWhole(*World::Use(*link, random.Next(), world.now()))) ++world.torn;
    }
  });
  threads.emplace_back([&world] {  // somebody looks
    while (!world.over()) {
      for (const auto& breaker : world.registry->List()) {
        EXPECT_NE(breaker->options(), nullptr);
        EXPECT_EQ(breaker->Snapshot(world.now()).invariant_violations, 0u);
      }
      world.registry->Budgets();
      world.source->status();
    }
  });
  std::uint64_t updates = 0;
  Random random(3);
  while (!world.over()) {
    PolicySet set;
    set.defaults = Numbered(static_cast<int>(++updates % 500), random);
    EXPECT_TRUE(world.source->Update(std::move(set), {"test", ""}, world.now()).ok());
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(world.torn, 0);
  EXPECT_EQ(world.sequence->broken, 0);
  EXPECT_GT(world.calls, 100);
  EXPECT_EQ(world.source->status().applied, updates);
  // One for each method and one for the service.
  EXPECT_LE(world.registry->List().size(), static_cast<std::size_t>(kMethods) + 1);
  for (const auto& breaker : world.registry->List()) {
    EXPECT_EQ(breaker->Snapshot(world.now()).permits_in_flight, 0) << breaker->id().name();
    EXPECT_EQ(breaker->Snapshot(world.now()).invariant_violations, 0u);
  }
  const MethodRef last = World::Use(*world.links[0], 0, world.now());
  EXPECT_EQ(last->policy.deadline, world.source->current()->defaults.defaults.deadline);
  RecordProperty("calls", world.calls);
  RecordProperty("updates", std::to_string(updates));
  RecordProperty("transitions", world.sequence->events);
}

}  // namespace
}  // namespace recloser
