// Shadow mode: alone and beside an enforced breaker, what is counted, and that it changes nothing.
#include "recloser/core/shadow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session_fixture.h"
#include "users_breaker.h"

namespace recloser {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = Action::Kind;

/// Opens at `failures` in a row.
StandardBreakerOptions OpensAt(int failures) {
  StandardBreakerOptions options = QuickBreaker();
  options.window_calls = options.minimum_calls = failures;
  options.slow_call_duration = seconds(1);
  return options;
}

BreakerOptions ShadowOf(StandardBreakerOptions kind) {
  BreakerOptions shadow;
  shadow.mode = BreakerMode::kShadow;
  shadow.kind = std::move(kind);
  return shadow;
}

Policies Alone(int failures) {
  Policies policies = Policies::Defaults();
  policies.defaults.breaker = ShadowOf(OpensAt(failures));
  return policies;
}

Policies Beside(int enforced_failures, int shadow_failures) {
  Policies policies = Policies::Defaults();
  policies.defaults.breaker.kind = OpensAt(enforced_failures);
  policies.defaults.shadow_breaker = ShadowOf(OpensAt(shadow_failures));
  return policies;
}

struct ShadowFixture : SessionFixture {
  using SessionFixture::SessionFixture;

  /// One call of one attempt. False when it was refused.
  bool Call(StatusCode code, Duration latency = Duration::zero()) {
    CallSession session = Session();
    if (session.Start(now, kInfiniteFuture).kind != Kind::kSend) return false;
    now += latency;
    session.OnAttemptFinished(now, Result(code));
    return true;
  }
  void Calls(int count, StatusCode code) {
    for (int i = 0; i < count; ++i) Call(code);
  }
  SharedBreaker& shadow() const { return method->shadow_breaker != nullptr ? *method->shadow_breaker : *method->breaker; }
  ShadowCounts counts() const { return *shadow().Snapshot(now).shadow; }

  Time now = kStart;
};

TEST(ShadowAlone, CountsWhatItWouldHaveSavedAndRefused) {
  ShadowFixture f(Alone(2));
  f.Calls(10, StatusCode::kOk);
  f.Calls(2, StatusCode::kUnavailable);
  ASSERT_EQ(f.shadow().state(), BreakerState::kOpen);
  f.Calls(5, StatusCode::kUnavailable);
  f.Calls(3, StatusCode::kOk);

  const ShadowCounts counts = f.counts();
  EXPECT_EQ(counts.both_admit, 12u);
  EXPECT_EQ(counts.only_shadow_rejects, 8u);
  EXPECT_EQ(counts.both_reject + counts.only_enforced_rejects, 0u) << "nothing is enforced";
  EXPECT_EQ(counts.bad, 7u);
  EXPECT_EQ(counts.good, 13u);
  EXPECT_EQ(counts.would_save, 5u);
  EXPECT_EQ(counts.would_refuse_good, 3u);
}

TEST(ShadowAlone, ASlowAnswerIsBadAndAnIgnoredOneNeither) {
  ShadowFixture f(Alone(2));
  f.Calls(2, StatusCode::kUnavailable);
  f.Call(StatusCode::kOk, seconds(1));
  EXPECT_EQ(f.counts().would_save, 0u) << "not longer than the limit";
  f.shadow().ForceOpen(f.now);
  f.Call(StatusCode::kOk, seconds(1) + Duration(1));
  f.Call(StatusCode::kUnimplemented);
  EXPECT_EQ(f.counts().would_save, 1u);
  EXPECT_EQ(f.counts().would_refuse_good, 1u);
  EXPECT_EQ(f.counts().would_reject(), 3u);
}

TEST(ShadowAlone, AStreamsLengthIsNotSlow) {
  MethodTraits stream;
  stream.streaming = true;
  ShadowFixture f(Alone(2), stream);
  f.Calls(2, StatusCode::kUnavailable);
  f.Call(StatusCode::kOk, std::chrono::hours(1));
  EXPECT_EQ(f.counts().would_refuse_good, 1u);
}

TEST(ShadowAlone, TheSlowDurationOfTheAdaptiveBreakerIsTheLearntOne) {
  Policies policies = Policies::Defaults();
  policies.defaults.breaker.mode = BreakerMode::kShadow;
  ShadowFixture f(policies);
  for (int i = 0; i < 50; ++i) f.Call(StatusCode::kOk, seconds(2));  // usual for this service
  EXPECT_EQ(f.counts().bad, 0u);
  f.Call(StatusCode::kOk, seconds(9));
  EXPECT_EQ(f.counts().bad, 1u);
}

TEST(ShadowBeside, AgreementIsToldForEachAttempt) {
  ShadowFixture f(Beside(/*enforced_failures=*/4, /*shadow_failures=*/2));
  f.Call(StatusCode::kOk);
  f.Calls(4, StatusCode::kUnavailable);  // the shadow opens at the second, the enforced one at the fourth
  EXPECT_FALSE(f.Call(StatusCode::kOk));
  EXPECT_THAT(f.log->shadow_decisions,
              ElementsAre("both_admit", "both_admit", "both_admit", "only_shadow_rejects", "only_shadow_rejects", "both_reject"));
  const ShadowCounts counts = f.counts();
  EXPECT_EQ(counts.decisions(), 6u);
  EXPECT_EQ(counts.agree(), 4u);
  EXPECT_EQ(counts.would_save, 2u);
  EXPECT_EQ(counts.bad, 4u) << "an attempt that was not made has no result";
  EXPECT_EQ(counts.good, 1u);
}

TEST(ShadowBeside, WhatTheEnforcedBreakerRefusesIsOfferedLoadButTeachesNothing) {
  Policies policies = Beside(2, 2);
  policies.defaults.shadow_breaker->kind = AdaptiveBreakerOptions{};
  ShadowFixture f(policies);
  f.Calls(2, StatusCode::kUnavailable);
  const std::int64_t seen = f.shadow().Snapshot(f.now).window_calls;
  for (int i = 0; i < 90; ++i) {
    f.now += milliseconds(10);
    ASSERT_FALSE(f.Call(StatusCode::kOk));
  }
  const BreakerSnapshot snapshot = f.shadow().Snapshot(f.now);
  EXPECT_GT(snapshot.offered_rate, 20) << "the calls were offered";
  EXPECT_EQ(snapshot.window_calls, seen);
  EXPECT_EQ(snapshot.permits_in_flight, 0);
  EXPECT_EQ(snapshot.state, BreakerState::kClosed);
  EXPECT_EQ(snapshot.shadow->only_enforced_rejects, 90u) << "it would have admitted them, as far as it can know";
}

TEST(ShadowBeside, AProbeThatIsNotMadeIsNone) {
  for (const bool adaptive : {false, true}) {
    Policies policies = Beside(2, 2);
    if (adaptive) policies.defaults.shadow_breaker->kind = AdaptiveBreakerOptions{};
    ShadowFixture f(policies);
    while (f.shadow().state() != BreakerState::kOpen) {
      f.Call(StatusCode::kUnavailable);
      f.now += milliseconds(1);
      f.method->breaker->Reset(f.now);
    }
    f.method->breaker->ForceOpen(f.now);
    f.now += std::chrono::minutes(1);
    for (int i = 0; i < 10; ++i) ASSERT_FALSE(f.Call(StatusCode::kOk));
    const BreakerSnapshot before = f.shadow().Snapshot(f.now);
    EXPECT_EQ(before.probes_in_flight, 0);
    EXPECT_THAT(before.probes, ElementsAre(0, 0, 0, 0));

    f.method->breaker->Reset(f.now);
    ASSERT_TRUE(f.Call(StatusCode::kOk)) << "the first attempt that is made is the probe";
    EXPECT_EQ(f.shadow().Snapshot(f.now).probes[static_cast<int>(ProbeResult::kSuccess)], 1u);
    EXPECT_NE(f.shadow().state(), BreakerState::kOpen);
  }
}

/// Knows nothing of hypothetical attempts.
class AdmitsAll final : public IdleBreaker {
 public:
  explicit AdmitsAll(std::int64_t* out) : out_(out) {}
  Admission TryAcquire(Time, const AttemptInfo&) override {
    Admission admission;
    admission.permit.id = static_cast<std::uint64_t>(++*out_);
    return admission;
  }
  Outcome Record(const Permit& permit, Time now, const AttemptResult& result) override {
    --*out_;
    return IdleBreaker::Record(permit, now, result);
  }
  void Drop(const Permit&, Time) override { --*out_; }

 private:
  std::int64_t* const out_;
};

TEST(ShadowBeside, AUsersBreakerGetsThePermitOfAnAttemptBackThatIsNotMade) {
  std::int64_t out = 0;
  Policies policies = Beside(2, 2);
  policies.defaults.shadow_breaker->kind =
      CustomBreaker{"all", std::make_shared<const CustomBreaker::Factory>([&](Time, Random) { return std::make_unique<AdmitsAll>(&out); })};
  ShadowFixture f(policies);
  f.method->breaker->ForceOpen(f.now);
  f.Call(StatusCode::kOk);
  EXPECT_EQ(out, 0);
  EXPECT_EQ(f.counts().only_enforced_rejects, 1u);
}

TEST(ShadowBeside, PermitsComeBackWhateverBecomesOfTheCall) {
  ShadowFixture f(Beside(100, 100));
  {
    CallSession abandoned = f.Session();
    abandoned.Start(f.now, kInfiniteFuture);
    EXPECT_EQ(f.shadow().Snapshot(f.now).permits_in_flight, 1);
  }
  EXPECT_EQ(f.shadow().Snapshot(f.now).permits_in_flight, 0);
  f.Call(StatusCode::kCancelled);
  EXPECT_EQ(f.shadow().Snapshot(f.now).permits_in_flight, 0);
}

TEST(ShadowBeside, AStreamsFirstMessageEndsTheShadowsProbe) {
  MethodTraits stream;
  stream.streaming = true;
  ShadowFixture f(Beside(100, 2), stream);
  f.Calls(2, StatusCode::kUnavailable);
  ASSERT_EQ(f.shadow().state(), BreakerState::kOpen);
  CallSession session = f.Session();
  session.Start(f.now + seconds(1), kInfiniteFuture);
  session.OnStreamMessage(f.now + seconds(1));
  EXPECT_EQ(f.shadow().state(), BreakerState::kClosed);
}

TEST(ShadowBeside, ABypassedBreakerBypassesTheShadow) {
  ShadowFixture f(Beside(2, 2));
  CallOverrides bypass;
  bypass.bypass_breaker = true;
  CallSession session = f.Session(bypass);
  session.Start(f.now, kInfiniteFuture);
  session.OnAttemptFinished(f.now, Result(StatusCode::kUnavailable));
  EXPECT_EQ(f.counts().decisions(), 0u);
}

TEST(ShadowBeside, ADisabledBreakerLeavesTheShadowAlone) {
  Policies policies = Beside(2, 2);
  policies.defaults.breaker.mode = BreakerMode::kDisabled;
  ShadowFixture f(policies);
  ASSERT_EQ(f.method->breaker, nullptr);
  f.Calls(3, StatusCode::kUnavailable);
  EXPECT_EQ(f.counts().would_save, 1u);
  EXPECT_THAT(f.log->shadow_decisions, ElementsAre("both_admit", "both_admit", "only_shadow_rejects"));
}

TEST(ShadowBeside, OfTwoShadowsTheOneBesideIsTold) {
  Policies policies = Beside(2, 3);
  policies.defaults.breaker.mode = BreakerMode::kShadow;
  ShadowFixture f(policies);
  f.Calls(3, StatusCode::kUnavailable);
  EXPECT_THAT(f.log->shadow_decisions, ElementsAre("both_admit", "both_admit", "both_admit"));
  EXPECT_EQ(f.method->breaker->Snapshot(f.now).shadow->would_save, 1u) << "the other counts all the same";
}

TEST(ShadowBeside, HasItsOwnHookOrElseTheBreakers) {
  const auto not_found_fails = [](const AttemptResult& result) -> std::optional<Outcome> {
    EXPECT_FALSE(result.outcome_by_hook.has_value());
    if (result.code == StatusCode::kNotFound) return Outcome::kFailure;
    return std::nullopt;
  };
  Policies policies = Beside(2, 2);
  policies.defaults.breaker.classify = not_found_fails;
  ShadowFixture shared(policies);
  shared.Calls(2, StatusCode::kNotFound);
  EXPECT_EQ(shared.shadow().state(), BreakerState::kOpen);

  policies.defaults.shadow_breaker->classify = [](const AttemptResult&) { return std::nullopt; };
  ShadowFixture own(policies);
  own.Calls(2, StatusCode::kNotFound);
  EXPECT_EQ(own.shadow().state(), BreakerState::kClosed);
  EXPECT_EQ(own.method->breaker->state(), BreakerState::kOpen);

  policies.defaults.shadow_breaker->classify = [](const AttemptResult&) -> std::optional<Outcome> { throw 1; };
  ShadowFixture throws(policies);
  throws.Calls(2, StatusCode::kUnavailable);
  EXPECT_EQ(throws.shadow().state(), BreakerState::kOpen) << "the table decides";
  EXPECT_EQ(throws.registry->listener_errors(), 2u);
}

TEST(ShadowBeside, IsNamedAfterWhatItsScopeSpans) {
  const std::pair<BreakerScope, const char*> names[] = {{BreakerScope::kMethod, "orders.Orders/Get#shadow"},
                                                        {BreakerScope::kService, "orders.Orders#shadow"},
                                                        {BreakerScope::kTarget, "*#shadow"}};
  for (const auto& [scope, name] : names) {
    Policies policies = Beside(2, 2);
    policies.defaults.shadow_breaker->scope = scope;
    ShadowFixture f(policies);
    EXPECT_EQ(f.registry->Find("dns:///orders", name), f.method->shadow_breaker);
  }
}

TEST(ShadowBeside, IsOneOfTheBoundedNumberOfBreakers) {
  RegistryOptions one;
  one.max_breakers = 1;
  const auto registry = Registry::Create(one);
  const auto link = Link::Create("t", Beside(2, 2), registry);
  const MethodContext& method = *link->Method("/a.B/C", {}, kStart);
  EXPECT_NE(method.breaker, nullptr);
  EXPECT_EQ(method.shadow_breaker, nullptr);
  EXPECT_EQ(registry->breakers_refused(), 1u);
}

TEST(ShadowBeside, MustBeInShadowMode) {
  Policies policies = Beside(2, 2);
  EXPECT_TRUE(policies.Validate().ok());
  policies.defaults.shadow_breaker->mode = BreakerMode::kEnforce;
  EXPECT_EQ(policies.Validate().message(), "policies.defaults.shadow_breaker.mode: enforce is not allowed; must be shadow");
  policies = Beside(2, 2);
  policies.defaults.shadow_breaker->kind = OpensAt(0);
  EXPECT_THAT(std::string(policies.Validate().message()), HasSubstr("policies.defaults.shadow_breaker.window_calls: 0"));
}

TEST(ShadowBeside, NeverChangesWhatHappensToACall) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Policies policies = RetryingPolicies();
    policies.defaults.breaker.mode = BreakerMode::kEnforce;
    policies.defaults.breaker.kind = OpensAt(*rc::gen::inRange(2, 6));
    policies.defaults.retry.retry_rejections = *rc::gen::arbitrary<bool>();
    policies.defaults.deadline = milliseconds(400);
    const SessionFixture without(policies);
    policies.defaults.shadow_breaker = ShadowOf(OpensAt(*rc::gen::inRange(2, 6)));
    const SessionFixture with(policies);

    Random random(seed);
    Time now = kStart;
    const auto play = [&](const SessionFixture& f, std::uint64_t call_seed) {
      Random codes(call_seed);
      Time t = now;
      CallSession session(*f.method, {}, call_seed);
      std::vector<std::pair<Kind, Time>> actions;
      Action action = session.Start(t, kInfiniteFuture);
      while (action.kind == Kind::kSend || action.kind == Kind::kWait) {
        actions.emplace_back(action.kind, t);
        if (action.kind == Kind::kWait) {
          t = action.wake;
          action = session.OnTimer(t);
        } else {
          t += milliseconds(20);
          action = session.OnAttemptFinished(t, Result(codes.Uniform() < 0.6 ? StatusCode::kUnavailable : StatusCode::kOk));
        }
      }
      actions.emplace_back(action.kind, t);
      return actions;
    };
    for (int call = 0; call < 30; ++call) {
      const std::uint64_t call_seed = random.Next();
      RC_ASSERT(play(with, call_seed) == play(without, call_seed));
      now += milliseconds(random.Uniform() < 0.1 ? 1000 : 30);
    }
    RC_ASSERT(with.log->events == without.log->events);
    const BreakerSnapshot shadow = with.method->shadow_breaker->Snapshot(now);
    RC_ASSERT(shadow.permits_in_flight == 0);
    RC_ASSERT(shadow.invariant_violations == 0u);
    const ShadowCounts& counts = *shadow.shadow;
    RC_ASSERT(counts.would_save <= counts.bad && counts.would_refuse_good <= counts.good);
    RC_ASSERT(counts.bad + counts.good == counts.both_admit + counts.only_shadow_rejects);
  }));
}

TEST(Shadow, AMachineThatIsDisabledByHandDecidesNothing) {
  for (const Policies& policies : {Alone(2), Beside(100, 2)}) {
    ShadowFixture f(policies);
    f.shadow().Disable(f.now);
    f.Calls(3, StatusCode::kUnavailable);
    EXPECT_EQ(f.counts().decisions(), 0u);
    EXPECT_EQ(f.counts().bad, 0u);
    EXPECT_TRUE(f.log->shadow_decisions.empty());
  }
}

TEST(Shadow, CountsOutliveASwitchToEnforcingAndAttemptsInFlightAreCountedAsTheyBegan) {
  ShadowFixture f(Alone(2));
  f.Calls(3, StatusCode::kUnavailable);
  f.shadow().Reset(f.now);
  CallSession begun_in_shadow = f.Session();
  begun_in_shadow.Start(f.now, kInfiniteFuture);
  BreakerOptions options = *f.shadow().options();
  options.mode = BreakerMode::kEnforce;
  ASSERT_TRUE(f.shadow().Reconfigure(options, f.now, Random(1)));
  CallSession begun_enforcing = f.Session();
  begun_enforcing.Start(f.now, kInfiniteFuture);
  begun_in_shadow.OnAttemptFinished(f.now, Result(StatusCode::kOk));
  EXPECT_EQ(f.counts().good, 1u);
  options.mode = BreakerMode::kShadow;
  ASSERT_TRUE(f.shadow().Reconfigure(options, f.now, Random(1)));
  begun_enforcing.OnAttemptFinished(f.now, Result(StatusCode::kOk));
  EXPECT_EQ(f.counts().good, 1u);
  EXPECT_EQ(f.counts().would_save, 1u);
  EXPECT_EQ(f.counts().decisions(), 4u);
}

TEST(Shadow, AnEnforcingBreakerHasNoCounts) {
  Policies policies = Policies::Defaults();
  ShadowFixture f(policies);
  f.Call(StatusCode::kOk);
  EXPECT_FALSE(f.method->breaker->Snapshot(f.now).shadow.has_value());
  EXPECT_TRUE(f.log->shadow_decisions.empty());
}

TEST(ExplainShadow, SaysWhatEnforcingWouldHaveDone) {
  EXPECT_EQ(ExplainShadow({}), "if you enforced this now: nothing is known yet, no attempt has come");
  ShadowFixture f(Alone(2));
  f.Calls(10, StatusCode::kOk);
  f.Calls(7, StatusCode::kUnavailable);
  f.Calls(3, StatusCode::kOk);
  EXPECT_EQ(
      ExplainShadow(f.counts()),
      "if you enforced this now: it would have spared the service 5 of 7 failing or slow attempts and refused 3 of 13 good ones, in 20 "
      "decisions");
  f.Call(StatusCode::kUnimplemented);
  EXPECT_THAT(ExplainShadow(f.counts()), HasSubstr("; 1 more refusals have no known result"));
}

TEST(ExplainShadow, ComparesWithTheEnforcedBreakerOnceThatHasRefusedSomething) {
  ShadowFixture f(Beside(4, 2));
  f.Calls(4, StatusCode::kUnavailable);
  EXPECT_THAT(ExplainShadow(f.counts()), Not(HasSubstr("agreed")));
  f.Call(StatusCode::kOk);
  EXPECT_THAT(ExplainShadow(f.counts()),
              HasSubstr("; it agreed with the enforced breaker in 3, would have refused alone in 2 and admitted alone in 0"));
}

}  // namespace
}  // namespace recloser
