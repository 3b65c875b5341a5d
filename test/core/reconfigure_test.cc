// A running breaker is given other options: every state x {the same kind, another kind, another mode}.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

#include "shared_driver.h"
#include "users_breaker.h"

namespace recloser {
namespace {

using ::testing::Combine;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Values;

constexpr BreakerState kStates[] = {BreakerState::kClosed, BreakerState::kOpen, BreakerState::kHalfOpen, BreakerState::kForcedOpen,
                                    BreakerState::kDisabled};

StandardBreakerOptions ByTime() {
  StandardBreakerOptions options = SmallStandard();
  options.window = StandardBreakerOptions::Window::kTime;
  return options;
}

BreakerOptions OfKind(const std::string& kind) {
  if (kind == "standard") return Options(SmallStandard());
  if (kind == "by_time") return Options(ByTime());
  return BreakerOptions();
}

/// Other options of the same kind, none of which decides what the tests below do next.
BreakerOptions Changed(BreakerOptions options) {
  if (auto* standard = std::get_if<StandardBreakerOptions>(&options.kind)) {
    standard->failure_rate_threshold = 0.6;
    standard->slow_call_duration = seconds(7);
    standard->permit_lease = seconds(9);
    standard->wait = seconds(3);
  } else {
    auto& adaptive = std::get<AdaptiveBreakerOptions>(options.kind);
    adaptive.wasted_attempt_cost = 5;
    adaptive.evidence_max = 15;
    adaptive.rating.open_threshold = 0.8;
    adaptive.window.max_age = seconds(20);
    adaptive.rate_time_constant = seconds(3);
    adaptive.permit_lease = seconds(9);
    adaptive.probe_interval_max = seconds(3);
  }
  return options;
}

BreakerOptions InMode(BreakerMode mode, BreakerOptions options) {
  options.mode = mode;
  return options;
}

void ExpectCountersGoOn(const BreakerSnapshot& before, const BreakerSnapshot& after) {
  EXPECT_EQ(after.rejected, before.rejected);
  EXPECT_EQ(after.stale_results, before.stale_results);
  EXPECT_EQ(after.leases_expired, before.leases_expired);
  EXPECT_EQ(after.clock_anomalies, before.clock_anomalies);
  EXPECT_EQ(after.invariant_violations, before.invariant_violations);
  EXPECT_EQ(after.probes, before.probes);
  EXPECT_EQ(after.time_in_state, before.time_in_state);
}

void ExpectAllKept(const BreakerSnapshot& before, const BreakerSnapshot& after) {
  ExpectCountersGoOn(before, after);
  EXPECT_EQ(after.state, before.state);
  EXPECT_EQ(after.generation, before.generation);
  EXPECT_EQ(after.since, before.since);
  EXPECT_EQ(after.admitted_share, before.admitted_share);
  EXPECT_EQ(after.retry_after, before.retry_after);
  EXPECT_EQ(after.window_calls, before.window_calls);
  EXPECT_EQ(after.offered_rate, before.offered_rate);
  EXPECT_EQ(after.rating, before.rating);
  EXPECT_EQ(after.scores, before.scores);
  EXPECT_EQ(after.evidence, before.evidence);
  EXPECT_EQ(after.failure_rate, before.failure_rate);
  EXPECT_EQ(after.healthy_latency, before.healthy_latency);
  EXPECT_EQ(after.permits_in_flight, before.permits_in_flight);
  EXPECT_EQ(after.probes_in_flight, before.probes_in_flight);
}

class Reconfigure : public ::testing::TestWithParam<std::tuple<BreakerState, std::string>> {
 protected:
  BreakerState state() const { return std::get<0>(GetParam()); }
  BreakerOptions options() const { return OfKind(std::get<1>(GetParam())); }
  BreakerOptions of_another_kind() const { return OfKind(std::get<1>(GetParam()) == "adaptive" ? "standard" : "adaptive"); }

  void SetUp() override {
    ASSERT_TRUE(driver_.Enter(state()));
    held_ = driver_.Acquire();
    driver_.Step(milliseconds(1));
    driver_.events.clear();
    before_ = driver_.Snapshot();
  }

  SharedDriver driver_{options()};
  Admission held_;  // in flight over the change, if it was admitted
  BreakerSnapshot before_;
};

TEST_P(Reconfigure, OptionsOfTheSameKindChangeNothingThatIsThere) {
  ASSERT_TRUE(driver_.Reconfigure(Changed(options())));
  ExpectAllKept(before_, driver_.Snapshot());
  EXPECT_THAT(driver_.events, IsEmpty());
  const auto in_force = driver_.breaker->options();
  const auto* const standard = std::get_if<StandardBreakerOptions>(&in_force->kind);
  EXPECT_EQ(standard != nullptr ? standard->permit_lease : std::get<AdaptiveBreakerOptions>(in_force->kind).permit_lease, seconds(9));
  driver_.breaker->Drop(held_.permit, driver_.now);
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, before_.permits_in_flight - (held_.permit.id != 0 ? 1 : 0));
}

TEST_P(Reconfigure, AResultOverTheChangeCountsAsItWouldHave) {
  ASSERT_TRUE(driver_.Reconfigure(Changed(options())));
  driver_.breaker->Record(held_.permit, driver_.now, Unavailable());
  EXPECT_EQ(driver_.Snapshot().stale_results, before_.stale_results);
  EXPECT_LE(driver_.Snapshot().permits_in_flight, before_.permits_in_flight);
}

TEST_P(Reconfigure, AnotherKindBeginsInTheSameState) {
  ASSERT_TRUE(driver_.Reconfigure(of_another_kind()));
  const BreakerSnapshot after = driver_.Snapshot();
  ExpectCountersGoOn(before_, after);
  EXPECT_EQ(after.state, before_.state);
  EXPECT_EQ(after.since, before_.since);
  EXPECT_GT(after.generation, before_.generation);
  EXPECT_EQ(after.permits_in_flight, 0);
  EXPECT_LE(after.retry_after, before_.retry_after);
  EXPECT_THAT(driver_.events, IsEmpty());
  EXPECT_EQ(driver_.breaker->options()->kind.index(), of_another_kind().kind.index());
}

TEST_P(Reconfigure, ResultsFromBeforeAnotherKindAreStale) {
  if (held_.permit.id == 0) GTEST_SKIP() << "nothing in flight in this state";
  ASSERT_TRUE(driver_.Reconfigure(of_another_kind()));
  // Both machines count their permits from one: an old one must not give back a new one.
  std::vector<Permit> fresh;
  for (int i = 0; i < 5; ++i) {
    if (const Admission admission = driver_.Acquire(); admission.permit.id != 0) fresh.push_back(admission.permit);
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(driver_.breaker->Record(held_.permit, driver_.now, Unavailable()), Outcome::kFailure);
  driver_.breaker->Drop(held_.permit, driver_.now);
  driver_.breaker->StreamStarted(held_.permit, driver_.now);
  EXPECT_EQ(driver_.Snapshot().stale_results, before_.stale_results + 3);
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, static_cast<std::int64_t>(fresh.size()));
  EXPECT_EQ(driver_.state(), state());
  for (const Permit& permit : fresh) {
    EXPECT_GT(permit.generation, before_.generation);
    driver_.breaker->Drop(permit, driver_.now);
  }
  EXPECT_EQ(driver_.Snapshot().permits_in_flight, 0);
}

TEST_P(Reconfigure, ThereAndBackTheKindsCountersAndTimesAddUp) {
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(driver_.Reconfigure(i % 2 == 0 ? of_another_kind() : options()));
    driver_.Calls(7, Ok());
    driver_.Step(milliseconds(100));
  }
  const BreakerSnapshot after = driver_.Snapshot();
  const Duration total = std::accumulate(after.time_in_state.begin(), after.time_in_state.end(), Duration::zero());
  EXPECT_EQ(total, driver_.now - Time(hours(1)));
  EXPECT_EQ(after.invariant_violations, 0u);
  EXPECT_GE(after.rejected, before_.rejected);
}

TEST_P(Reconfigure, TimesInStatesSaturate) {
  for (const Time now : {Time::max(), Time(hours(1)), Time::max(), Time(hours(1))}) {
    driver_.now = now;
    ASSERT_TRUE(driver_.Reconfigure(of_another_kind()));
    ASSERT_TRUE(driver_.Reconfigure(options()));
  }
  driver_.now = Time::max();
  for (const Duration spent : driver_.Snapshot().time_in_state) EXPECT_GE(spent, Duration::zero());
}

TEST_P(Reconfigure, ItRecoversUnderTheOtherKind) {
  ASSERT_TRUE(driver_.Reconfigure(of_another_kind()));
  if (state() == BreakerState::kForcedOpen || state() == BreakerState::kDisabled) driver_.breaker->Reset(driver_.now);
  EXPECT_TRUE(driver_.CallsUntil(BreakerState::kClosed, Ok()));
  BreakerState from = state();
  std::uint64_t generation = before_.generation;
  for (const BreakerTransition& event : driver_.events) {
    EXPECT_EQ(event.from, std::exchange(from, event.to));
    EXPECT_GT(event.generation, std::exchange(generation, event.generation));
  }
  if (driver_.events.empty()) return;
  EXPECT_EQ(driver_.events.front().time_in_from, driver_.events.front().at - before_.since);
}

TEST_P(Reconfigure, ModesChangeAndTheMachineStays) {
  for (const BreakerMode mode : {BreakerMode::kShadow, BreakerMode::kDisabled, BreakerMode::kShadow, BreakerMode::kEnforce}) {
    ASSERT_TRUE(driver_.Reconfigure(InMode(mode, options())));
    EXPECT_EQ(driver_.breaker->mode(), mode);
    ExpectAllKept(before_, driver_.Snapshot());
  }
  EXPECT_THAT(driver_.events, IsEmpty());
}

TEST_P(Reconfigure, AShadowAndADisabledBreakerBlockNothing) {
  const bool rejects = state() == BreakerState::kOpen || state() == BreakerState::kForcedOpen;
  const bool decided = state() != BreakerState::kHalfOpen;  // there some are admitted
  ASSERT_TRUE(driver_.Reconfigure(InMode(BreakerMode::kShadow, options())));
  const Admission shadowed = driver_.Acquire();
  EXPECT_TRUE(shadowed.admitted);
  EXPECT_TRUE(!decided || shadowed.would_reject == rejects);

  const BreakerSnapshot before = driver_.Snapshot();
  ASSERT_TRUE(driver_.Reconfigure(InMode(BreakerMode::kDisabled, options())));
  const Admission passed = driver_.Acquire();
  EXPECT_TRUE(passed.admitted && !passed.would_reject && passed.permit.id == 0);
  EXPECT_EQ(driver_.breaker->Record(passed.permit, driver_.now, Unavailable()), Outcome::kFailure);
  ExpectAllKept(before, driver_.Snapshot());

  ASSERT_TRUE(driver_.Reconfigure(options()));
  const Admission enforced = driver_.Acquire();
  EXPECT_FALSE(enforced.would_reject);
  EXPECT_TRUE(!decided || enforced.admitted != rejects);
}

// It waited for other followers of its source, or for a processor, while calls went on.
TEST_P(Reconfigure, AnUpdateThatComesLateIsNoStepOfTheClock) {
  const Time decided = driver_.now;
  for (const BreakerOptions& next : {Changed(options()), of_another_kind()}) {
    driver_.Step(seconds(5));
    driver_.breaker->Drop(driver_.Acquire().permit, driver_.now);
    ASSERT_TRUE(driver_.breaker->Reconfigure(next, decided, Random(9)));
    driver_.Step(milliseconds(1));
    driver_.Acquire();
    const BreakerSnapshot after = driver_.Snapshot();
    EXPECT_EQ(after.clock_anomalies, 0u);
    const Duration total = std::accumulate(after.time_in_state.begin(), after.time_in_state.end(), Duration::zero());
    EXPECT_EQ(total, driver_.now - Time(hours(1)));
  }
}

std::string ParamName(const ::testing::TestParamInfo<std::tuple<BreakerState, std::string>>& info) {
  return std::string(StateName(std::get<0>(info.param))) + "_" + std::get<1>(info.param);
}

INSTANTIATE_TEST_SUITE_P(States, Reconfigure, Combine(::testing::ValuesIn(kStates), Values("adaptive", "standard", "by_time")), ParamName);

// The schedule.

TEST(ReconfigureOpen, AShorterWaitHoldsAtOnceAndALongerOneFromTheNextOpeningOn) {
  const auto with_wait = [](Duration wait) {
    StandardBreakerOptions standard = SmallStandard();
    standard.wait = wait;
    return Options(standard);
  };
  SharedDriver driver(with_wait(seconds(10)));
  ASSERT_TRUE(driver.Enter(BreakerState::kOpen));
  const Time opened = driver.Snapshot().since;
  ASSERT_TRUE(driver.Reconfigure(with_wait(seconds(60))));
  EXPECT_EQ(driver.Snapshot().retry_after, opened + seconds(10) - driver.now);
  ASSERT_TRUE(driver.Reconfigure(with_wait(seconds(2))));
  EXPECT_EQ(driver.Snapshot().retry_after, opened + seconds(2) - driver.now);
  driver.Step(seconds(2));
  EXPECT_TRUE(driver.Acquire().admitted);
  EXPECT_EQ(driver.events.back().wait, Duration(seconds(2)));
}

TEST(ReconfigureOpen, TheNextProbeIsNoLaterThanTheNewOptionsAllow) {
  AdaptiveBreakerOptions rare;
  rare.probe_interval_min = rare.probe_interval_max = hours(1);
  SharedDriver driver(Options(rare));
  ASSERT_TRUE(driver.Enter(BreakerState::kOpen));
  EXPECT_GT(driver.Snapshot().retry_after, minutes(10));
  ASSERT_TRUE(driver.Reconfigure(BreakerOptions()));
  EXPECT_LE(driver.Snapshot().retry_after, milliseconds(2400));
  EXPECT_TRUE(driver.AcquireWithin(milliseconds(2400)).admitted);
}

TEST(ReconfigureOpen, FewerProbesThanAreOutIsNoViolation) {
  SharedDriver driver((BreakerOptions()));
  ASSERT_TRUE(driver.Enter(BreakerState::kOpen));
  std::vector<Permit> probes;
  for (int i = 0; i < 3; ++i) probes.push_back(driver.AcquireWithin(seconds(3)).permit);
  AdaptiveBreakerOptions single;
  single.probes_in_flight_max = 1;
  ASSERT_TRUE(driver.Reconfigure(Options(single)));
  driver.Step(milliseconds(500));
  EXPECT_FALSE(driver.Acquire().admitted);
  for (const Permit& probe : probes) driver.breaker->Record(probe, driver.now, Ok());
  ASSERT_TRUE(driver.CallsUntil(BreakerState::kClosed, Ok()));
  EXPECT_EQ(driver.Snapshot().invariant_violations, 0u);
}

TEST(ReconfigureHalfOpen, FewerPermittedCallsThanHaveEndedStillDecide) {
  for (const int permitted : {1, 3, 5, 20}) {
    StandardBreakerOptions ten = SmallStandard();
    ten.permitted_half_open_calls = 10;
    SharedDriver driver(Options(ten));
    ASSERT_TRUE(driver.Enter(BreakerState::kHalfOpen));
    driver.Calls(3, Ok());
    const Permit out = driver.Acquire().permit;
    StandardBreakerOptions fewer = ten;
    fewer.permitted_half_open_calls = permitted;
    ASSERT_TRUE(driver.Reconfigure(Options(fewer)));
    EXPECT_EQ(driver.state(), BreakerState::kHalfOpen) << permitted;
    driver.breaker->Drop(out, driver.now);
    int needed = 0;
    while (driver.state() == BreakerState::kHalfOpen && driver.Call(Ok())) ++needed;
    EXPECT_EQ(driver.state(), BreakerState::kClosed) << permitted;
    EXPECT_EQ(needed, std::max(permitted - 4, 1)) << permitted;
    EXPECT_EQ(driver.Snapshot().invariant_violations, 0u);
  }
}

// The windows.

TEST(ReconfigureWindow, AnotherSizeKeepsTheNewestCalls) {
  StandardBreakerOptions options = SmallStandard();
  options.window_calls = 8;
  options.failure_rate_threshold = 1;
  options.minimum_calls = 1000;
  SharedDriver driver(Options(options));
  driver.Calls(4, Ok());
  driver.Calls(4, Unavailable());
  driver.Calls(3, Ok());  // o ffff ooo
  const auto resize = [&](int calls) {
    options.window_calls = calls;
    EXPECT_TRUE(driver.Reconfigure(Options(options)));
  };
  resize(20);
  EXPECT_EQ(driver.Snapshot().window_calls, 8);
  EXPECT_EQ(driver.Snapshot().failure_rate, 0.5);
  resize(5);
  EXPECT_EQ(driver.Snapshot().window_calls, 5);
  EXPECT_EQ(driver.Snapshot().failure_rate, 0.4);
  driver.Calls(2, Ok());
  EXPECT_EQ(driver.Snapshot().failure_rate, 0.0);
}

TEST(ReconfigureWindow, ByTimeTheCallsKeepTheirAges) {
  StandardBreakerOptions options = ByTime();
  options.failure_rate_threshold = 1;
  options.minimum_calls = 1000;
  SharedDriver driver(Options(options));
  for (int i = 0; i < 8; ++i) {
    driver.Call(i < 4 ? Unavailable() : Ok());
    driver.Step(milliseconds(975));
  }
  options.window_time = seconds(5);
  ASSERT_TRUE(driver.Reconfigure(Options(options)));
  EXPECT_GE(driver.Snapshot().window_calls, 4);
  EXPECT_LE(driver.Snapshot().failure_rate, 0.2);
  options.window_time = minutes(1);
  ASSERT_TRUE(driver.Reconfigure(Options(options)));
  const std::int64_t calls = driver.Snapshot().window_calls;
  driver.Step(seconds(50));
  EXPECT_EQ(driver.Snapshot().window_calls, calls);
  driver.Step(seconds(11));
  EXPECT_EQ(driver.Snapshot().window_calls, 0);
}

TEST(ReconfigureWindow, ByTimeTheCallsAreKeptAtTheEndOfTime) {
  StandardBreakerOptions options = ByTime();
  SharedDriver driver(Options(options));
  driver.now = Time::max();
  for (int i = 0; i < 3; ++i) driver.End(driver.Acquire().permit, Ok());
  options.window_time = minutes(1);
  ASSERT_TRUE(driver.Reconfigure(Options(options)));
  EXPECT_EQ(driver.Snapshot().window_calls, 3);
}

TEST(ReconfigureWindow, BetweenCountAndTimeTheSharesStay) {
  StandardBreakerOptions count = SmallStandard();
  count.window_calls = 100;
  count.failure_rate_threshold = 1;
  count.minimum_calls = 100000;
  StandardBreakerOptions time = count;
  time.window = StandardBreakerOptions::Window::kTime;
  SharedDriver driver(Options(count));
  for (int i = 0; i < 200; ++i) driver.Call(i % 4 == 0 ? Unavailable() : Ok());
  for (const StandardBreakerOptions& options : {time, count, time, count}) {
    ASSERT_TRUE(driver.Reconfigure(Options(options)));
    EXPECT_EQ(driver.Snapshot().window_calls, 100);
    EXPECT_EQ(driver.Snapshot().failure_rate, 0.25);
    EXPECT_EQ(driver.Snapshot().slow_call_rate, 0.0);
  }
  // One slice with more calls than fit.
  ASSERT_TRUE(driver.Reconfigure(Options(time)));
  count.window_calls = 8;
  ASSERT_TRUE(driver.Reconfigure(Options(count)));
  EXPECT_EQ(driver.Snapshot().window_calls, 8);
  EXPECT_EQ(driver.Snapshot().failure_rate, 0.25);
}

TEST(ReconfigureWindow, ScoresFollowTheirMetricsToOtherPlaces) {
  SharedDriver driver((BreakerOptions()));
  driver.Calls(18, Ok());
  driver.Calls(2, Unavailable());
  const BreakerSnapshot before = driver.Snapshot();
  ASSERT_THAT(before.scores, Contains(Key("errors")));
  AdaptiveBreakerOptions other;
  other.rating.metrics = {{std::make_shared<AmbientMetric>("load", seconds(5)), 1}, {ThroughputMetric(), 1}, {ErrorsMetric(), 2}};
  other.rating.open_threshold = 0.7;
  ASSERT_TRUE(driver.Reconfigure(Options(other)));
  const BreakerSnapshot after = driver.Snapshot();
  EXPECT_THAT(after.scores, Not(Contains(Key("latency"))));
  EXPECT_THAT(after.scores, Not(Contains(Key("load"))));
  for (const auto& score : after.scores) EXPECT_THAT(before.scores, Contains(score));
  EXPECT_EQ(after.scores.size(), 2u);
  EXPECT_EQ(after.rating, before.rating);
  EXPECT_EQ(after.window_calls, before.window_calls);
  EXPECT_EQ(after.evidence, before.evidence);
}

TEST(ReconfigureWindow, NoCallIsNeededTwiceWhenTheEvidenceLimitFalls) {
  AdaptiveBreakerOptions slow;
  slow.evidence_min = slow.evidence_max = 20;
  slow.consecutive_bad = 1000;
  SharedDriver driver(Options(slow));
  driver.Calls(20, Ok());
  driver.Calls(10, Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  ASSERT_TRUE(driver.Reconfigure(BreakerOptions()));
  EXPECT_EQ(driver.state(), BreakerState::kClosed);
  driver.Call(Unavailable());
  EXPECT_EQ(driver.state(), BreakerState::kOpen);
}

// Breakers of the user's own.

/// Knows only what it must.
class Plain final : public IdleBreaker {
 public:
  Admission TryAcquire(Time, const AttemptInfo&) override {
    Admission admission;
    admission.admitted = state_ != BreakerState::kForcedOpen;
    if (admission.admitted) admission.permit.id = ++granted_;
    return admission;
  }
  Outcome Record(const Permit& permit, Time now, const AttemptResult& result) override {
    if (permit.id != 0) ++recorded;
    return IdleBreaker::Record(permit, now, result);
  }
  void ForceOpen(Time) override { state_ = BreakerState::kForcedOpen; }
  void Disable(Time) override { state_ = BreakerState::kDisabled; }
  void Reset(Time) override { state_ = BreakerState::kClosed; }
  BreakerState state() const override { return state_; }
  BreakerSnapshot Snapshot(Time) const override {
    BreakerSnapshot snapshot;
    snapshot.state = state_;
    return snapshot;
  }
  static inline int recorded = 0;

 private:
  BreakerState state_ = BreakerState::kClosed;
  std::uint64_t granted_ = 0;
};

BreakerOptions Custom(CustomBreaker::Factory factory) {
  return Options(CustomBreaker{"plain", std::make_shared<const CustomBreaker::Factory>(std::move(factory))});
}
BreakerOptions PlainBreaker() {
  return Custom([](Time, Random) { return std::make_unique<Plain>(); });
}

TEST(ReconfigureCustom, AStateThatCannotBeKeptIsToldAsAnEvent) {
  SharedDriver driver(Options(SmallStandard()));
  ASSERT_TRUE(driver.Enter(BreakerState::kOpen));
  const BreakerSnapshot before = driver.Snapshot();
  driver.events.clear();
  driver.Step(milliseconds(300));
  ASSERT_TRUE(driver.Reconfigure(PlainBreaker()));
  ASSERT_EQ(driver.events.size(), 1u);
  const BreakerTransition& event = driver.events.front();
  EXPECT_EQ(event.from, BreakerState::kOpen);
  EXPECT_EQ(event.to, BreakerState::kClosed);
  EXPECT_EQ(event.reason, TransitionReason::kConfig);
  EXPECT_EQ(event.at, driver.now);
  EXPECT_EQ(event.time_in_from, driver.now - before.since);
  EXPECT_EQ(event.admitted_share, 1);
  EXPECT_GT(event.generation, before.generation);
  EXPECT_EQ(driver.Snapshot().generation, event.generation);
  EXPECT_EQ(driver.Snapshot().rejected, before.rejected);
}

TEST(ReconfigureCustom, ManualStatesAreKeptAndOldResultsStale) {
  for (const BreakerState state : {BreakerState::kForcedOpen, BreakerState::kDisabled}) {
    SharedDriver driver(Options(SmallStandard()));
    const Permit old = driver.Acquire().permit;
    ASSERT_TRUE(driver.Enter(state));
    driver.events.clear();
    ASSERT_TRUE(driver.Reconfigure(PlainBreaker()));
    EXPECT_EQ(driver.state(), state);
    EXPECT_THAT(driver.events, IsEmpty());
    Plain::recorded = 0;
    driver.breaker->Record(old, driver.now, Ok());
    EXPECT_EQ(Plain::recorded, 0);
    EXPECT_EQ(driver.Snapshot().stale_results, 1u);
    driver.breaker->Reset(driver.now);
    driver.breaker->Record(driver.Acquire().permit, driver.now, Ok());
    EXPECT_EQ(Plain::recorded, 1);
  }
}

TEST(ReconfigureCustom, OneThatCannotBeMadeChangesNothing) {
  const CustomBreaker::Factory factories[] = {
      [](Time, Random) -> std::unique_ptr<CircuitBreaker> { throw std::runtime_error("factory"); },
      [](Time, Random) -> std::unique_ptr<CircuitBreaker> { return nullptr; },
  };
  for (const CustomBreaker::Factory& factory : factories) {
    SharedDriver driver(Options(SmallStandard()));
    ASSERT_TRUE(driver.Enter(BreakerState::kOpen));
    const BreakerSnapshot before = driver.Snapshot();
    const auto options = driver.breaker->options();
    EXPECT_FALSE(driver.Reconfigure(Custom(factory)));
    ExpectAllKept(before, driver.Snapshot());
    EXPECT_EQ(driver.breaker->options(), options);
  }
}

TEST(ReconfigureCustom, TheSameFactoryIsTheSameMachine) {
  const BreakerOptions options = PlainBreaker();
  SharedDriver driver(options);
  driver.breaker->ForceOpen(driver.now);
  const std::uint64_t generation = driver.Snapshot().generation;
  ASSERT_TRUE(driver.Reconfigure(InMode(BreakerMode::kShadow, options)));
  EXPECT_EQ(driver.Snapshot().generation, generation);
  EXPECT_EQ(driver.state(), BreakerState::kForcedOpen);
}

// A listener that does what it likes with the breaker while it changes.
TEST(ReconfigureListener, MayReadResetAndReconfigure) {
  const BreakerOptions options = Options(SmallStandard());
  const Time now = Time(hours(1));
  std::vector<BreakerState> entered;
  std::shared_ptr<SharedBreaker> watched;
  watched = std::make_shared<SharedBreaker>(BreakerId{"t", "s", "m"}, options, MakeBreaker(options, now, Random(1)), now,
                                            [&](const SharedBreaker& b, const BreakerTransition& t) {
                                              entered.push_back(t.to);
                                              EXPECT_NE(b.options(), nullptr);
                                              if (t.to != BreakerState::kForcedOpen) return;
                                              EXPECT_TRUE(watched->Reconfigure(PlainBreaker(), now, Random(2)));
                                              watched->Reset(now);
                                              EXPECT_TRUE(watched->Reconfigure(options, now, Random(2)));
                                            });
  watched->ForceOpen(now);
  EXPECT_EQ(watched->state(), BreakerState::kClosed);
  EXPECT_THAT(entered, ElementsAre(BreakerState::kForcedOpen));  // `Plain` tells nothing of its own
}

TEST(ReconfigureListener, WhatTheOldOptionsHeldMayAskTheBreakerWhenItDies) {
  struct Asks {
    std::weak_ptr<SharedBreaker> breaker;
    bool* asked;
    ~Asks() {
      if (const auto living = breaker.lock()) *asked = living->state() == BreakerState::kClosed;
    }
  };
  for (const BreakerOptions& next : {Options(AdaptiveBreakerOptions()), Options(SmallStandard())}) {
    bool asked = false;
    auto asks = std::make_shared<Asks>(Asks{{}, &asked});
    const std::weak_ptr<Asks> hooked = asks;
    BreakerOptions options;
    options.classify = [held = std::exchange(asks, nullptr)](const AttemptResult&) { return std::nullopt; };
    SharedDriver driver(options);
    hooked.lock()->breaker = driver.breaker;
    options.classify = nullptr;
    ASSERT_TRUE(driver.Reconfigure(next));
    EXPECT_TRUE(asked);
  }
}

}  // namespace
}  // namespace recloser
