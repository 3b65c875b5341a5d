#include "recloser/core/link.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "session_fixture.h"

namespace recloser {
namespace {

constexpr MethodTraits kUnary{};
constexpr MethodTraits kIdempotent{false, true};
constexpr MethodTraits kStream{true, true};

TEST(Link, ResolvesAMethodOnce) {
  const auto link = Link::Create("t", Policies(), Registry::Create());
  const MethodContext& get = *link->Method("/a.B/Get", kIdempotent, kStart);
  EXPECT_EQ(get.id.target, "t");
  EXPECT_EQ(get.id.service, "a.B");
  EXPECT_EQ(get.id.method, "Get");
  EXPECT_TRUE(get.retries);
  ASSERT_NE(get.breaker, nullptr);
  EXPECT_EQ(get.breaker->id().name(), "a.B/Get");
  EXPECT_EQ(&*link->Method("/a.B/Get", kStream, kStart), &get);
  EXPECT_NE(&*link->Method("/a.B/Put", kUnary, kStart), &get);
  EXPECT_EQ(link->Method("/a.B/Put", kUnary, kStart)->budget, get.budget);
}

TEST(Link, AcceptsAnyName) {
  const auto link = Link::Create("t", Policies(), Registry::Create());
  EXPECT_EQ(link->Method("", kUnary, kStart)->id.service, "");
  EXPECT_EQ(link->Method("/", kUnary, kStart)->id.method, "");
  EXPECT_EQ(link->Method("odd", kUnary, kStart)->id.service, "odd");
  EXPECT_EQ(link->Method("/a/b/c", kUnary, kStart)->id.service, "a/b");
}

// opentelemetry-go-contrib #3071: names that a client invents must not fill the memory.
TEST(Link, MethodsBeyondTheBoundShareOneEntry) {
  Policies policies;
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.defaults.breaker.mode = BreakerMode::kDisabled;
  const auto link = Link::Create("t", policies, Registry::Create());
  const MethodContext& first = *link->Method("/a.B/0", kUnary, kStart);
  for (int i = 1; i < kMaxMethodsPerLink; ++i) link->Method("/a.B/" + std::to_string(i), kUnary, kStart);
  const MethodContext& other = *link->Method("/a.B/more", kUnary, kStart);
  EXPECT_EQ(other.id.method, "other");
  EXPECT_FALSE(other.retries);
  EXPECT_EQ(&*link->Method("/a.B/still more", kUnary, kStart), &other);
  EXPECT_TRUE(link->Method("/a.B/stream", kStream, kStart)->streaming);
  EXPECT_FALSE(link->Find("/a.B/more"));
  EXPECT_EQ(&*link->Method("/a.B/0", kUnary, kStart), &first);
}

TEST(Link, RetriesWhereTheModeAllows) {
  const auto retries = [](RetryMode mode, int max_attempts, const MethodTraits& traits) {
    Policies policies;
    policies.defaults.retry.mode = mode;
    policies.defaults.retry.max_attempts = max_attempts;
    return Link::Create("t", policies, Registry::Create())->Method("/a.B/C", traits, kStart)->retries;
  };
  EXPECT_TRUE(retries(RetryMode::kIdempotent, 3, kIdempotent));
  EXPECT_FALSE(retries(RetryMode::kIdempotent, 3, kUnary));
  EXPECT_TRUE(retries(RetryMode::kAlways, 2, kUnary));
  EXPECT_FALSE(retries(RetryMode::kAlways, 1, kUnary));
  EXPECT_FALSE(retries(RetryMode::kNever, 3, kIdempotent));
  EXPECT_FALSE(retries(RetryMode::kAlways, 3, kStream));
}

// mimir PR #5650: health checks went through the breaker, and were refused by it.
TEST(Link, HealthChecksPassUnlessTheyAreNamed) {
  Policies policies;
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.services["grpc.health.v1.Health"] = policies.defaults;
  policies.methods["grpc.health.v1.Health/Watch"].breaker.mode = BreakerMode::kEnforce;
  const auto link = Link::Create("t", policies, Registry::Create());
  EXPECT_EQ(link->Method("/grpc.health.v1.Health/Check", kUnary, kStart)->breaker, nullptr);
  EXPECT_FALSE(link->Method("/grpc.health.v1.Health/Check", kUnary, kStart)->retries);
  EXPECT_NE(link->Method("/grpc.health.v1.Health/Watch", kStream, kStart)->breaker, nullptr);
  EXPECT_EQ(link->Method("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", kStream, kStart)->breaker, nullptr);
}

TEST(Link, TheScopeDecidesWhoSharesABreaker) {
  const auto shared = [](BreakerScope scope, const char* a, const char* b) {
    Policies policies;
    policies.defaults.breaker.scope = scope;
    // A hook can't be compared, yet methods of one channel share it.
    policies.defaults.breaker.classify = [](const AttemptResult&) { return std::optional<Outcome>(); };
    const auto link = Link::Create("t", policies, Registry::Create());
    return link->Method(a, kUnary, kStart)->breaker == link->Method(b, kUnary, kStart)->breaker;
  };
  EXPECT_FALSE(shared(BreakerScope::kMethod, "/a.B/C", "/a.B/D"));
  EXPECT_TRUE(shared(BreakerScope::kService, "/a.B/C", "/a.B/D"));
  EXPECT_FALSE(shared(BreakerScope::kService, "/a.B/C", "/a.X/C"));
  EXPECT_TRUE(shared(BreakerScope::kTarget, "/a.B/C", "/a.X/D"));
}

TEST(Link, ChannelsToOneTargetShareBreakersButNotBudgets) {
  const auto registry = Registry::Create();
  const auto a = Link::Create("t", Policies(), registry);
  const auto b = Link::Create("t", Policies(), registry);
  const auto c = Link::Create("u", Policies(), registry);
  EXPECT_EQ(a->Method("/s/m", kUnary, kStart)->breaker, b->Method("/s/m", kUnary, kStart)->breaker);
  EXPECT_NE(a->Method("/s/m", kUnary, kStart)->breaker, c->Method("/s/m", kUnary, kStart)->breaker);
  EXPECT_NE(a->Method("/s/m", kUnary, kStart)->budget, b->Method("/s/m", kUnary, kStart)->budget);
}

class Throws final : public Observer {
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { throw std::runtime_error("observer"); }
};

TEST(Link, AnObserverThatThrowsIsLeftOutAndCounted) {
  const auto registry = Registry::Create();
  const auto log = std::make_shared<EventRecorder>();
  registry->AddObserver(std::make_shared<Throws>());
  registry->AddObserver(log);
  const auto link = Link::Create("t", Policies(), registry);
  EXPECT_EQ(link->Method("/s/m", kUnary, kStart)->observers.size(), 1u);
  EXPECT_EQ(registry->listener_errors(), 1u);
}

TEST(Link, AMethodWhoseBreakerCannotBeMadeRunsWithoutOne) {
  const CustomBreaker::Factory factories[] = {
      [](Time, Random) -> std::unique_ptr<CircuitBreaker> { throw std::runtime_error("factory"); },
      [](Time, Random) -> std::unique_ptr<CircuitBreaker> { return nullptr; },
  };
  for (const CustomBreaker::Factory& factory : factories) {
    Policies policies;
    policies.defaults.breaker.kind = CustomBreaker{"broken", std::make_shared<const CustomBreaker::Factory>(factory)};
    const auto registry = Registry::Create();
    const auto log = std::make_shared<EventRecorder>();
    registry->AddObserver(log);
    const auto link = Link::Create("t", policies, registry);
    EXPECT_EQ(link->Method("/s/m", kUnary, kStart)->breaker, nullptr);
    ASSERT_EQ(log->problems.size(), 1u);
    EXPECT_EQ(log->problems[0].kind, Problem::Kind::kHookThrew);
  }
}

TEST(Link, FreshEvidenceLetsItsOpenBreakersProbeAndNoOthers) {
  Policies policies;
  policies.defaults.shadow_breaker.emplace().mode = BreakerMode::kShadow;
  const auto registry = Registry::Create();
  const auto link = Link::Create("t", policies, registry);
  const auto elsewhere = Link::Create("u", policies, registry);
  const MethodContext& here = *link->Method("/s/m", kUnary, kStart);
  const MethodContext& there = *elsewhere->Method("/s/m", kUnary, kStart);
  link->Method("/s/closed", kUnary, kStart);
  Time now = kStart;
  const std::vector<SharedBreaker*> opened = {here.breaker.get(), here.shadow_breaker.get(), there.breaker.get()};
  for (SharedBreaker* breaker : opened) {
    while (breaker->state() != BreakerState::kOpen) {
      now += 100 * kMs;
      breaker->Record(breaker->TryAcquire(now, {}).permit, now, Result(absl::StatusCode::kUnavailable));
    }
  }
  now += std::chrono::minutes(1);  // an old outage: the probe after this one is far
  for (SharedBreaker* breaker : opened) breaker->TryAcquire(now, {});
  now += 60 * kMs;
  for (SharedBreaker* breaker : opened) ASSERT_GT(breaker->Snapshot(now).retry_after, Duration::zero());
  link->FreshEvidence(now);
  EXPECT_EQ(here.breaker->Snapshot(now).retry_after, Duration::zero());
  EXPECT_EQ(here.shadow_breaker->Snapshot(now).retry_after, Duration::zero());
  EXPECT_GT(there.breaker->Snapshot(now).retry_after, Duration::zero());
  for (const auto& breaker : registry->List()) EXPECT_NE(breaker->state(), BreakerState::kHalfOpen) << "only a call probes";
}

TEST(Link, ManyThreadsGetTheSameContexts) {
  constexpr int kThreads = 8;
  constexpr int kMethods = 1000;  // several per slot of the table
  const auto link = Link::Create("t", Policies(), Registry::Create());
  std::vector<std::vector<const MethodContext*>> seen(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kMethods; ++i) seen[t].push_back(&*link->Method("/s/m" + std::to_string(i), kUnary, kStart));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kMethods; ++i) {
    EXPECT_EQ(seen[0][i]->id.method, "m" + std::to_string(i));
    for (int t = 1; t < kThreads; ++t) ASSERT_EQ(seen[t][i], seen[0][i]);
  }
  EXPECT_EQ(link->registry().List().size(), static_cast<std::size_t>(kMethods));
}

}  // namespace
}  // namespace recloser
