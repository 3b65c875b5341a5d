// What holds for every call, whatever happens to it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "recloser/core/call_session.h"
#include "session_fixture.h"

namespace recloser {
namespace {

using absl::StatusCode;
using Kind = Action::Kind;

AttemptResult RandomResult(Random& random) {
  AttemptResult result;
  if (random.Uniform() < 0.3) return result;
  result.code = static_cast<StatusCode>(1 + static_cast<int>(random.Uniform() * 16));
  if (random.Uniform() < 0.5) result.code = StatusCode::kUnavailable;
  result.cancelled_by_caller = random.Uniform() < 0.05;
  result.rejected_by_recloser = random.Uniform() < 0.05;
  result.attempt_timed_out = random.Uniform() < 0.1;
  if (random.Uniform() < 0.2) result.pushback = ParsePushback(random.Uniform() < 0.5 ? "-1" : "40");
  return result;
}

struct Outcomes {
  int sends = 0;
  int endings = 0;  // actions that complete the call
};

/// Any event at any time, also those that make no sense now; then perhaps nothing more.
Outcomes Play(CallSession& session, Time* now, Random& random) {
  Outcomes outcomes;
  const auto take = [&](const Action& action) {
    outcomes.sends += action.kind == Kind::kSend ? 1 : 0;
    outcomes.endings += action.kind == Kind::kDeliver || action.kind == Kind::kReject || action.kind == Kind::kCancel ? 1 : 0;
    if (action.kind == Kind::kWait && random.Uniform() < 0.8) *now = std::max(*now, action.wake);
  };
  take(session.Start(*now, random.Uniform() < 0.5 ? kInfiniteFuture : *now + kMs * static_cast<int>(random.Uniform() * 200)));
  const int events = static_cast<int>(random.Uniform() * 20);
  for (int i = 0; i < events; ++i) {
    *now += kMs * static_cast<int>(random.Uniform() * 30 - 2);
    const double dice = random.Uniform();
    if (dice < 0.45) take(session.OnAttemptFinished(*now, RandomResult(random)));
    if (dice > 0.45 && dice < 0.85) take(session.OnTimer(*now));
    if (dice > 0.85 && dice < 0.90) take(session.OnCancelled(*now));
    if (dice > 0.90 && dice < 0.95) session.OnStreamMessage(*now);
    if (dice > 0.99) session.ForbidRetries(RetrySuppressed::kUnsupportedMessage);
  }
  return outcomes;
}

TEST(CallSessionProperty, EveryCallEndsOnceAndGivesEverythingBack) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Random random(seed);
    Policies policies = RetryingPolicies();
    policies.defaults.retry.max_attempts = *rc::gen::inRange(1, 6);
    policies.defaults.retry.retry_rejections = *rc::gen::arbitrary<bool>();
    policies.defaults.breaker.mode = *rc::gen::element(BreakerMode::kEnforce, BreakerMode::kShadow);
    if (*rc::gen::arbitrary<bool>()) policies.defaults.breaker.kind = QuickBreaker();
    if (*rc::gen::arbitrary<bool>()) policies.defaults.attempt_timeout = std::chrono::milliseconds(20);
    if (*rc::gen::arbitrary<bool>()) policies.defaults.deadline = std::chrono::milliseconds(100);
    MethodTraits traits;
    traits.streaming = *rc::gen::element(false, false, true);
    traits.server_streaming = traits.streaming && *rc::gen::arbitrary<bool>();
    policies.defaults.retry.retry_server_streams = *rc::gen::arbitrary<bool>();
    const SessionFixture f(policies, traits);

    Time now = kStart;
    for (int call = 0; call < 10; ++call) {
      f.log->Take();
      bool finished = false;
      Outcomes outcomes;
      int attempts = 0;
      {
        CallSession session = f.Session();
        outcomes = Play(session, &now, random);
        finished = session.finished();
        attempts = session.attempts();
      }
      const bool succeeded = f.log->events.back().rfind("end OK", 0) == 0;
      RC_ASSERT(f.log->Count("call") == 1);
      RC_ASSERT(f.log->Count("end ") == 1);
      RC_ASSERT(outcomes.endings == (finished ? 1 : 0));
      RC_ASSERT(outcomes.sends == attempts);
      const bool repeatable = !traits.streaming || (traits.server_streaming && policies.defaults.retry.retry_server_streams);
      RC_ASSERT(attempts <= (repeatable ? policies.defaults.retry.max_attempts : 1));
      RC_ASSERT(f.log->Count("no retry ") == (succeeded ? 0 : 1));
      // "attempt 1" when it starts, "attempt 1 CODE outcome" when it ends.
      RC_ASSERT(f.log->Count("attempt ") == 2 * attempts);
      // A first attempt after a rejection is a retry too.
      const int retries = f.log->Count("retried ");
      RC_ASSERT(retries == std::max(0, attempts - 1) || (policies.defaults.retry.retry_rejections && retries == attempts));
      RC_ASSERT(f.permits(now) == 0);
      RC_ASSERT(f.method->breaker->Snapshot(now).invariant_violations == 0u);
    }
  }));
}

// grpc #39935, PR #43147; grpc-java #10838: a cancellation at the instant the back-off's timer fires completed the call twice, or never.
TEST(CallSessionProperty, CancellationAndTimerAtOneInstantCompleteTheCallOnce) {
  const SessionFixture f(RetryingPolicies());
  constexpr int kRounds = 100'000;
  Random random(5);
  int completed = 0;
  for (int round = 0; round < kRounds; ++round) {
    // The budget is not what this is about.
    for (int i = 0; i < 10; ++i) f.method->budget->Deposit();
    CallSession session = f.Session();
    session.Start(kStart, kInfiniteFuture);
    const Action wait = session.OnAttemptFinished(kStart, Result(StatusCode::kUnavailable));
    ASSERT_EQ(wait.kind, Kind::kWait);
    int endings = 0;
    if (random.Uniform() < 0.5) {
      endings += session.OnCancelled(wait.wake).kind == Kind::kCancel ? 1 : 0;
      EXPECT_EQ(session.OnTimer(wait.wake).kind, Kind::kNone);
    } else {
      ASSERT_EQ(session.OnTimer(wait.wake).kind, Kind::kSend);
      EXPECT_EQ(session.OnCancelled(wait.wake).kind, Kind::kNone);
      AttemptResult cancelled = Result(StatusCode::kCancelled);
      cancelled.cancelled_by_caller = true;
      endings += session.OnAttemptFinished(wait.wake, cancelled).kind == Kind::kDeliver ? 1 : 0;
    }
    ASSERT_EQ(endings, 1);
    ASSERT_TRUE(session.finished());
    EXPECT_EQ(session.OnTimer(wait.wake).kind, Kind::kNone);
    EXPECT_EQ(session.OnCancelled(wait.wake).kind, Kind::kNone);
    EXPECT_EQ(session.OnAttemptFinished(wait.wake, Result(StatusCode::kOk)).kind, Kind::kNone);
    completed += f.log->Count("end CANCELLED local");
    f.log->Take();
  }
  EXPECT_EQ(completed, kRounds);
}

}  // namespace
}  // namespace recloser
