// The session's order of events and actions: one call at a time, each step in virtual time.
#include "recloser/core/call_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "session_fixture.h"

namespace recloser {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = Action::Kind;

Policies WithBreaker(Policies policies = RetryingPolicies(), BreakerMode mode = BreakerMode::kEnforce) {
  policies.defaults.breaker.mode = mode;
  policies.defaults.breaker.kind = QuickBreaker();
  return policies;
}

void Open(const SessionFixture& f) {
  CallOverrides once;
  once.max_attempts = 1;
  for (int i = 0; i < 2; ++i) {
    CallSession session = f.Session(once);
    Time now = kStart;
    f.RunToEnd(session, &now, StatusCode::kUnavailable);
  }
  ASSERT_EQ(f.method->breaker->state(), BreakerState::kOpen);
  f.log->Take();
}

TEST(CallSession, AHealthyCallIsOneAttempt) {
  SessionFixture f(WithBreaker());
  CallSession session = f.Session();
  const Action send = session.Start(kStart, kStart + seconds(5));
  EXPECT_EQ(send.kind, Kind::kSend);
  EXPECT_EQ(send.deadline, kStart + seconds(5));
  EXPECT_FALSE(send.deadline_is_attempt_timeout);
  EXPECT_EQ(f.permits(kStart), 1);
  EXPECT_EQ(session.OnAttemptFinished(kStart + kMs, Result(StatusCode::kOk)).kind, Kind::kDeliver);
  EXPECT_TRUE(session.finished());
  EXPECT_EQ(f.permits(kStart), 0);
  EXPECT_THAT(f.log->events, ElementsAre("call", "attempt 1", "attempt 1 OK success", "end OK server 1"));
}

TEST(CallSession, AFailureIsRetriedAfterABackoffThatHoldsNoPermit) {
  SessionFixture f(WithBreaker());
  CallSession session = f.Session();
  session.Start(kStart, kInfiniteFuture);
  const Action wait = session.OnAttemptFinished(kStart, Result(StatusCode::kUnavailable));
  ASSERT_EQ(wait.kind, Kind::kWait);
  EXPECT_GE(wait.wake, kStart);
  EXPECT_LE(wait.wake, kStart + milliseconds(25));
  EXPECT_EQ(f.permits(kStart), 0);
  EXPECT_EQ(session.OnTimer(wait.wake).kind, Kind::kSend);
  EXPECT_EQ(session.attempts(), 2);
  EXPECT_EQ(session.OnAttemptFinished(wait.wake, Result(StatusCode::kOk)).kind, Kind::kDeliver);
  EXPECT_THAT(f.log->events, ElementsAre("call", "attempt 1", "attempt 1 UNAVAILABLE failure", "retry code", "attempt 2",
                                         "attempt 2 OK success", "retried code success", "end OK server 2"));
}

TEST(CallSession, ATimerThatFiresEarlyWaitsForTheRest) {
  SessionFixture f(RetryingPolicies());
  CallSession session = f.Session();
  session.Start(kStart, kInfiniteFuture);
  AttemptResult result = Result(StatusCode::kUnavailable);
  result.pushback = ParsePushback("100");
  ASSERT_EQ(session.OnAttemptFinished(kStart, result).wake, kStart + milliseconds(100));
  const Action again = session.OnTimer(kStart + milliseconds(60));
  EXPECT_EQ(again.kind, Kind::kWait);
  EXPECT_EQ(again.wake, kStart + milliseconds(100));
  EXPECT_EQ(f.log->Count("retry "), 1);
}

// Order of the policies: the breaker sees attempts, so one call's attempts can open it; the call then ends with its last real result.
TEST(CallSession, ABreakerThatOpensBetweenAttemptsEndsTheCallWithTheLastRealResult) {
  SessionFixture f(WithBreaker());
  CallSession session = f.Session();
  Time now = kStart;
  EXPECT_EQ(f.RunToEnd(session, &now, StatusCode::kUnavailable).kind, Kind::kDeliver);
  EXPECT_EQ(session.attempts(), 2);  // of three: two failures open this breaker
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kOpen);
  EXPECT_THAT(f.log->events,
              ElementsAre("call", "attempt 1", "attempt 1 UNAVAILABLE failure", "retry code", "attempt 2", "attempt 2 UNAVAILABLE failure",
                          "retried code failure", "retry code", "rejected", "no retry breaker_open", "end UNAVAILABLE server 2"));
}

TEST(CallSession, AnOpenBreakerRejectsTheFirstAttemptWithoutARetry) {
  SessionFixture f(WithBreaker());
  Open(f);
  CallSession session = f.Session();
  const Action action = session.Start(kStart, kInfiniteFuture);
  ASSERT_EQ(action.kind, Kind::kReject);
  EXPECT_EQ(action.rejection.state, BreakerState::kOpen);
  EXPECT_EQ(action.rejection.retry_after, seconds(1));
  EXPECT_TRUE(session.finished());
  EXPECT_THAT(f.log->events, ElementsAre("call", "rejected", "no retry breaker_open", "end UNAVAILABLE local 0"));
}

TEST(CallSession, ARejectionIsRetriedWhenThePolicySaysSo) {
  Policies policies = WithBreaker();
  policies.defaults.retry.retry_rejections = true;
  SessionFixture f(policies);
  Open(f);
  CallSession session = f.Session();
  const Action wait = session.Start(kStart, kInfiniteFuture);
  ASSERT_EQ(wait.kind, Kind::kWait);
  EXPECT_GE(wait.wake, kStart + seconds(1));
  EXPECT_EQ(session.attempts(), 0);
  EXPECT_EQ(session.OnTimer(wait.wake).kind, Kind::kSend);
  EXPECT_EQ(session.OnAttemptFinished(wait.wake, Result(StatusCode::kOk)).kind, Kind::kDeliver);
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kClosed);
}

TEST(CallSession, RetriedRejectionsCountAsTriesAndKeepTheDeadline) {
  Policies policies = WithBreaker();
  policies.defaults.retry.retry_rejections = true;
  SessionFixture f(policies);
  f.method->breaker->ForceOpen(kStart);
  CallSession forced = f.Session();
  EXPECT_EQ(forced.Start(kStart, kInfiniteFuture).kind, Kind::kReject) << "a breaker held open by hand has no next probe";
  f.method->breaker->Reset(kStart);
  Open(f);

  CallSession late = f.Session();
  EXPECT_EQ(late.Start(kStart, kStart + milliseconds(999)).kind, Kind::kReject);

  // Somebody else takes the one probe each time.
  CallSession patient = f.Session();
  Action action = patient.Start(kStart, kInfiniteFuture);
  int waits = 0;
  while (action.kind == Kind::kWait) {
    ++waits;
    f.method->breaker->TryAcquire(action.wake, {});
    action = patient.OnTimer(action.wake);
  }
  EXPECT_EQ(action.kind, Kind::kReject);
  EXPECT_EQ(waits, 2);
}

// Kratos #2777, go-zero #3837: own rejections entered the window and kept the breaker open.
TEST(CallSession, OwnRejectionsNeverEnterTheWindowAndTheBreakerRecoversUnderLoad) {
  SessionFixture f(WithBreaker());
  Open(f);
  for (Time now = kStart; now < kStart + seconds(1); now += kMs) {
    CallSession session = f.Session();
    ASSERT_EQ(session.Start(now, kInfiniteFuture).kind, Kind::kReject);
  }
  const Time now = kStart + seconds(1);
  CallSession probe = f.Session();
  ASSERT_EQ(probe.Start(now, kInfiniteFuture).kind, Kind::kSend);
  probe.OnAttemptFinished(now, Result(StatusCode::kOk));
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kClosed);
  EXPECT_EQ(f.method->breaker->Snapshot(now).window_calls, 0);
}

// grpc-spring #917: a rejection and the service's own UNAVAILABLE looked alike. Here: a Recloser stacked below rejected.
TEST(CallSession, ARejectionFromBelowIsNeitherRetriedNorJudged) {
  Policies policies = WithBreaker();
  policies.defaults.breaker.classify = [](const AttemptResult&) {
    ADD_FAILURE() << "the hook judges the service's answers only";
    return Outcome::kFailure;
  };
  SessionFixture f(policies);
  for (int i = 0; i < 5; ++i) {
    CallSession session = f.Session();
    session.Start(kStart, kInfiniteFuture);
    AttemptResult result = Result(StatusCode::kUnavailable);
    result.rejected_by_recloser = true;
    EXPECT_EQ(session.OnAttemptFinished(kStart, result).kind, Kind::kDeliver);
  }
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kClosed);
  EXPECT_EQ(f.method->budget->tokens(), 100);
  EXPECT_EQ(f.log->Count("attempt 1 UNAVAILABLE ignored"), 5);
  EXPECT_EQ(f.log->Count("no retry not_retryable"), 5);
  EXPECT_EQ(f.log->Count("end UNAVAILABLE local 1"), 5);
}

TEST(CallSession, ShadowModeSendsAndSaysWhatItWouldHaveDone) {
  SessionFixture f(WithBreaker(RetryingPolicies(), BreakerMode::kShadow));
  Open(f);
  CallSession session = f.Session();
  EXPECT_EQ(session.Start(kStart, kInfiniteFuture).kind, Kind::kSend);
  EXPECT_EQ(session.OnAttemptFinished(kStart, Result(StatusCode::kOk)).kind, Kind::kDeliver);
  EXPECT_THAT(f.log->events, ElementsAre("call", "would reject", "attempt 1", "attempt 1 OK success", "end OK server 1"));
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kOpen);
}

TEST(CallSession, ABypassedBreakerIsNeitherAskedNorTold) {
  SessionFixture f(WithBreaker());
  CallOverrides bypass;
  bypass.bypass_breaker = true;
  for (int i = 0; i < 3; ++i) {
    CallSession session = f.Session(bypass);
    Time now = kStart;
    f.RunToEnd(session, &now, StatusCode::kUnavailable);
    EXPECT_EQ(session.attempts(), 3);
  }
  EXPECT_EQ(f.method->breaker->Snapshot(kStart).window_calls, 0);
  f.method->breaker->ForceOpen(kStart);
  CallSession session = f.Session(bypass);
  EXPECT_EQ(session.Start(kStart, kInfiniteFuture).kind, Kind::kSend);
}

// hindsight #3130: a call sleeping in back-off held the only slot.
TEST(CallSession, ACallInBackoffDoesNotBlockTheOnlyProbe) {
  SessionFixture f(WithBreaker());
  Open(f);
  const Time now = kStart + seconds(1);
  CallSession a = f.Session();
  ASSERT_EQ(a.Start(now, kInfiniteFuture).kind, Kind::kSend);
  CallSession b = f.Session();
  ASSERT_EQ(b.Start(now, kInfiniteFuture).kind, Kind::kReject) << "the one probe is out";
  AttemptResult ignored = Result(StatusCode::kUnimplemented);
  a.OnAttemptFinished(now, ignored);
  CallSession c = f.Session();
  EXPECT_EQ(c.Start(now, kInfiniteFuture).kind, Kind::kSend);

  SessionFixture plain(WithBreaker());
  CallSession sleeping = plain.Session();
  sleeping.Start(kStart, kInfiniteFuture);
  ASSERT_EQ(sleeping.OnAttemptFinished(kStart, Result(StatusCode::kUnavailable)).kind, Kind::kWait);
  EXPECT_EQ(plain.permits(kStart), 0);
}

TEST(CallSession, AStreamIsGatedAndJudgedButNeverRetried) {
  MethodTraits stream;
  stream.streaming = true;
  SessionFixture f(WithBreaker(), stream);
  CallOverrides many;
  many.max_attempts = 5;
  CallSession session = f.Session(many);
  EXPECT_FALSE(session.may_retry());
  session.Start(kStart, kInfiniteFuture);
  for (int i = 0; i < 3; ++i) session.OnStreamMessage(kStart);
  EXPECT_EQ(session.OnAttemptFinished(kStart, Result(StatusCode::kUnavailable)).kind, Kind::kDeliver);
  EXPECT_THAT(f.log->events,
              ElementsAre("call", "attempt 1", "attempt 1 UNAVAILABLE failure", "no retry committed", "end UNAVAILABLE server 1"));
}

TEST(CallSession, ALongStreamIsNotInFlightAfterItsFirstMessageAndStillJudgedByItsEnd) {
  MethodTraits stream;
  stream.streaming = true;
  SessionFixture f(WithBreaker(), stream);
  CallSession first = f.Session();
  CallSession second = f.Session();
  for (CallSession* const session : {&first, &second}) session->Start(kStart, kInfiniteFuture);
  EXPECT_EQ(f.permits(kStart), 2);
  for (CallSession* const session : {&first, &second}) session->OnStreamMessage(kStart);
  EXPECT_EQ(f.permits(kStart), 0);
  const Time end = kStart + std::chrono::hours(1);
  for (CallSession* const session : {&first, &second}) session->OnAttemptFinished(end, Result(StatusCode::kUnavailable));
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kOpen) << "two failures in a row";
  EXPECT_EQ(f.permits(end), 0);
  EXPECT_EQ(f.method->breaker->Snapshot(end).stale_results, 0u);
}

TEST(CallSession, AStreamDroppedAfterItsFirstMessageLeavesNothing) {
  MethodTraits stream;
  stream.streaming = true;
  SessionFixture f(WithBreaker(), stream);
  {
    CallSession session = f.Session();
    session.Start(kStart, kInfiniteFuture);
    session.OnStreamMessage(kStart);
  }
  EXPECT_EQ(f.permits(kStart), 0);
  EXPECT_EQ(f.method->breaker->Snapshot(kStart).invariant_violations, 0u);
  EXPECT_EQ(f.log->events.back(), "end CANCELLED local 1");
}

TEST(CallSession, ALongStreamGivesItsProbeBackAtTheFirstMessage) {
  MethodTraits stream;
  stream.streaming = true;
  SessionFixture f(WithBreaker(), stream);
  Open(f);
  CallSession session = f.Session();
  ASSERT_EQ(session.Start(kStart + seconds(1), kInfiniteFuture).kind, Kind::kSend);
  session.OnStreamMessage(kStart + seconds(1));
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kClosed);
  EXPECT_EQ(f.method->breaker->Snapshot(kStart + seconds(1)).probes_in_flight, 0);
}

// The user's own code may throw anywhere (s3-orchestrator #424, failsafe-go): the call goes on, the probe's permit comes back.
class ThrowingObserver final : public Observer, public MethodObserver, public std::enable_shared_from_this<ThrowingObserver> {
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return shared_from_this(); }
  void OnTransition(const SharedBreaker&, const BreakerTransition&) override { throw 1; }
  void OnProblem(const Problem&) override { throw 1; }
  void OnCallStarted() override { throw std::runtime_error("x"); }
  void OnCallFinished(const CallFinished&) override { throw 1; }
  void OnAttemptStarted(int) override { throw 1; }
  void OnAttemptFinished(const AttemptFinished&) override { throw 1; }
  void OnTimeout(TimeoutScope, TimeoutSource) override { throw 1; }
  void OnRetryScheduled(RetryReason, Duration) override { throw 1; }
  void OnRetryFinished(RetryReason, bool) override { throw 1; }
  void OnRetrySuppressed(RetrySuppressed) override { throw 1; }
  void OnRejected(bool) override { throw 1; }
};

TEST(CallSession, HooksAndObserversThatThrowChangeNothing) {
  Policies policies = WithBreaker();
  policies.defaults.breaker.classify = [](const AttemptResult&) -> std::optional<Outcome> { throw std::runtime_error("hook"); };
  RegistryOptions options;
  options.seed = 1;
  const auto registry = Registry::Create(options);
  const auto log = std::make_shared<EventRecorder>();
  registry->AddObserver(std::make_shared<ThrowingObserver>());
  registry->AddObserver(log);
  const auto link = Link::Create("t", policies, registry);
  const MethodContext& method = *link->Method("/s/m", {}, kStart);
  CallOverrides once;
  once.max_attempts = 1;
  Time now = kStart;
  const auto run = [&](StatusCode code) {
    CallSession session(method, once, 1);
    Action action = session.Start(now, kInfiniteFuture);
    if (action.kind == Kind::kSend) action = session.OnAttemptFinished(now, Result(code));
    EXPECT_TRUE(session.finished());
    return action.kind;
  };
  EXPECT_EQ(run(StatusCode::kOk), Kind::kDeliver);
  EXPECT_EQ(run(StatusCode::kUnavailable), Kind::kDeliver);
  EXPECT_EQ(run(StatusCode::kUnavailable), Kind::kDeliver);
  EXPECT_EQ(run(StatusCode::kOk), Kind::kReject);
  now += seconds(1);
  EXPECT_EQ(run(StatusCode::kOk), Kind::kDeliver);  // the probe
  EXPECT_EQ(method.breaker->state(), BreakerState::kClosed);
  EXPECT_EQ(method.breaker->Snapshot(now).permits_in_flight, 0);
  EXPECT_GT(registry->listener_errors(), 10u);
  ASSERT_EQ(log->problems.size(), 1u) << "told once per channel";
  EXPECT_EQ(log->problems[0].kind, Problem::Kind::kHookThrew);
  EXPECT_EQ(log->Count("end "), 5);
  EXPECT_EQ(log->Count("attempt 1 OK success"), 2) << "the table decides when the hook throws";
}

TEST(CallSession, AHookOverrulesTheTable) {
  Policies policies = WithBreaker();
  policies.defaults.breaker.classify = [](const AttemptResult& result) -> std::optional<Outcome> {
    if (result.code == StatusCode::kOk) return Outcome::kFailure;
    return std::nullopt;
  };
  SessionFixture f(policies);
  for (int i = 0; i < 2; ++i) {
    CallSession session = f.Session();
    session.Start(kStart, kInfiniteFuture);
    EXPECT_EQ(session.OnAttemptFinished(kStart, Result(StatusCode::kOk)).kind, Kind::kDeliver);
  }
  EXPECT_EQ(f.method->breaker->state(), BreakerState::kOpen);
}

// resilience4j #351, concurrency-limits #190: calls in flight at shutdown leaked their permits.
TEST(CallSession, ASessionDestroyedEarlyAccountsForItself) {
  SessionFixture f(WithBreaker());
  { CallSession never_started = f.Session(); }
  EXPECT_TRUE(f.log->events.empty());
  {
    CallSession in_flight = f.Session();
    in_flight.Start(kStart, kInfiniteFuture);
    EXPECT_EQ(f.permits(kStart), 1);
  }
  EXPECT_EQ(f.permits(kStart), 0);
  EXPECT_THAT(f.log->Take(),
              ElementsAre("call", "attempt 1", "attempt 1 CANCELLED ignored", "no retry cancelled", "end CANCELLED local 1"));
  {
    CallSession in_backoff = f.Session();
    in_backoff.Start(kStart, kInfiniteFuture);
    in_backoff.OnAttemptFinished(kStart, Result(StatusCode::kUnavailable));
  }
  EXPECT_EQ(f.log->Count("end CANCELLED local 1"), 1);
  EXPECT_EQ(f.log->Count("no retry cancelled"), 1);

  Open(f);
  {
    CallSession probe = f.Session();
    ASSERT_EQ(probe.Start(kStart + seconds(1), kInfiniteFuture).kind, Kind::kSend);
    EXPECT_EQ(f.method->breaker->state(), BreakerState::kHalfOpen);
  }
  EXPECT_EQ(f.method->breaker->Snapshot(kStart).probes_in_flight, 0);
  CallSession next = f.Session();
  EXPECT_EQ(next.Start(kStart + seconds(1), kInfiniteFuture).kind, Kind::kSend) << "the dropped probe's place is free";
}

TEST(CallSession, CallsInFlightGiveTheirPermitsBackWhateverBecameOfTheBreaker) {
  const std::vector<std::function<void(SharedBreaker&)>> changes = {
      [](SharedBreaker&) {},
      [](SharedBreaker& b) { b.ForceOpen(kStart); },
      [](SharedBreaker& b) { b.Disable(kStart); },
      [](SharedBreaker& b) { b.Reset(kStart); },
      [](SharedBreaker& b) {
        while (b.state() == BreakerState::kClosed) b.Record(b.TryAcquire(kStart, {}).permit, kStart, Result(StatusCode::kUnavailable));
      },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    SessionFixture f(WithBreaker());
    {
      CallSession reported = f.Session();
      CallSession abandoned = f.Session();
      reported.Start(kStart, kInfiniteFuture);
      abandoned.Start(kStart, kInfiniteFuture);
      changes[i](*f.method->breaker);
      const BreakerState state = f.method->breaker->state();
      EXPECT_EQ(reported.OnAttemptFinished(kStart, Result(StatusCode::kOk)).kind, Kind::kDeliver);
      EXPECT_EQ(f.method->breaker->state(), state) << "an older result changes nothing";
    }
    EXPECT_EQ(f.permits(kStart), 0) << i;
    EXPECT_EQ(f.log->Count("end "), 2) << i;
  }
}

TEST(CallSession, TheRejectionMessageNamesTheBreakerAndTheTime) {
  SessionFixture f(WithBreaker());
  Rejection rejection;
  rejection.retry_after = milliseconds(250);
  EXPECT_THAT(RejectionMessage(*f.method->breaker, rejection), HasSubstr("dns:///orders orders.Orders/Get is open; next probe in 250ms"));
  rejection.retry_after = Duration::zero();
  EXPECT_THAT(RejectionMessage(*f.method->breaker, rejection), HasSubstr("the next probe is due"));
  rejection.state = BreakerState::kForcedOpen;
  rejection.retry_after = kForever;
  EXPECT_THAT(RejectionMessage(*f.method->breaker, rejection), HasSubstr("is forced_open; it stays so until it is reset by hand"));
}

}  // namespace
}  // namespace recloser
