// When a failed call gets another attempt, when it does not, and what it says about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "recloser/core/call_session.h"
#include "session_fixture.h"

namespace recloser {
namespace {

using absl::StatusCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using Kind = Action::Kind;

constexpr Time kNow = kStart;

/// What the call was told about its missing retry; "" when it is retried.
std::string WhyNot(const SessionFixture& f, const AttemptResult& result, const CallOverrides& overrides = {},
                   Time deadline = kInfiniteFuture) {
  f.log->Take();
  CallSession session = f.Session(overrides);
  session.Start(kNow, deadline);
  const Action action = session.OnAttemptFinished(kNow, result);
  std::string why;
  for (const std::string& event : f.log->events) {
    if (event.rfind("no retry ", 0) == 0) why += event.substr(9);
  }
  EXPECT_EQ(action.kind == Kind::kWait, why.empty());
  if (action.kind == Kind::kWait) session.OnCancelled(kNow);
  return why;
}

TEST(CallSessionRetry, OnlyRetryableCodesAreRetried) {
  const std::set<StatusCode> retryable = {StatusCode::kUnavailable, StatusCode::kAborted};
  Policies policies = RetryingPolicies();
  policies.retry_budget.enabled = false;
  policies.defaults.retry.retryable_codes.assign(retryable.begin(), retryable.end());
  const SessionFixture f(policies);
  for (int code = 1; code <= 16; ++code) {
    const auto status = static_cast<StatusCode>(code);
    EXPECT_EQ(WhyNot(f, Result(status)), retryable.count(status) != 0 ? "" : "not_retryable") << CodeName(status);
  }
}

TEST(CallSessionRetry, EachReasonNotToRetryIsTold) {
  Policies policies = RetryingPolicies();
  policies.defaults.retry.retryable_codes = {StatusCode::kUnavailable, StatusCode::kResourceExhausted};
  const SessionFixture f(policies);
  AttemptResult cancelled = Result(StatusCode::kCancelled);
  cancelled.cancelled_by_caller = true;
  EXPECT_EQ(WhyNot(f, cancelled), "cancelled");
  cancelled.code = StatusCode::kUnavailable;
  EXPECT_EQ(WhyNot(f, cancelled), "cancelled");

  AttemptResult too_large = Result(StatusCode::kResourceExhausted);
  too_large.message = "Received message larger than max (5 vs. 4)";
  EXPECT_EQ(WhyNot(f, too_large), "not_retryable");
  too_large.message = "overloaded";
  EXPECT_EQ(WhyNot(f, too_large), "");

  CallOverrides nested;
  nested.nested = true;
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable), nested), "nested");
  CallOverrides unsupported;
  unsupported.unsupported_message = true;
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable), unsupported), "unsupported_message");
  CallOverrides once;
  once.max_attempts = 1;
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable), once), "max_attempts");

  AttemptResult stop = Result(StatusCode::kUnavailable);
  stop.pushback = ParsePushback("-1");
  EXPECT_EQ(WhyNot(f, stop), "pushback");
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable), {}, kNow), "deadline");
}

TEST(CallSessionRetry, AMethodWithoutRetriesSaysSo) {
  Policies policies = RetryingPolicies();
  policies.defaults.retry.mode = RetryMode::kIdempotent;
  const SessionFixture f(policies);
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable)), "not_retryable");
  CallOverrides thrice;
  thrice.max_attempts = 3;
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable), thrice), "") << "the call's own word turns retries on";
}

// Polly #1878, #2428: after the last attempt some made-up error was delivered.
TEST(CallSessionRetry, ExhaustedRetriesDeliverTheLastRealResult) {
  const SessionFixture f(RetryingPolicies());
  CallSession session = f.Session();
  Time now = kNow;
  EXPECT_EQ(f.RunToEnd(session, &now, StatusCode::kUnavailable).kind, Kind::kDeliver);
  EXPECT_EQ(session.attempts(), 3);
  EXPECT_EQ(f.log->events.back(), "end UNAVAILABLE server 3");
  EXPECT_EQ(f.log->Count("no retry max_attempts"), 1);
  EXPECT_EQ(f.log->Count("no retry"), 1);
}

// external_service #93, jac PR #8029: the unit of the breaker was not stated. Here: attempts, and "open" is not retried.
TEST(CallSessionRetry, TheBreakersThresholdCountsAttempts) {
  StandardBreakerOptions standard = QuickBreaker();
  standard.window_calls = standard.minimum_calls = 5;
  Policies policies = RetryingPolicies();
  policies.defaults.breaker.mode = BreakerMode::kEnforce;
  policies.defaults.breaker.kind = standard;
  const SessionFixture f(policies);
  Time now = kNow;
  CallSession first = f.Session();
  f.RunToEnd(first, &now, StatusCode::kUnavailable);
  CallSession second = f.Session();
  f.RunToEnd(second, &now, StatusCode::kUnavailable);
  EXPECT_EQ(first.attempts() + second.attempts(), 5);
  EXPECT_EQ(f.log->Count("no retry breaker_open"), 1);
}

// gRFC A6, and grpc-go's 9223372036855 ms that became an immediate retry.
TEST(CallSessionRetry, PushbackReplacesTheBackoff) {
  struct Rule {
    const char* value;
    bool retried;
    Duration delay;
  };
  const Rule rules[] = {
      {"0", true, Duration::zero()},
      {"5", true, milliseconds(5)},
      {"300000", true, seconds(300)},
      {"300001", true, seconds(300)},
      {"2147483647", true, seconds(300)},
      {"2147483648", false, {}},
      {"99999999999", false, {}},
      {"9223372036855", false, {}},
      {"9223372036854775808", false, {}},
      {"", false, {}},
      {"-1", false, {}},
      {"abc", false, {}},
      {"5 ", false, {}},
      {"1.5", false, {}},
  };
  for (const Rule& rule : rules) {
    const SessionFixture f(RetryingPolicies());
    CallSession session = f.Session();
    session.Start(kNow, kInfiniteFuture);
    AttemptResult result = Result(StatusCode::kUnavailable);
    result.pushback = ParsePushback(rule.value);
    const Action action = session.OnAttemptFinished(kNow, result);
    ASSERT_EQ(action.kind, rule.retried ? Kind::kWait : Kind::kDeliver) << '"' << rule.value << '"';
    if (!rule.retried) continue;
    EXPECT_EQ(action.wake, kNow + rule.delay) << rule.value;
    EXPECT_EQ(f.log->Count("retry pushback"), 1);
  }
}

TEST(CallSessionRetry, NoWaitIsLongerThanTheBindingCanBear) {
  CallOverrides overrides;
  overrides.longest_wait = milliseconds(250);
  Policies policies = RetryingPolicies();
  policies.defaults.retry.backoff = {seconds(60), 1, seconds(60)};
  const SessionFixture f(policies);
  AttemptResult result = Result(StatusCode::kUnavailable);
  result.pushback = ParsePushback("251");
  EXPECT_EQ(WhyNot(f, result, overrides), "pushback");
  result.pushback = ParsePushback("250");
  EXPECT_EQ(WhyNot(f, result, overrides), "");
  CallSession session = f.Session(overrides);
  session.Start(kNow, kInfiniteFuture);
  const Action action = session.OnAttemptFinished(kNow, Result(StatusCode::kUnavailable));
  ASSERT_EQ(action.kind, Kind::kWait);
  EXPECT_LE(action.wake, kNow + milliseconds(250));
}

TEST(CallSessionRetry, PushbackDoesNotMakeACodeRetryable) {
  const SessionFixture f(RetryingPolicies());
  AttemptResult result = Result(StatusCode::kInvalidArgument);
  result.pushback = ParsePushback("5");
  EXPECT_EQ(WhyNot(f, result), "not_retryable");
}

// google-cloud-rust #2307: the call slept to its deadline and reported that instead of the error it knew.
TEST(CallSessionRetry, ABackoffBeyondTheDeadlineDeliversTheLastRealErrorAtOnce) {
  const SessionFixture f(RetryingPolicies());
  CallSession session = f.Session();
  session.Start(kNow, kNow + milliseconds(100));
  AttemptResult result = Result(StatusCode::kUnavailable);
  result.pushback = ParsePushback("200");
  EXPECT_EQ(session.OnAttemptFinished(kNow, result).kind, Kind::kDeliver);
  EXPECT_THAT(f.log->events,
              ElementsAre("call", "attempt 1", "attempt 1 UNAVAILABLE failure", "no retry deadline", "end UNAVAILABLE server 1"));
}

TEST(CallSessionRetry, ARetryMustBeginBeforeTheDeadline) {
  const auto with_pushback = [](const char* ms) {
    const SessionFixture f(RetryingPolicies());
    AttemptResult result = Result(StatusCode::kUnavailable);
    result.pushback = ParsePushback(ms);
    return WhyNot(f, result, {}, kNow + milliseconds(100));
  };
  EXPECT_EQ(with_pushback("99"), "");
  EXPECT_EQ(with_pushback("100"), "deadline");
  EXPECT_EQ(with_pushback("101"), "deadline");
}

TEST(CallSessionRetry, ATimerThatComesTooLateDeliversTheLastRealError) {
  const SessionFixture f(RetryingPolicies());
  CallSession session = f.Session();
  session.Start(kNow, kNow + milliseconds(100));
  ASSERT_EQ(session.OnAttemptFinished(kNow, Result(StatusCode::kUnavailable)).kind, Kind::kWait);
  EXPECT_EQ(session.OnTimer(kNow + milliseconds(100)).kind, Kind::kDeliver);
  EXPECT_EQ(session.attempts(), 1);
  EXPECT_EQ(f.log->Count("no retry deadline"), 1);
  EXPECT_EQ(f.log->events.back(), "end UNAVAILABLE server 1");
}

TEST(CallSessionRetry, NoAttemptIsStartedThatUsuallyTakesLongerThanWhatIsLeft) {
  Policies policies = RetryingPolicies();
  policies.defaults.breaker = {};
  const SessionFixture f(policies);
  Time now = kNow;
  for (int i = 0; i < 2000; ++i) {
    CallSession session = f.Session();
    session.Start(now, kInfiniteFuture);
    now += milliseconds(40);
    session.OnAttemptFinished(now, Result(StatusCode::kOk));
  }
  ASSERT_TRUE(f.method->breaker->healthy_latency().has_value());
  const Duration usual = *f.method->breaker->healthy_latency();
  const auto suppressed = [&](Duration left) {
    f.log->Take();
    CallSession session = f.Session();
    session.Start(now, now + left);
    AttemptResult result = Result(StatusCode::kUnavailable);
    result.pushback = ParsePushback("0");
    session.OnAttemptFinished(now, result);
    return f.log->Count("no retry deadline") == 1;
  };
  EXPECT_TRUE(suppressed(usual));
  EXPECT_FALSE(suppressed(usual + kMs));
}

TEST(CallSessionDeadline, TheEarlierOfTheCallersAndThePolicysHolds) {
  Policies policies = RetryingPolicies();
  policies.defaults.deadline = milliseconds(500);
  const SessionFixture f(policies);
  CallSession policys = f.Session();
  EXPECT_EQ(policys.Start(kNow, kInfiniteFuture).deadline, kNow + milliseconds(500));
  EXPECT_EQ(policys.deadline(), kNow + milliseconds(500));
  CallSession callers = f.Session();
  EXPECT_EQ(callers.Start(kNow, kNow + milliseconds(499)).deadline, kNow + milliseconds(499));
  CallSession past = f.Session();
  EXPECT_EQ(past.Start(kNow, kNow - seconds(1)).kind, Kind::kSend) << "gRPC itself ends it";
  CallSession edge = f.Session();
  EXPECT_EQ(edge.Start(Time::max() - Duration(5), kInfiniteFuture).deadline, kInfiniteFuture);
}

TEST(CallSessionDeadline, AnAttemptTimeoutIsRetriedWithinTheCallsDeadline) {
  Policies policies = RetryingPolicies();
  policies.defaults.deadline = milliseconds(150);
  policies.defaults.attempt_timeout = milliseconds(100);
  policies.defaults.retry.backoff = {Duration::zero(), 1, Duration::zero()};
  const SessionFixture f(policies);
  CallSession session = f.Session();
  Action action = session.Start(kNow, kInfiniteFuture);
  EXPECT_EQ(action.deadline, kNow + milliseconds(100));
  EXPECT_TRUE(action.deadline_is_attempt_timeout);
  action = session.OnAttemptFinished(action.deadline, Result(StatusCode::kDeadlineExceeded));
  ASSERT_EQ(action.kind, Kind::kWait);
  action = session.OnTimer(action.wake);
  EXPECT_EQ(action.deadline, kNow + milliseconds(150));
  EXPECT_FALSE(action.deadline_is_attempt_timeout);
  action = session.OnAttemptFinished(action.deadline, Result(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(action.kind, Kind::kDeliver);
  EXPECT_THAT(f.log->events, ElementsAre("call", "attempt 1", "timeout attempt policy", "attempt 1 DEADLINE_EXCEEDED failure",
                                         "retry attempt_timeout", "attempt 2", "timeout call policy", "attempt 2 DEADLINE_EXCEEDED failure",
                                         "retried attempt_timeout failure", "no retry not_retryable", "end DEADLINE_EXCEEDED local 2"));
}

TEST(CallSessionDeadline, TheSourceOfATimeoutIsTold) {
  const SessionFixture f(RetryingPolicies());
  CallSession callers = f.Session();
  callers.Start(kNow, kNow + kMs);
  callers.OnAttemptFinished(kNow + kMs, Result(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(f.log->Count("timeout call caller"), 1);

  CallOverrides quick;
  quick.attempt_timeout = kMs;
  CallSession override_ = f.Session(quick);
  EXPECT_TRUE(override_.Start(kNow, kInfiniteFuture).deadline_is_attempt_timeout);
  override_.OnAttemptFinished(kNow + kMs, Result(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(f.log->Count("timeout attempt caller"), 1);

  CallSession servers = f.Session();
  servers.Start(kNow, kNow + seconds(1));
  servers.OnAttemptFinished(kNow + kMs, Result(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(f.log->Count("timeout"), 2) << "the service's own DEADLINE_EXCEEDED is not our timeout";
  EXPECT_EQ(f.log->events.back(), "end DEADLINE_EXCEEDED server 1");
}

// gRPC keeps deadlines in milliseconds of a clock of its own, which may be a little ahead.
TEST(CallSessionDeadline, ATransportThatIsAMillisecondEarlyHasReachedTheDeadline) {
  Policies policies = RetryingPolicies();
  policies.defaults.attempt_timeout = milliseconds(100);
  const SessionFixture f(policies);
  CallSession callers = f.Session();
  callers.Start(kNow, kNow + milliseconds(50));
  callers.OnAttemptFinished(kNow + milliseconds(49), Result(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(f.log->Count("timeout call caller"), 1);

  CallSession policys = f.Session();
  policys.Start(kNow, kNow + seconds(1));
  EXPECT_EQ(policys.OnAttemptFinished(kNow + milliseconds(99), Result(StatusCode::kDeadlineExceeded)).kind, Kind::kWait);
  EXPECT_EQ(f.log->Count("timeout attempt policy"), 1);
}

struct StreamRetries : ::testing::Test {
  StreamRetries() {
    policies.defaults.retry.retry_server_streams = true;
    traits.streaming = traits.server_streaming = true;
  }
  Policies policies = RetryingPolicies();
  MethodTraits traits;
};

TEST(CallSession, ACallOfOneAttemptMayNotBeRetriedFromTheStart) {
  const SessionFixture f(RetryingPolicies());
  CallOverrides once;
  once.max_attempts = 1;
  EXPECT_FALSE(f.Session(once).may_retry());
  EXPECT_TRUE(f.Session().may_retry());
}

TEST_F(StreamRetries, AServerStreamIsRetriedToItsFirstMessage) {
  const SessionFixture f(policies, traits);
  CallSession session = f.Session();
  EXPECT_TRUE(session.may_retry());
  session.Start(kNow, kInfiniteFuture);
  const Action wait = session.OnAttemptFinished(kNow, Result(StatusCode::kUnavailable));
  ASSERT_EQ(wait.kind, Action::Kind::kWait);
  ASSERT_EQ(session.OnTimer(wait.wake).kind, Action::Kind::kSend);
  session.OnStreamMessage(wait.wake);
  EXPECT_FALSE(session.may_retry());
  EXPECT_EQ(session.OnAttemptFinished(wait.wake, Result(StatusCode::kUnavailable)).kind, Action::Kind::kDeliver);
  EXPECT_EQ(f.log->Count("no retry committed"), 1);
}

TEST_F(StreamRetries, OnlyWhereThePolicyAndTheKindOfStreamAllowIt) {
  const auto suppressed = [&](const Policies& p, const MethodTraits& t) {
    const SessionFixture f(p, t);
    CallSession session = f.Session();
    EXPECT_FALSE(session.may_retry());
    session.Start(kNow, kInfiniteFuture);
    session.OnAttemptFinished(kNow, Result(StatusCode::kUnavailable));
    return f.log->events[f.log->events.size() - 2];
  };
  MethodTraits bidi = traits;
  bidi.server_streaming = false;
  EXPECT_EQ(suppressed(policies, bidi), "no retry committed");
  EXPECT_EQ(suppressed(RetryingPolicies(), traits), "no retry committed");
  policies.defaults.retry.mode = RetryMode::kIdempotent;
  EXPECT_EQ(suppressed(policies, traits), "no retry not_retryable");
}

TEST_F(StreamRetries, AnAttemptTimeoutIsForTheFirstMessage) {
  policies.defaults.attempt_timeout = 100 * kMs;
  const SessionFixture f(policies, traits);
  CallSession session = f.Session();
  const Action send = session.Start(kNow, kNow + std::chrono::seconds(10));
  EXPECT_TRUE(send.deadline_is_attempt_timeout);
  EXPECT_EQ(send.deadline, kNow + 100 * kMs);
  session.OnStreamMessage(kNow + 50 * kMs);
  session.OnAttemptFinished(kNow + std::chrono::seconds(1), Result(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(f.log->Count("timeout"), 0) << "the service's own";

  CallOverrides once;
  once.max_attempts = 1;
  EXPECT_FALSE(f.Session(once).Start(kNow, kInfiniteFuture).deadline_is_attempt_timeout) << "not retried, so not timed either";
}

TEST_F(StreamRetries, AnIdleStreamIsAFailureAndRetriedLikeAnAttemptTimeout) {
  for (const bool begun : {false, true}) {
    const SessionFixture f(policies, traits);
    CallSession session = f.Session();
    session.Start(kNow, kInfiniteFuture);
    if (begun) session.OnStreamMessage(kNow);
    AttemptResult idle = Result(StatusCode::kDeadlineExceeded);
    idle.stream_idle = true;
    EXPECT_EQ(session.OnAttemptFinished(kNow, idle).kind, begun ? Action::Kind::kDeliver : Action::Kind::kWait);
    EXPECT_EQ(f.log->Count("timeout stream_idle policy"), 1);
    EXPECT_EQ(f.log->Count("attempt 1 DEADLINE_EXCEEDED failure"), 1);
    EXPECT_EQ(f.log->Count("retry attempt_timeout"), begun ? 0 : 1);
  }
}

TEST(CallSessionDeadline, AStreamHasNoAttemptTimeout) {
  Policies policies = RetryingPolicies();
  policies.defaults.attempt_timeout = kMs;
  MethodTraits stream;
  stream.streaming = true;
  const SessionFixture f(policies, stream);
  CallSession session = f.Session();
  EXPECT_EQ(session.Start(kNow, kInfiniteFuture).deadline, kInfiniteFuture);
}

TEST(CallSessionBudget, EveryRetryableFailureTakesATokenAndEverySuccessGivesSomeBack) {
  Policies policies = RetryingPolicies();
  const SessionFixture f(policies);
  const auto run = [&](const AttemptResult& result, const CallOverrides& overrides = {}) {
    CallSession session = f.Session(overrides);
    session.Start(kNow, kInfiniteFuture);
    session.OnAttemptFinished(kNow, result);
    return f.method->budget->tokens();
  };
  CallOverrides once;
  once.max_attempts = 1;
  EXPECT_EQ(run(Result(StatusCode::kUnavailable)), 99);
  EXPECT_EQ(run(Result(StatusCode::kUnavailable), once), 98) << "also when it will not be retried";
  EXPECT_EQ(run(Result(StatusCode::kInvalidArgument)), 98);
  AttemptResult stop = Result(StatusCode::kInvalidArgument);
  stop.pushback = ParsePushback("-1");
  EXPECT_EQ(run(stop), 97);
  EXPECT_EQ(run(Result(StatusCode::kOk)), 97.1);
  AttemptResult cancelled = Result(StatusCode::kUnavailable);
  cancelled.cancelled_by_caller = true;
  EXPECT_EQ(run(cancelled), 97.1);
}

TEST(CallSessionBudget, AnEmptyBudgetStopsRetriesUntilSuccessesRefillIt) {
  const SessionFixture f(RetryingPolicies());
  while (f.method->budget->tokens() > 51) f.method->budget->Withdraw();
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable)), "budget");
  for (int i = 0; i < 20; ++i) f.method->budget->Deposit();
  EXPECT_EQ(WhyNot(f, Result(StatusCode::kUnavailable)), "");
}

// Envoy #30205, grpc-java #11274: retries multiplied the load of a service that was down already. Counted at the service.
TEST(CallSessionBudget, TotalFailureAtAThousandCallsPerSecondAddsOnlyTheBudgetsFloor) {
  const SessionFixture f(RetryingPolicies());
  constexpr int kCalls = 10'000;
  int attempts = 0;
  Time now = kNow;
  for (int i = 0; i < kCalls; ++i, now += kMs) {
    CallSession session = f.Session();
    Time call_now = now;
    f.RunToEnd(session, &call_now, StatusCode::kUnavailable);
    attempts += session.attempts();
  }
  EXPECT_LE(attempts, kCalls + 50);
  EXPECT_EQ(f.log->Count("attempt 1 UNAVAILABLE"), kCalls);
}

TEST(CallSessionBudget, HalfOfTheCallsFailingStaysBelowATwentyPercentMoreLoad) {
  const SessionFixture f(RetryingPolicies());
  constexpr int kCalls = 10'000;
  int attempts = 0;
  Random random(11);
  for (int i = 0; i < kCalls; ++i) {
    CallSession session = f.Session();
    Time now = kNow + kMs * i;
    Action action = session.Start(now, kInfiniteFuture);
    while (action.kind == Kind::kSend || action.kind == Kind::kWait) {
      if (action.kind == Kind::kWait) {
        now = action.wake;
        action = session.OnTimer(now);
      } else {
        action = session.OnAttemptFinished(now, Result(random.Uniform() < 0.5 ? StatusCode::kOk : StatusCode::kUnavailable));
      }
    }
    attempts += session.attempts();
  }
  EXPECT_LE(attempts, kCalls * 12 / 10 + 50);
}

// nanobot #2760: two layers of retries made 12 attempts of 4.
TEST(CallSessionRetry, ALayerBelowDoesNotMultiplyTheRetriesOfALayerAbove) {
  const SessionFixture f(RetryingPolicies());
  int sent_by_the_innermost = 0;
  const std::function<StatusCode(int, bool)> call = [&](int layers_below, bool is_retry) {
    CallOverrides overrides;
    overrides.nested = is_retry;
    CallSession session = f.Session(overrides);
    Time now = kNow;
    Action action = session.Start(now, kInfiniteFuture);
    while (action.kind == Kind::kSend || action.kind == Kind::kWait) {
      if (action.kind == Kind::kWait) {
        now = action.wake;
        action = session.OnTimer(now);
        continue;
      }
      StatusCode code = StatusCode::kUnavailable;
      if (layers_below > 0) {
        code = call(layers_below - 1, is_retry || session.attempts() > 1);
      } else {
        ++sent_by_the_innermost;
      }
      action = session.OnAttemptFinished(now, Result(code));
    }
    return StatusCode::kUnavailable;
  };
  call(2, false);
  // The first pass through each layer may use up its own retries; what is a retry already is not multiplied: 7, not 27.
  EXPECT_EQ(sent_by_the_innermost, 3 + 2 + 2);
  EXPECT_GT(f.log->Count("no retry nested"), 0);
}

TEST(CallSessionRetry, BindingsKeepTheRequestOnlyWhileARetryIsPossible) {
  const SessionFixture f(RetryingPolicies());
  CallSession session = f.Session();
  EXPECT_TRUE(session.may_retry());
  Time now = kNow;
  session.Start(now, kInfiniteFuture);
  for (int attempt = 1; attempt < 3; ++attempt) {
    EXPECT_TRUE(session.may_retry());
    now = session.OnAttemptFinished(now, Result(StatusCode::kUnavailable)).wake;
    session.OnTimer(now);
  }
  EXPECT_FALSE(session.may_retry());

  CallOverrides once;
  once.max_attempts = 1;
  EXPECT_FALSE(f.Session(once).may_retry());

  CallSession forbidden = f.Session();
  forbidden.Start(now, kInfiniteFuture);
  forbidden.ForbidRetries(RetrySuppressed::kUnsupportedMessage);
  EXPECT_FALSE(forbidden.may_retry());
  f.log->Take();
  EXPECT_EQ(forbidden.OnAttemptFinished(now, Result(StatusCode::kUnavailable)).kind, Kind::kDeliver);
  EXPECT_EQ(f.log->Count("no retry unsupported_message"), 1);
}

}  // namespace
}  // namespace recloser
