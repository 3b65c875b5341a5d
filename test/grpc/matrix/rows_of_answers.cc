// What the service answers.
#include "situation.h"

namespace recloser::testing::matrix {
namespace {

std::function<Reply(int)> Always(Reply reply) {
  return [reply = std::move(reply)](int) { return reply; };
}

// UNAVAILABLE after its headers, then OK; both after a while.
Reply HeadersFirst(int attempt) {
  Reply reply = attempt == 1 ? Refusal(grpc::StatusCode::UNAVAILABLE, "after headers") : Ok();
  reply.headers_first = true;
  reply.delay = milliseconds(2);
  return reply;
}

}  // namespace

std::vector<Situation> AnswerSituations() {
  std::vector<Situation> rows;
  rows.push_back(Row("Ok", "OK", Always(Ok())));

  rows.push_back(Row("NothingSet", "OK, nothing set in the context", Always(Ok())));
  rows.back().bare_context = true;
  rows.back().deadline = std::nullopt;

  rows.push_back(Row("RetryThenOk", "fails, then OK", FailThen(1, Ok()), 2));
  rows.push_back(Row("Exhausted", "fails every time", FailThen(100, Ok()), 3));

  const std::string details("de\0tails \xff", 10);
  rows.push_back(Row("NotRetryableCode", "fails with a code that is not retried; status details",
                     Always(Refusal(grpc::StatusCode::ABORTED, "conflict: \xc3\xbc %41", details))));
  rows.push_back(Row("RetryThenStatusDetails", "fails, then fails with status details",
                     FailThen(1, Refusal(grpc::StatusCode::ABORTED, "conflict", details)), 2));

  rows.push_back(Row("NotRetryableMethod", "fails, the method is not idempotent", FailThen(100, Ok())));
  rows.back().declared_idempotent = false;
  rows.back().not_applicable = [](const Column& column, Mode) -> const char* {
    return column.unary() ? nullptr : "streams of this kind are not repeated";
  };

  rows.push_back(Row("EmptyMessage", "OK, empty messages", Always(Ok())));
  rows.back().payload = "";
  rows.push_back(Row("RetryThenEmptyMessage", "fails, then OK with an empty message", FailThen(1, Ok()), 2));
  rows.back().payload = "";

  Reply one = Ok();
  one.messages = 1;
  rows.push_back(Row("LargeMessage", "OK, messages of 8 MiB", Always(one)));
  rows.push_back(Row("RetryThenLargeMessage", "fails, then OK with messages of 8 MiB", FailThen(1, one), 2));
  for (auto row = rows.end() - 2; row != rows.end(); ++row) {
    row->payload = std::string(std::size_t{8} << 20, 'x');
    row->stream_messages = 1;
  }

  rows.push_back(Row("HeadersFirst", "headers before the answer, then OK", [](int) { return HeadersFirst(2); }));
  rows.push_back(Row("HeadersFirstThenFailure", "headers before the failure, then OK", HeadersFirst, 2));

  Reply midway = Refusal(grpc::StatusCode::UNAVAILABLE, "midway");
  midway.messages = 2;
  rows.push_back(Row("FailureMidway", "fails after messages", Always(midway)));
  rows.back().not_applicable = [](const Column& column, Mode) -> const char* {
    return column.is(Stream::kServer) || column.is(Stream::kBidi) ? nullptr : "the service sends one message only";
  };

  Reply stop = Refusal(grpc::StatusCode::UNAVAILABLE, "stop");
  stop.trailers.emplace("grpc-retry-pushback-ms", "-1");
  rows.push_back(Row("PushbackStops", "fails and forbids retries", Always(stop)));
  return rows;
}

}  // namespace recloser::testing::matrix
