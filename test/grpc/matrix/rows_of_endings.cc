// How calls end before their answer: rejections, cancellations, deadlines; and what of the application may end before its call.
#include "situation.h"

namespace recloser::testing::matrix {
namespace {

std::function<Reply(int)> NoAnswer() {
  return [](int) { return Silence(); };
}

// The service asks to come back so late.
Reply LaterAfter(const char* pushback_ms) {
  Reply reply = Refusal(grpc::StatusCode::UNAVAILABLE, "later");
  reply.trailers.emplace("grpc-retry-pushback-ms", pushback_ms);
  return reply;
}

const char* OnlyOn(const Column&, Mode mode) {
  return mode == Mode::kOn ? nullptr : "policies that never interfere have nothing to do here";
}

void AddCancellations(std::vector<Situation>& rows) {
  rows.push_back(Row("CancelledBefore", "cancelled before it began", NoAnswer()));
  rows.back().cancel = Cancel::kBefore;
  rows.back().timed = true;

  rows.push_back(Row("CancelledDuring", "cancelled during the attempt", NoAnswer()));
  rows.back().cancel = Cancel::kWaiting;

  rows.push_back(Row("CancelledDuringRetry", "cancelled during a later attempt", FailThen(1, Silence()), 2));
  rows.back().cancel = Cancel::kWaiting;
  rows.back().not_applicable = OnlyWhereRepeated;

  rows.push_back(Row("CancelledInBackoff", "cancelled in back-off", [](int) { return LaterAfter("20000"); }));
  rows.back().cancel = Cancel::kBackoff;
  rows.back().codes = {grpc::StatusCode::CANCELLED};
  rows.back().ends_locally = true;
  rows.back().not_applicable = OnlyWhereRepeated;
}

void AddDeadlines(std::vector<Situation>& rows) {
  rows.push_back(Row("DeadlineDuring", "caller's deadline during the attempt", NoAnswer()));
  rows.back().deadline = kShort;
  rows.back().timed = true;

  rows.push_back(Row("DeadlineDuringRetry", "caller's deadline during a later attempt", FailThen(1, Silence()), 2));
  rows.back().deadline = 5 * kShort;  // when the first attempt ends with less to go than a second takes, its own error is the result
  rows.back().timed = true;
  rows.back().not_applicable = OnlyWhereRepeated;

  // Waiting would be in vain, so the service's own error is delivered at once.
  rows.push_back(Row("DeadlineInBackoff", "caller's deadline in back-off", [](int) { return LaterAfter("70000"); }));

  rows.push_back(Row("PolicysDeadline", "policy's deadline", NoAnswer()));
  rows.back().policy = [](MethodPolicy& policy) { policy.deadline = kShort; };
  rows.back().codes = {grpc::StatusCode::DEADLINE_EXCEEDED};
  rows.back().ends_locally = true;
  rows.back().timed = true;
  rows.back().not_applicable = OnlyOn;

  rows.push_back(Row(
      "AttemptTimeout", "attempt timeout, then OK", [](int attempt) { return attempt == 1 ? Silence() : Ok(); }, 2));
  rows.back().policy = [](MethodPolicy& policy) {
    policy.attempt_timeout = kShort;
    policy.retry.max_attempts = 20;
  };
  rows.back().timed = true;
  rows.back().not_applicable = OnlyWhereRepeated;

  // Attempt timeouts are not for streams.
  rows.push_back(Row("SlowStream", "a stream slower than the attempt timeout", [](int) {
    Reply reply = Ok();
    reply.delay = milliseconds(10);
    return reply;
  }));
  rows.back().policy = [](MethodPolicy& policy) { policy.attempt_timeout = milliseconds(2); };
  rows.back().not_applicable = [](const Column& column, Mode mode) { return column.unary() ? "the row above" : OnlyOn(column, mode); };
}

void AddLifetimes(std::vector<Situation>& rows) {
  rows.push_back(Row("QueueShutDown", "queue shut down mid-call", FailThen(1, Ok()), 2));
  rows.back().shut_queue_down = true;
  rows.back().not_applicable = [](const Column& column, Mode) { return column.on_a_queue() ? nullptr : "no queue of the application's"; };

  rows.push_back(Row("ChannelDropped", "channel and stub dropped once the call has begun", FailThen(1, Ok()), 2));
  rows.back().drop_channel = true;
  rows.back().not_applicable = [](const Column& column, Mode) {
    return column.is(Form::kSync) ? "the call is over when it returns" : nullptr;
  };

  rows.push_back(Row("ContextDeleted", "context and messages deleted in the callback", FailThen(1, Ok()), 2));
  rows.back().delete_in_callback = true;
  rows.back().not_applicable = [](const Column& column, Mode) { return column.with_callbacks() ? nullptr : "no callback"; };
}

}  // namespace

std::vector<Situation> EndingSituations() {
  std::vector<Situation> rows;
  rows.push_back(Row(
      "Rejected", "rejected by an open breaker", [](int) { return Ok(); }, 0));
  rows.back().forced_open = true;
  rows.back().codes = {grpc::StatusCode::UNAVAILABLE};
  rows.back().ends_locally = true;
  rows.back().not_applicable = [](const Column&, Mode mode) -> const char* {
    return mode == Mode::kOn ? nullptr : "nothing is rejected with these policies";
  };
  AddCancellations(rows);
  AddDeadlines(rows);
  AddLifetimes(rows);
  return rows;
}

}  // namespace recloser::testing::matrix
