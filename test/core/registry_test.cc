#include "recloser/core/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "session_fixture.h"

namespace recloser {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Return;
using ::testing::Throw;

class MockObserver : public Observer {
 public:
  MOCK_METHOD(std::shared_ptr<MethodObserver>, ObserveMethod, (const MethodId&), (override));
  MOCK_METHOD(void, OnTransition, (const SharedBreaker&, const BreakerTransition&), (override));
  MOCK_METHOD(void, OnProblem, (const Problem&), (override));
};

const BreakerId kId{"dns:///orders", "orders.Orders", "Get"};

TEST(Registry, TheGlobalOneIsAlwaysTheSame) {
  ASSERT_NE(Registry::Global(), nullptr);
  EXPECT_EQ(Registry::Global(), Registry::Global());
}

TEST(Registry, EqualOptionsShareABreaker) {
  const auto registry = Registry::Create();
  const auto breaker = registry->FindOrCreate(kId, {}, kStart);
  ASSERT_NE(breaker, nullptr);
  EXPECT_EQ(registry->FindOrCreate(kId, {}, kStart), breaker);
  EXPECT_EQ(registry->Find("dns:///orders", "orders.Orders/Get"), breaker);
  EXPECT_EQ(registry->Find("dns:///orders", "orders.Orders/Put"), nullptr);
  EXPECT_EQ(registry->Find("dns:///other", "orders.Orders/Get"), nullptr);
}

TEST(Registry, OtherOptionsGetABreakerUnderTheNextName) {
  const auto registry = Registry::Create();
  BreakerOptions shadow;
  shadow.mode = BreakerMode::kShadow;
  BreakerOptions costly;
  AdaptiveBreakerOptions adaptive;
  adaptive.wasted_attempt_cost = 10;
  costly.kind = adaptive;
  const auto first = registry->FindOrCreate(kId, {}, kStart);
  const auto second = registry->FindOrCreate(kId, shadow, kStart);
  const auto third = registry->FindOrCreate(kId, costly, kStart);
  EXPECT_EQ(second->id().name(), "orders.Orders/Get#2");
  EXPECT_EQ(third->id().name(), "orders.Orders/Get#3");
  EXPECT_EQ(registry->FindOrCreate(kId, shadow, kStart), second);
  EXPECT_EQ(registry->FindOrCreate(kId, {}, kStart), first);
  EXPECT_EQ(registry->Find("dns:///orders", "orders.Orders/Get#2"), second);

  registry->FindOrCreate({"dns:///orders", "orders.Orders", ""}, {}, kStart);
  registry->FindOrCreate({"dns:///orders", "", ""}, {}, kStart);
  EXPECT_EQ(registry->FindOrCreate({"dns:///orders", "orders.Orders", ""}, shadow, kStart)->id().name(), "orders.Orders#2");
  EXPECT_EQ(registry->FindOrCreate({"dns:///orders", "", ""}, shadow, kStart)->id().name(), "*#2");
}

class Constant final : public Metric {
  absl::string_view name() const override { return "constant"; }
  std::optional<double> Score(const AttemptObservation&) const override { return 1; }
};

TEST(Registry, CustomMetricsAreComparedByIdentityAndHooksCountAsDifferent) {
  const auto registry = Registry::Create();
  const auto with_metric = [](std::shared_ptr<const Metric> metric) {
    AdaptiveBreakerOptions adaptive;
    adaptive.rating.metrics.push_back({std::move(metric), 0.1});
    BreakerOptions options;
    options.kind = adaptive;
    return options;
  };
  const auto metric = std::make_shared<Constant>();
  const auto first = registry->FindOrCreate(kId, with_metric(metric), kStart);
  EXPECT_EQ(registry->FindOrCreate(kId, with_metric(metric), kStart), first);
  EXPECT_NE(registry->FindOrCreate(kId, with_metric(std::make_shared<Constant>()), kStart), first);

  BreakerOptions hooked;
  hooked.classify = [](const AttemptResult&) { return std::optional<Outcome>(); };
  const auto with_hook = registry->FindOrCreate(kId, hooked, kStart);
  EXPECT_NE(with_hook, first);
  EXPECT_NE(registry->FindOrCreate(kId, hooked, kStart), with_hook);
}

TEST(Registry, CustomBreakersAreComparedByNameAndFactory) {
  const auto registry = Registry::Create();
  const auto make = [] {
    return std::make_shared<const CustomBreaker::Factory>(
        [](Time now, Random random) { return MakeBreaker(BreakerOptions{}, now, random); });
  };
  const auto factory = make();
  const auto custom = [](std::string name, std::shared_ptr<const CustomBreaker::Factory> f) {
    BreakerOptions options;
    options.kind = CustomBreaker{std::move(name), std::move(f)};
    return options;
  };
  const auto first = registry->FindOrCreate(kId, custom("a", factory), kStart);
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->TryAcquire(kStart, {}).admitted);
  EXPECT_EQ(registry->FindOrCreate(kId, custom("a", factory), kStart), first);
  EXPECT_NE(registry->FindOrCreate(kId, custom("b", factory), kStart), first);
  EXPECT_NE(registry->FindOrCreate(kId, custom("a", make()), kStart), first);
}

TEST(Registry, DisabledMeansNoBreaker) {
  const auto registry = Registry::Create();
  BreakerOptions disabled;
  disabled.mode = BreakerMode::kDisabled;
  EXPECT_EQ(registry->FindOrCreate(kId, disabled, kStart), nullptr);
  EXPECT_TRUE(registry->List().empty());
}

TEST(Registry, HoldsABoundedNumberOfBreakersAndSaysSoOnce) {
  RegistryOptions options;
  options.max_breakers = 2;
  const auto registry = Registry::Create(options);
  const auto observer = std::make_shared<MockObserver>();
  registry->AddObserver(observer);
  EXPECT_CALL(*observer, OnProblem(Field(&Problem::kind, Problem::Kind::kTooManyBreakers))).Times(1);
  const auto a = registry->FindOrCreate({"t", "s", "a"}, {}, kStart);
  EXPECT_NE(registry->FindOrCreate({"t", "s", "b"}, {}, kStart), nullptr);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(registry->FindOrCreate({"t", "s", "c"}, {}, kStart), nullptr);
  EXPECT_EQ(registry->breakers_refused(), 3u);
  EXPECT_EQ(registry->FindOrCreate({"t", "s", "a"}, {}, kStart), a);
}

TEST(Registry, ListsBreakersByTargetAndName) {
  const auto registry = Registry::Create();
  registry->FindOrCreate({"u", "s", "a"}, {}, kStart);
  registry->FindOrCreate({"t", "s", "b"}, {}, kStart);
  registry->FindOrCreate({"t", "s", "a"}, {}, kStart);
  std::vector<std::string> names;
  for (const auto& breaker : registry->List()) names.push_back(breaker->id().target + " " + breaker->id().name());
  EXPECT_THAT(names, ElementsAre("t s/a", "t s/b", "u s/a"));
}

TEST(Registry, TellsTransitionsToEveryObserverAndCountsThoseThatThrow) {
  const auto registry = Registry::Create();
  const auto thrower = std::make_shared<MockObserver>();
  const auto other = std::make_shared<MockObserver>();
  registry->AddObserver(thrower);
  registry->AddObserver(other);
  const auto breaker = registry->FindOrCreate(kId, {}, kStart);
  EXPECT_CALL(*thrower, OnTransition(_, Field(&BreakerTransition::to, BreakerState::kForcedOpen))).WillOnce(Throw(std::runtime_error("x")));
  EXPECT_CALL(*other, OnTransition(_, Field(&BreakerTransition::to, BreakerState::kForcedOpen)));
  EXPECT_NO_THROW(breaker->ForceOpen(kStart));
  EXPECT_EQ(registry->listener_errors(), 1u);
}

TEST(Registry, AMakerSeesEachNewBreakerAndMayPutSomethingAroundIt) {
  const auto registry = Registry::Create();
  const auto before = registry->FindOrCreate({"t", "s", "before"}, {}, kStart);
  std::vector<std::string> made;
  registry->SetBreakerMaker([&](const BreakerId& id, const BreakerOptions& its_options, Time now, Random random) {
    made.push_back(id.name());
    return MakeBreaker(its_options, now, random);
  });
  EXPECT_EQ(registry->FindOrCreate({"t", "s", "before"}, {}, kStart), before);
  EXPECT_NE(registry->FindOrCreate(kId, {}, kStart), nullptr);
  EXPECT_THAT(made, ElementsAre("orders.Orders/Get"));

  registry->SetBreakerMaker([](const BreakerId&, const BreakerOptions&, Time, Random) { return nullptr; });
  EXPECT_EQ(registry->FindOrCreate({"t", "s", "none"}, {}, kStart), nullptr);
  registry->SetBreakerMaker(nullptr);
  EXPECT_NE(registry->FindOrCreate({"t", "s", "usual"}, {}, kStart), nullptr);
  EXPECT_THAT(made, ElementsAre("orders.Orders/Get"));
}

TEST(Registry, ABreakerOutlivesIt) {
  auto registry = Registry::Create();
  const auto observer = std::make_shared<MockObserver>();
  registry->AddObserver(observer);
  const auto breaker = registry->FindOrCreate(kId, {}, kStart);
  registry.reset();
  EXPECT_CALL(*observer, OnTransition).Times(0);
  breaker->ForceOpen(kStart);
  EXPECT_FALSE(breaker->TryAcquire(kStart, {}).admitted);
}

TEST(Registry, ShowsTheBudgetsOfLivingChannels) {
  const auto registry = Registry::Create();
  auto link = Link::Create("t", Policies(), registry);
  link->Method("/s/m", {}, kStart)->budget->Withdraw();
  ASSERT_EQ(registry->Budgets().size(), 1u);
  EXPECT_EQ(registry->Budgets()[0].target, "t");
  EXPECT_EQ(registry->Budgets()[0].tokens, 99);
  EXPECT_EQ(registry->Budgets()[0].max_tokens, 100);
  link.reset();
  EXPECT_TRUE(registry->Budgets().empty());
}

TEST(Registry, TheSeedDecidesAllDraws) {
  RegistryOptions options;
  options.seed = 5;
  EXPECT_EQ(Registry::Create(options)->NextSeed(), Registry::Create(options)->NextSeed());
  EXPECT_NE(Registry::Create()->NextSeed(), Registry::Create()->NextSeed());
}

}  // namespace
}  // namespace recloser
