#include "recloser/core/shared_breaker.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "session_fixture.h"

namespace recloser {
namespace {

constexpr AttemptInfo kUnary{};

std::shared_ptr<SharedBreaker> Make(const BreakerOptions& options, SharedBreaker::Listener listener = nullptr) {
  return std::make_shared<SharedBreaker>(BreakerId{"target", "a.B", "C"}, options, MakeBreaker(options, kStart, Random(1)), kStart,
                                         std::move(listener));
}

BreakerOptions Quick(BreakerMode mode = BreakerMode::kEnforce) {
  BreakerOptions options;
  options.mode = mode;
  options.kind = QuickBreaker();
  return options;
}

void Fail(SharedBreaker& breaker, int times) {
  for (int i = 0; i < times; ++i) breaker.Record(breaker.TryAcquire(kStart, kUnary).permit, kStart, Result(absl::StatusCode::kUnavailable));
}

TEST(BreakerId, NamesItsScope) {
  EXPECT_EQ((BreakerId{"t", "a.B", "C"}.name()), "a.B/C");
  EXPECT_EQ((BreakerId{"t", "a.B", ""}.name()), "a.B");
  EXPECT_EQ((BreakerId{"t", "", ""}.name()), "*");
}

TEST(SharedBreaker, TellsEachTransitionOnceWithItsNumbers) {
  std::vector<BreakerTransition> seen;
  const auto breaker = Make(Quick(), [&](const SharedBreaker&, const BreakerTransition& t) { seen.push_back(t); });
  Fail(*breaker, 2);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].from, BreakerState::kClosed);
  EXPECT_EQ(seen[0].to, BreakerState::kOpen);
  EXPECT_EQ(seen[0].context_failed, 2);
  EXPECT_FALSE(breaker->TryAcquire(kStart, kUnary).admitted);
  EXPECT_EQ(seen.size(), 1u);
}

// gobreaker #37, Polly PR #2953: a callback that used the breaker waited for itself.
TEST(SharedBreaker, ListenerMayReadAndResetTheBreaker) {
  std::shared_ptr<SharedBreaker> breaker;
  std::vector<std::string> seen;
  breaker = Make(Quick(), [&](const SharedBreaker& told, const BreakerTransition& t) {
    EXPECT_EQ(told.Snapshot(kStart).generation, t.generation);
    seen.push_back(std::string(StateName(t.to)));
    if (t.to == BreakerState::kOpen) breaker->Reset(kStart);
    EXPECT_EQ(seen.back(), StateName(t.to)) << "told while another transition was being told";
  });
  Fail(*breaker, 2);
  EXPECT_EQ(seen, (std::vector<std::string>{"open", "closed"}));
  EXPECT_EQ(breaker->state(), BreakerState::kClosed);
}

TEST(SharedBreaker, ListenerMayDestroyTheLastHandle) {
  std::weak_ptr<SharedBreaker> observed;
  std::shared_ptr<SharedBreaker> breaker;
  bool told = false;
  breaker = Make(Quick(), [&](const SharedBreaker& still_there, const BreakerTransition&) {
    breaker.reset();
    told = still_there.state() == BreakerState::kForcedOpen;
  });
  observed = breaker;
  breaker->ForceOpen(kStart);
  EXPECT_TRUE(told);
  EXPECT_TRUE(observed.expired());
}

TEST(SharedBreaker, GoesOnWhenTheListenerThrows) {
  int told = 0;
  const auto breaker = Make(Quick(), [&](const SharedBreaker&, const BreakerTransition&) {
    ++told;
    throw std::runtime_error("listener");
  });
  EXPECT_NO_THROW(Fail(*breaker, 2));
  EXPECT_NO_THROW(breaker->Reset(kStart));
  EXPECT_EQ(told, 2);
}

TEST(SharedBreaker, ShadowModeBlocksNothingAndTellsWhatItWouldHaveDone) {
  const auto breaker = Make(Quick(BreakerMode::kShadow));
  Fail(*breaker, 2);
  EXPECT_EQ(breaker->state(), BreakerState::kOpen);
  const Admission admission = breaker->TryAcquire(kStart, kUnary);
  EXPECT_TRUE(admission.admitted);
  EXPECT_TRUE(admission.would_reject);
  EXPECT_EQ(admission.permit.id, 0u);
  EXPECT_EQ(breaker->Snapshot(kStart).rejected, 1u);

  // What it would not have let through teaches it nothing: only its own probes do.
  EXPECT_EQ(breaker->Record(admission.permit, kStart, Result(absl::StatusCode::kOk)), Outcome::kSuccess);
  EXPECT_EQ(breaker->state(), BreakerState::kOpen);
  const Admission probe = breaker->TryAcquire(kStart + std::chrono::seconds(1), kUnary);
  EXPECT_FALSE(probe.would_reject);
  EXPECT_TRUE(probe.permit.probe);
}

TEST(SharedBreaker, ShadowModeAlsoPassesWhileForcedOpen) {
  const auto breaker = Make(Quick(BreakerMode::kShadow));
  breaker->ForceOpen(kStart);
  const Admission admission = breaker->TryAcquire(kStart, kUnary);
  EXPECT_TRUE(admission.admitted);
  EXPECT_TRUE(admission.would_reject);
}

TEST(SharedBreaker, AnEmptyPermitChangesNothing) {
  const auto breaker = Make(Quick());
  const Permit none;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(breaker->Record(none, kStart, Result(absl::StatusCode::kUnavailable)), Outcome::kFailure);
    breaker->Drop(none, kStart);
    breaker->Abandon(none);
    breaker->StreamStarted(none, kStart);
  }
  const BreakerSnapshot snapshot = breaker->Snapshot(kStart);
  EXPECT_EQ(snapshot.state, BreakerState::kClosed);
  EXPECT_EQ(snapshot.window_calls, 0);
  EXPECT_EQ(snapshot.stale_results, 0u);
}

TEST(SharedBreaker, AnAbandonedPermitComesBackWithoutMovingTheClock) {
  const auto breaker = Make(Quick());
  const Admission stream = breaker->TryAcquire(kStart, {true});
  breaker->TryAcquire(kStart + std::chrono::hours(1), kUnary);
  breaker->Abandon(stream.permit);
  const BreakerSnapshot snapshot = breaker->Snapshot(kStart + std::chrono::hours(1));
  EXPECT_EQ(snapshot.permits_in_flight, 1);
  EXPECT_EQ(snapshot.clock_anomalies, 0u);
}

// resilience4j #858: asking for the state used up half-open permits.
TEST(SharedBreaker, QueriesAreFree) {
  const auto breaker = Make(Quick());
  Fail(*breaker, 2);
  const Time later = kStart + std::chrono::seconds(2);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(breaker->state(), BreakerState::kOpen);
    EXPECT_EQ(breaker->Snapshot(later).state, BreakerState::kOpen);
    breaker->healthy_latency();
  }
  EXPECT_TRUE(breaker->TryAcquire(later, kUnary).admitted);
}

TEST(SharedBreaker, ManualControlIsIdempotent) {
  int told = 0;
  const auto breaker = Make(Quick(), [&](const SharedBreaker&, const BreakerTransition& t) {
    ++told;
    EXPECT_EQ(t.reason, TransitionReason::kManual);
  });
  for (int i = 0; i < 3; ++i) breaker->ForceOpen(kStart);
  EXPECT_EQ(told, 1);
  for (int i = 0; i < 3; ++i) breaker->Disable(kStart);
  EXPECT_EQ(told, 2);
  for (int i = 0; i < 3; ++i) breaker->Reset(kStart);
  EXPECT_EQ(told, 3);
  EXPECT_EQ(breaker->state(), BreakerState::kClosed);
}

}  // namespace
}  // namespace recloser
