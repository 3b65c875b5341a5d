// Links that follow a policy source: what changes, for whom, and what stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "recloser/core/policy_source.h"
#include "session_fixture.h"

namespace recloser {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr MethodTraits kIdempotent{false, true};

struct ReloadTest : public ::testing::Test {
  std::shared_ptr<Link> Connect(const std::string& target = "t") const { return Link::Create(target, source, registry); }
  void Update(const Policies& policies) {
    PolicySet set;
    set.defaults = policies;
    ASSERT_TRUE(source->Update(std::move(set), {"test", ""}, now).ok());
  }
  static Policies With(BreakerMode mode, BreakerScope scope = BreakerScope::kMethod) {
    Policies policies;
    policies.defaults.breaker.mode = mode;
    policies.defaults.breaker.scope = scope;
    return policies;
  }
  static Policies WithDeadline(Duration deadline) {
    Policies policies;
    policies.defaults.deadline = deadline;
    return policies;
  }
  static Policies Standard() {
    Policies policies;
    policies.defaults.breaker.kind = StandardBreakerOptions();
    return policies;
  }
  void Open(SharedBreaker& breaker) {
    for (int i = 0; i < 100 && breaker.state() == BreakerState::kClosed; ++i) {
      breaker.Record(breaker.TryAcquire(now, {}).permit, now, Result(absl::StatusCode::kUnavailable));
    }
    ASSERT_EQ(breaker.state(), BreakerState::kOpen);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& breaker : registry->List()) names.push_back(breaker->id().name());
    return names;
  }

  Time now = kStart;
  std::shared_ptr<EventRecorder> log = std::make_shared<EventRecorder>();
  std::shared_ptr<Registry> registry = Registry::Create();
  std::shared_ptr<PolicySource> source = PolicySource::Create({}, {"test", ""});
};

// Polly #1578, Sentinel #1990.
TEST_F(ReloadTest, CallsInFlightEndUnderThePoliciesTheyBeganWith) {
  registry->AddObserver(log);
  Policies patient = WithDeadline(seconds(10));
  patient.defaults.retry.max_attempts = 5;
  Update(patient);
  const auto link = Connect();
  CallSession before(link->Method("/s.S/M", kIdempotent, now), {}, 1);
  EXPECT_EQ(before.Start(now, kInfiniteFuture).deadline, now + seconds(10));

  Policies hasty = WithDeadline(seconds(1));
  hasty.defaults.retry.mode = RetryMode::kNever;
  Update(hasty);
  CallSession after(link->Method("/s.S/M", kIdempotent, now), {}, 2);
  EXPECT_EQ(after.Start(now, kInfiniteFuture).deadline, now + seconds(1));
  EXPECT_EQ(after.OnAttemptFinished(now, Result(absl::StatusCode::kUnavailable)).kind, Action::Kind::kDeliver);

  Update(Policies::Off());
  for (int attempt = 1; attempt < 5; ++attempt) {
    const Action action = before.OnAttemptFinished(now, Result(absl::StatusCode::kUnavailable));
    ASSERT_EQ(action.kind, Action::Kind::kWait) << attempt;
    now = action.wake;
    EXPECT_EQ(before.OnTimer(now).kind, Action::Kind::kSend);
  }
  EXPECT_EQ(before.OnAttemptFinished(now, Result(absl::StatusCode::kOk)).kind, Action::Kind::kDeliver);
  EXPECT_EQ(before.attempts(), 5);
}

TEST_F(ReloadTest, AnInvalidUpdateChangesNothing) {
  Update(WithDeadline(seconds(3)));
  const auto link = Connect();
  const MethodContext* const before = &*link->Method("/s.S/M", kIdempotent, now);
  PolicySet bad;
  bad.defaults.defaults.breaker.kind = StandardBreakerOptions();
  bad.targets["somebody"].retry_budget.max_tokens = 0;
  EXPECT_FALSE(source->Update(bad, {"test", ""}, now).ok());
  EXPECT_EQ(&*link->Find("/s.S/M"), before);
  EXPECT_EQ(link->policies()->defaults.deadline, Duration(seconds(3)));
  EXPECT_TRUE(std::holds_alternative<AdaptiveBreakerOptions>(before->breaker->options()->kind));
}

TEST_F(ReloadTest, OnlyTheTargetsThatChangeAreTouched) {
  const auto here = Connect("here");
  const auto there = Connect("there");
  const MethodContext* const stays = &*there->Method("/s.S/M", {}, now);
  here->Method("/s.S/M", {}, now);
  PolicySet set;
  set.targets["here"] = WithDeadline(seconds(2));
  ASSERT_TRUE(source->Update(set, {"test", ""}, now).ok());
  EXPECT_EQ(here->Find("/s.S/M")->policy.deadline, Duration(seconds(2)));
  EXPECT_EQ(&*there->Find("/s.S/M"), stays);
}

TEST_F(ReloadTest, MethodsSeenLaterGetTheNewPoliciesToo) {
  const auto link = Connect();
  Update(WithDeadline(seconds(2)));
  EXPECT_EQ(link->Method("/s.S/New", {}, now)->policy.deadline, Duration(seconds(2)));
  const auto later = Connect();
  EXPECT_EQ(later->Method("/s.S/New", {}, now)->policy.deadline, Duration(seconds(2)));
}

TEST_F(ReloadTest, MethodsBeyondTheBoundFollowToo) {
  Update(Policies::Off());
  const auto link = Connect();
  for (int i = 0; i <= kMaxMethodsPerLink; ++i) link->Method("/a.B/" + std::to_string(i), {}, now);
  Update(WithDeadline(seconds(2)));
  const MethodRef other = link->Method("/a.B/another", kIdempotent, now);
  EXPECT_EQ(other->id.method, "other");
  EXPECT_EQ(other->policy.deadline, Duration(seconds(2)));
  EXPECT_FALSE(other->retries);
  EXPECT_EQ(other->breaker, nullptr);
}

TEST_F(ReloadTest, ObserversAreAskedOncePerMethod) {
  registry->AddObserver(log);
  const auto link = Connect();
  const auto observers = link->Method("/s.S/M", {}, now)->observers;
  EXPECT_THAT(observers, SizeIs(1));
  registry->AddObserver(std::make_shared<EventRecorder>());
  Update(WithDeadline(seconds(2)));
  EXPECT_EQ(link->Find("/s.S/M")->observers, observers);
}

// The retry budget.

TEST_F(ReloadTest, TokensAreKeptByTheirShare) {
  const auto link = Connect();
  const auto budget = link->Method("/s.S/M", {}, now)->budget;
  for (int i = 0; i < 20; ++i) budget->Withdraw();
  EXPECT_EQ(budget->tokens(), 80);
  const auto resize = [&](int max_tokens) {
    Policies policies;
    policies.retry_budget.max_tokens = max_tokens;
    Update(policies);
  };
  resize(10);
  EXPECT_EQ(budget->tokens(), 8);
  EXPECT_EQ(budget->max_tokens(), 10);
  resize(1000);
  EXPECT_EQ(budget->tokens(), 800);
  EXPECT_EQ(link->Find("/s.S/M")->budget, budget);
  for (int i = 0; i < 1000; ++i) resize(i % 2 == 0 ? 7 : 333);
  resize(100);
  EXPECT_NEAR(budget->tokens(), 80, 0.1);
}

TEST(RetryBudgetResize, IsOneStepForThoseWhoUseIt) {
  RetryBudgetOptions off;
  off.enabled = false;
  RetryBudgetOptions small;
  small.max_tokens = 3;
  small.token_ratio = 1;
  RetryBudget budget{RetryBudgetOptions()};
  for (int i = 0; i < 100; ++i) budget.Withdraw();
  EXPECT_FALSE(budget.Withdraw());
  budget.Resize(off);
  EXPECT_FALSE(budget.enabled());
  EXPECT_TRUE(budget.Withdraw());
  budget.Deposit();
  EXPECT_EQ(budget.tokens(), 0);
  budget.Resize(small);
  budget.Deposit();
  EXPECT_EQ(budget.tokens(), 1);
  for (int i = 0; i < 5; ++i) budget.Deposit();
  EXPECT_EQ(budget.tokens(), 3);
  EXPECT_TRUE(budget.Withdraw());
}

// Whose breaker is it?

TEST_F(ReloadTest, ChannelsOfOneSourceGoOnSharingTheirBreaker) {
  const auto a = Connect();
  const auto b = Connect();
  const auto breaker = a->Method("/s.S/M", {}, now)->breaker;
  Open(*breaker);
  const std::uint64_t generation = breaker->Snapshot(now).generation;
  Policies policies;
  std::get<AdaptiveBreakerOptions>(policies.defaults.breaker.kind).wasted_attempt_cost = 7;
  Update(policies);
  EXPECT_EQ(a->Find("/s.S/M")->breaker, breaker);
  EXPECT_EQ(b->Method("/s.S/M", {}, now)->breaker, breaker);
  EXPECT_EQ(std::get<AdaptiveBreakerOptions>(breaker->options()->kind).wasted_attempt_cost, 7);
  Update(Standard());
  EXPECT_EQ(a->Find("/s.S/M")->breaker, breaker);
  EXPECT_EQ(b->Find("/s.S/M")->breaker, breaker);
  EXPECT_TRUE(std::holds_alternative<StandardBreakerOptions>(breaker->options()->kind));
  EXPECT_EQ(breaker->state(), BreakerState::kOpen);
  EXPECT_GT(breaker->Snapshot(now).generation, generation);
  EXPECT_THAT(Names(), ElementsAre("s.S/M"));
}

TEST_F(ReloadTest, FixedPoliciesAndAnotherSourceKeepTheirOwn) {
  const auto fixed = Link::Create("t", Policies(), registry);
  const auto fixed_breaker = fixed->Method("/s.S/M", {}, now)->breaker;
  const auto breaker = Connect()->Method("/s.S/M", {}, now)->breaker;
  const auto other = PolicySource::Create({}, {"other", ""});
  const auto other_breaker = Link::Create("t", other, registry)->Method("/s.S/M", {}, now)->breaker;
  EXPECT_THAT(Names(), ElementsAre("s.S/M", "s.S/M#2", "s.S/M#3"));
  Update(Standard());
  EXPECT_TRUE(std::holds_alternative<StandardBreakerOptions>(Connect()->Method("/s.S/M", {}, now)->breaker->options()->kind));
  EXPECT_TRUE(std::holds_alternative<AdaptiveBreakerOptions>(fixed_breaker->options()->kind));
  EXPECT_TRUE(std::holds_alternative<AdaptiveBreakerOptions>(other_breaker->options()->kind));
  EXPECT_EQ(Link::Create("t", Policies(), registry)->Method("/s.S/M", {}, now)->breaker, fixed_breaker);
  EXPECT_THAT(Names(), SizeIs(3));
}

TEST_F(ReloadTest, TheBreakersOfADeadSourceAreTakenOver) {
  auto breaker = Connect()->Method("/s.S/M", {}, now)->breaker;
  Open(*breaker);
  for (int i = 0; i < 50; ++i) {
    PolicySet set;
    set.defaults = i % 2 == 0 ? Standard() : Policies();
    source = PolicySource::Create(set, {"anew", ""});
    const auto link = Connect();
    EXPECT_EQ(link->Method("/s.S/M", {}, now)->breaker, breaker);
    EXPECT_EQ(breaker->state(), BreakerState::kOpen);
  }
  // Fixed policies take only one that is as they want it, and for good.
  source.reset();
  EXPECT_EQ(Link::Create("t", Policies(), registry)->Method("/s.S/M", {}, now)->breaker, breaker);
  source = PolicySource::Create({}, {"anew", ""});
  EXPECT_NE(Connect()->Method("/s.S/M", {}, now)->breaker, breaker);
}

TEST_F(ReloadTest, OneNameWantedInTwoWaysAtOnceIsTwoBreakersThatGoOn) {
  const auto with = [](double one, double two) {
    Policies policies = With(BreakerMode::kEnforce, BreakerScope::kService);
    policies.methods["s.S/One"] = policies.methods["s.S/Two"] = policies.defaults;
    std::get<AdaptiveBreakerOptions>(policies.methods["s.S/One"].breaker.kind).wasted_attempt_cost = one;
    std::get<AdaptiveBreakerOptions>(policies.methods["s.S/Two"].breaker.kind).wasted_attempt_cost = two;
    return policies;
  };
  Update(with(1, 2));
  const auto link = Connect();
  const auto one = link->Method("/s.S/One", {}, now)->breaker;
  const auto two = link->Method("/s.S/Two", {}, now)->breaker;
  EXPECT_NE(one, two);
  for (int i = 0; i < 20; ++i) {
    Update(with(10 + i, 50 + i));
    EXPECT_NE(link->Find("/s.S/One")->breaker, link->Find("/s.S/Two")->breaker);
    EXPECT_THAT(Names(), ElementsAre("s.S", "s.S#2"));
  }
  Update(with(3, 3));
  EXPECT_EQ(link->Find("/s.S/One")->breaker, link->Find("/s.S/Two")->breaker);
}

// Modes and scopes.

TEST_F(ReloadTest, ABreakerThatIsTurnedOffIsFoundAgain) {
  const auto link = Connect();
  const auto breaker = link->Method("/s.S/M", {}, now)->breaker;
  Open(*breaker);
  const BreakerSnapshot before = breaker->Snapshot(now);
  CallSession in_flight(link->Method("/s.S/M", {}, now), {}, 1);

  Update(With(BreakerMode::kDisabled));
  EXPECT_EQ(link->Find("/s.S/M")->breaker, nullptr);
  EXPECT_EQ(breaker->mode(), BreakerMode::kDisabled);
  EXPECT_EQ(in_flight.Start(now, kInfiniteFuture).kind, Action::Kind::kSend);

  Update(With(BreakerMode::kShadow));
  EXPECT_EQ(link->Find("/s.S/M")->breaker, breaker);
  EXPECT_TRUE(breaker->TryAcquire(now, {}).would_reject);
  Update(With(BreakerMode::kEnforce));
  EXPECT_EQ(link->Find("/s.S/M")->breaker, breaker);
  EXPECT_EQ(breaker->state(), BreakerState::kOpen);
  EXPECT_EQ(breaker->Snapshot(now).generation, before.generation);
  EXPECT_FALSE(breaker->TryAcquire(now, {}).admitted);
  EXPECT_THAT(Names(), ElementsAre("s.S/M"));
}

// A link that has not followed yet asks for what the source has turned off meanwhile: it gets that one, which rests, and no second one.
TEST_F(ReloadTest, WhoIsBehindGetsTheBreakerAsItIsByNow) {
  const BreakerId id{"t", "s.S", "M"};
  BreakerOptions off;
  off.mode = BreakerMode::kDisabled;
  const auto breaker = registry->FindOrCreate(id, {}, now, {source, 5});
  EXPECT_EQ(registry->FindOrCreate(id, off, now, {source, 6}), nullptr);
  EXPECT_EQ(registry->FindOrCreate(id, {}, now, {source, 5}), breaker);
  EXPECT_EQ(breaker->mode(), BreakerMode::kDisabled);
  EXPECT_EQ(registry->FindOrCreate(id, {}, now, {source, 7}), breaker);
  EXPECT_EQ(breaker->mode(), BreakerMode::kEnforce);
  EXPECT_EQ(registry->FindOrCreate(id, off, now, {source, 6}), nullptr);
  EXPECT_EQ(registry->FindOrCreate(id, Standard().defaults.breaker, now, {source, 6}), breaker);
  EXPECT_EQ(breaker->mode(), BreakerMode::kEnforce);
  EXPECT_TRUE(std::holds_alternative<AdaptiveBreakerOptions>(breaker->options()->kind));
  EXPECT_THAT(Names(), ElementsAre("s.S/M"));
}

TEST_F(ReloadTest, TurningOffKeepsTheMachineWhateverElseThePolicySays) {
  Update(Standard());
  const auto link = Connect();
  const auto breaker = link->Method("/s.S/M", {}, now)->breaker;
  const std::uint64_t generation = breaker->Snapshot(now).generation;
  Update(Policies::Off());  // of the adaptive kind
  EXPECT_EQ(breaker->mode(), BreakerMode::kDisabled);
  Update(Standard());
  EXPECT_EQ(breaker->Snapshot(now).generation, generation);
}

TEST_F(ReloadTest, OneMethodTurnedOffLeavesTheOthersOfItsScopeOn) {
  for (const char* off : {"s.S/A", "s.S/B"}) {
    Update(With(BreakerMode::kEnforce, BreakerScope::kService));
    const auto link = Connect();
    const auto breaker = link->Method("/s.S/A", {}, now)->breaker;
    EXPECT_EQ(link->Method("/s.S/B", {}, now)->breaker, breaker);
    Policies policies = With(BreakerMode::kEnforce, BreakerScope::kService);
    policies.methods[off] = policies.defaults;
    policies.methods[off].breaker.mode = BreakerMode::kDisabled;
    Update(policies);
    EXPECT_EQ(link->Find(std::string("/") + off)->breaker, nullptr);
    EXPECT_EQ(link->Find(off[4] == 'A' ? "/s.S/B" : "/s.S/A")->breaker, breaker);
    EXPECT_EQ(breaker->mode(), BreakerMode::kEnforce);
  }
  EXPECT_THAT(Names(), ElementsAre("s.S"));
}

TEST_F(ReloadTest, ABreakerIsFoundAgainAfterAnotherScope) {
  const auto link = Connect();
  const auto own = link->Method("/s.S/M", {}, now)->breaker;
  Open(*own);
  Update(With(BreakerMode::kEnforce, BreakerScope::kService));
  const auto services = link->Find("/s.S/M")->breaker;
  EXPECT_EQ(services->id().name(), "s.S");
  EXPECT_EQ(services->state(), BreakerState::kClosed);
  EXPECT_EQ(own->mode(), BreakerMode::kDisabled) << "nobody's: it must not be taken for an outage";
  Update(With(BreakerMode::kEnforce));
  EXPECT_EQ(link->Find("/s.S/M")->breaker, own);
  EXPECT_EQ(own->state(), BreakerState::kOpen);
  EXPECT_EQ(own->mode(), BreakerMode::kEnforce);
  EXPECT_EQ(services->mode(), BreakerMode::kDisabled);
}

TEST_F(ReloadTest, AMethodThatLeavesItsScopesBreakerLeavesItToTheOthers) {
  for (const char* leaves : {"s.S/A", "s.S/B"}) {
    Update(With(BreakerMode::kEnforce, BreakerScope::kService));
    const auto link = Connect();
    const auto another = Connect();
    const auto breaker = link->Method("/s.S/A", {}, now)->breaker;
    link->Method("/s.S/B", {}, now);
    another->Method("/s.S/A", {}, now);
    Policies policies = With(BreakerMode::kEnforce, BreakerScope::kService);
    policies.methods[leaves] = With(BreakerMode::kEnforce).defaults;
    Update(policies);
    EXPECT_EQ(link->Find(std::string("/") + leaves)->breaker->id().name(), leaves);
    EXPECT_EQ(link->Find(leaves[4] == 'A' ? "/s.S/B" : "/s.S/A")->breaker, breaker);
    EXPECT_EQ(breaker->mode(), BreakerMode::kEnforce) << leaves;
  }
}

TEST_F(ReloadTest, AShadowBesideItComesAndGoes) {
  const auto link = Connect();
  const auto breaker = link->Method("/s.S/M", {}, now)->breaker;
  Policies policies;
  policies.defaults.shadow_breaker = BreakerOptions();
  policies.defaults.shadow_breaker->mode = BreakerMode::kShadow;
  policies.defaults.shadow_breaker->kind = StandardBreakerOptions();
  Update(policies);
  const auto shadow = link->Find("/s.S/M")->shadow_breaker;
  ASSERT_NE(shadow, nullptr);
  EXPECT_EQ(link->Find("/s.S/M")->breaker, breaker);
  CallSession session(link->Method("/s.S/M", {}, now), {}, 1);
  session.Start(now, kInfiniteFuture);
  Update(Policies());
  EXPECT_EQ(link->Find("/s.S/M")->shadow_breaker, nullptr);
  EXPECT_EQ(shadow->mode(), BreakerMode::kDisabled);
  session.OnAttemptFinished(now, Result(absl::StatusCode::kOk));
  EXPECT_EQ(shadow->Snapshot(now).permits_in_flight, 0);
  Update(policies);
  EXPECT_EQ(link->Find("/s.S/M")->shadow_breaker, shadow);
  EXPECT_EQ(shadow->mode(), BreakerMode::kShadow);
}

TEST_F(ReloadTest, ABreakerThatCannotBeMadeAnewStaysAsItIs) {
  registry->AddObserver(log);
  const auto link = Connect();
  const auto breaker = link->Method("/s.S/M", {}, now)->breaker;
  Policies policies;
  policies.defaults.breaker.kind =
      CustomBreaker{"broken", std::make_shared<const CustomBreaker::Factory>(
                                  [](Time, Random) -> std::unique_ptr<CircuitBreaker> { throw std::runtime_error("factory"); })};
  Update(policies);
  EXPECT_EQ(link->Find("/s.S/M")->breaker, breaker);
  EXPECT_TRUE(std::holds_alternative<AdaptiveBreakerOptions>(breaker->options()->kind));
  ASSERT_THAT(log->problems, SizeIs(1));
  EXPECT_EQ(log->problems[0].kind, Problem::Kind::kHookThrew);
  EXPECT_EQ(registry->listener_errors(), 1u);
  Update(Standard());
  EXPECT_TRUE(std::holds_alternative<StandardBreakerOptions>(breaker->options()->kind));
}

// Memory.

TEST_F(ReloadTest, ContextsAreUsedAgainWhenNobodyHoldsThem) {
  const auto link = Connect();
  std::set<const MethodContext*> seen;
  for (int i = 1; i <= 1000; ++i) {
    Update(WithDeadline(milliseconds(i)));
    const MethodRef method = link->Method("/s.S/M", {}, now);
    EXPECT_EQ(method->policy.deadline, Duration(milliseconds(i)));
    seen.insert(&*method);
  }
  EXPECT_LE(seen.size(), 2u);
}

TEST_F(ReloadTest, HeldContextsStayWhatTheyAreAndComeBackWithTheirPolicy) {
  const auto link = Connect();
  std::deque<MethodRef> held;
  std::set<const MethodContext*> seen;
  for (int i = 1; i <= 2000; ++i) {
    const int deadline = i % 20 + 1;
    Update(WithDeadline(milliseconds(deadline)));
    held.push_back(link->Method("/s.S/M", {}, now));
    EXPECT_EQ(held.back()->policy.deadline, Duration(milliseconds(deadline)));
    EXPECT_EQ(held.front()->policy.deadline, Duration(milliseconds(2)));
    seen.insert(&*held.back());
  }
  EXPECT_EQ(seen.size(), 20u);  // as many as there are different policies, with 2000 holds
  held.clear();
  for (int i = 1; i <= 100; ++i) {
    Update(WithDeadline(seconds(i)));
    seen.insert(&*link->Method("/s.S/M", {}, now));
  }
  EXPECT_LE(seen.size(), 21u);
}

TEST_F(ReloadTest, AHookThatNobodyUsesAnyMoreMayAskItsLinkWhenItDies) {
  struct Asks {
    std::weak_ptr<Link> link;
    Duration deadline{};
    Duration* told = nullptr;
    ~Asks() {
      if (const auto living = link.lock()) *told = living->policies()->defaults.deadline.value_or(deadline);
    }
  };
  const auto hasty = std::make_shared<int>();
  source->Subscribe(hasty, [&](const PolicyVersion& version, Time) {
    if (version.generation == 2) Update(WithDeadline(seconds(3)));  // the second set is the link's alone then
  });
  const auto link = Connect();
  Duration told{};
  auto asks = std::make_shared<Asks>();
  asks->link = link;
  asks->told = &told;
  PolicySet second;
  second.defaults.methods["s.S/Uncalled"].breaker.classify = [held = std::exchange(asks, nullptr)](const AttemptResult&) {
    return std::nullopt;
  };
  ASSERT_TRUE(source->Update(std::move(second), {"test", ""}, now).ok());
  EXPECT_EQ(told, Duration(seconds(3)));
}

TEST_F(ReloadTest, DeadLinksAreForgotten) {
  std::weak_ptr<Link> dead;
  for (int i = 0; i < 100; ++i) dead = Connect();
  EXPECT_TRUE(dead.expired());
  const auto link = Connect();
  Update(WithDeadline(seconds(2)));
  EXPECT_EQ(link->policies()->defaults.deadline, Duration(seconds(2)));
  EXPECT_THAT(registry->Sources(), ElementsAre(source));
}

}  // namespace
}  // namespace recloser
