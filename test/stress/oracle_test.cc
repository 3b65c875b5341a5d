// The oracle of the stress run sees what may go wrong: each row spoils one thing of a call that was good.
#include "oracle.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace recloser::stress {
namespace {

using grpc::StatusCode;

constexpr int kId = 7;

/// A call that took two attempts and was good.
struct Case {
  Case() {
    epoch.policies.push_back(Policies::Defaults());
    epoch.policies[0].defaults.breaker.mode = BreakerMode::kDisabled;
    epoch.policies[0].retry_budget.enabled = false;
    plan.replies[0].code = StatusCode::UNAVAILABLE;
    seen.started = 1;
    seen.completions = 1;
    seen.released = true;
    seen.header_mark = seen.trailer_mark = Mark(kId, 1);
    seen.attempts = 2;
    seen.messages = 1;
    seen.messages_attempt = 1;
  }
  std::string Judged() const { return Judge(epoch, kId, plan, seen, reached); }

  EpochPlan epoch;
  CallPlan plan;
  CallOutcome seen;
  std::uint32_t reached = 3;
};

void EndWith(Case& c, StatusCode code, const std::string& message) {
  c.seen.code = code;
  c.seen.message = message;
  c.seen.header_mark = c.seen.trailer_mark = "";
  c.seen.messages = 0;
}

TEST(Oracle, AGoodCallIsGood) { EXPECT_EQ(Case().Judged(), ""); }

TEST(Oracle, SeesWhatIsWrong) {
  struct Row {
    const char* what;
    std::function<void(Case&)> spoil;
  };
  const std::vector<Row> rows = {
      {"completed 2 times", [](Case& c) { c.seen.completions = 2; }},
      {"completed 0 times", [](Case& c) { c.seen.completions = 0; }},
      {"its context was never deleted", [](Case& c) { c.seen.released = false; }},
      {"a unary call's tag came back not ok", [](Case& c) { c.seen.queue_said_no = true; }},
      {"attempts that the service did not see: 2", [](Case& c) { c.reached = 2; }},
      {"attempts of which the caller does not know: 7", [](Case& c) { c.reached = 7; }},
      {"2 attempts were due",
       [](Case& c) {
         c.seen.attempts = 1, c.reached = 1, EndWith(c, StatusCode::UNAVAILABLE, Mark(kId, 0)),
         c.seen.header_mark = c.seen.trailer_mark = Mark(kId, 0);
       }},
      {"neither the service's word nor excused", [](Case& c) { EndWith(c, StatusCode::CANCELLED, "CANCELLED"); }},
      {"neither the service's word nor excused", [](Case& c) { EndWith(c, StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"); }},
      {"neither the service's word nor excused", [](Case& c) { c.seen.trailer_mark = Mark(kId, 0); }},
      {"the message is another attempt's", [](Case& c) { c.seen.message = Mark(kId, 0); }},
      {"the headers are another attempt's", [](Case& c) { c.seen.header_mark = Mark(kId, 0); }},
      {"the headers are another attempt's", [](Case& c) { c.seen.header_mark = ""; }},
      {"no message, or one too many", [](Case& c) { c.seen.messages = 0; }},
      {"messages of attempt 0", [](Case& c) { c.seen.messages_attempt = 0; }},
      {"messages out of order, not whole, or of another call", [](Case& c) { c.seen.messages_wrong = true; }},
      {"rejected, though no breaker may", [](Case& c) { c.seen.rejected = true; }},
  };
  for (const Row& row : rows) {
    Case c;
    row.spoil(c);
    EXPECT_EQ(c.Judged(), row.what);
  }
}

TEST(Oracle, ARejectionIsOneOnlyBeforeAnyAttempt) {
  const auto rejected = [](std::uint32_t reached) {
    Case c;
    c.epoch.policies[0].defaults.breaker.mode = BreakerMode::kEnforce;
    EndWith(c, StatusCode::UNAVAILABLE, "recloser: circuit breaker of a B/C is open; the next probe is due");
    c.seen.rejected = true;
    c.seen.attempts = 0;
    c.reached = reached;
    return c.Judged();
  };
  EXPECT_EQ(rejected(0), "");
  EXPECT_EQ(rejected(1), "rejected, and an attempt reached the service");
}

TEST(Oracle, WhoCancelsOrHasADeadlineMayLoseAttempts) {
  Case cancelled;
  EndWith(cancelled, StatusCode::CANCELLED, "CANCELLED");
  cancelled.seen.cancelled = true;
  cancelled.reached = 1;
  EXPECT_EQ(cancelled.Judged(), "");
  Case late;
  EndWith(late, StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded");
  late.plan.deadline = microseconds(1);
  late.reached = 1;
  EXPECT_EQ(late.Judged(), "");
  late.reached = 5;  // but no attempt more than it was told of
  EXPECT_EQ(late.Judged(), "attempts of which the caller does not know: 5");
}

TEST(Oracle, OnlyTheFirstOfTwoBatchesMayFailAndOnlyWithAnExcuse) {
  Case c;
  EndWith(c, StatusCode::CANCELLED, "CANCELLED");
  c.seen.queue_said_no = c.seen.cancelled = true;
  EXPECT_EQ(c.Judged(), "a unary call's tag came back not ok");
  c.plan.api = Api::kQueueTwoBatch;
  EXPECT_EQ(c.Judged(), "");
  c.seen.cancelled = false;
  EXPECT_EQ(c.Judged(), "a unary call's tag came back not ok");
}

TEST(Oracle, AStreamThatTheServiceEndedHasAllItsMessages) {
  Case c;
  c.plan = CallPlan();
  c.plan.method = Method::kServerStream;
  c.plan.replies[0].messages = 3;
  c.seen.attempts = 1;
  c.seen.header_mark = c.seen.trailer_mark = Mark(kId, 0);
  c.seen.messages_attempt = 0;
  c.reached = 1;
  c.seen.messages = 3;
  EXPECT_EQ(c.Judged(), "");
  c.seen.messages = 2;
  EXPECT_EQ(c.Judged(), "2 messages of 3");
}

}  // namespace
}  // namespace recloser::stress
