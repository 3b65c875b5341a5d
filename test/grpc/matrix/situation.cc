#include "situation.h"

#include <iterator>
#include <utility>

namespace recloser::testing::matrix {

const char* ModeName(Mode mode) {
  switch (mode) {
    case Mode::kOn:
      return "On";
    case Mode::kQuiet:
      return "Quiet";
    case Mode::kOff:
      return "Off";
  }
  return "";
}

const std::vector<Situation>& Situations() {
  static const auto* const situations = [] {
    auto* const all = new std::vector<Situation>;
    for (std::vector<Situation> part : {AnswerSituations(), EndingSituations(), SurroundingSituations()}) {
      std::move(part.begin(), part.end(), std::back_inserter(*all));
    }
    return all;
  }();
  return *situations;
}

Situation Row(std::string name, std::string title, std::function<Reply(int)> answer, int attempts) {
  Situation row;
  row.name = std::move(name);
  row.title = std::move(title);
  row.answer = std::move(answer);
  row.attempts = attempts;
  return row;
}

Reply Ok() {
  Reply reply;
  reply.messages = 3;
  reply.headers = {{"answer", "ok"}, {"answer", "twice"}, {"answer-bin", std::string("\0\xff", 2)}};
  reply.trailers = {{"end", "ok"}, {"end-bin", std::string("\0\xfe", 2)}};
  return reply;
}

Reply Refusal(grpc::StatusCode code, std::string message, std::string details) {
  Reply reply;
  reply.status = grpc::Status(code, std::move(message), std::move(details));
  reply.messages = 0;
  reply.headers = {{"answer", "failed"}};
  reply.trailers = {{"end", "failed"}};
  return reply;
}

Reply Silence() {
  Reply reply;
  reply.until_cancelled = true;
  reply.messages = 0;  // what a client receives before it is cancelled would be a race
  return reply;
}

std::function<Reply(int)> FailThen(int failures, Reply then) {
  return [failures, then = std::move(then)](int attempt) {
    if (attempt > failures) return then;
    return Refusal(grpc::StatusCode::UNAVAILABLE, "not now " + std::to_string(attempt), "details");
  };
}

const char* OnlyWhereRepeated(const Column& column, Mode mode) {
  if (mode != Mode::kOn) return "nothing is repeated with these policies";
  return Repeats(column) ? nullptr : "streams of this kind are not repeated";
}

}  // namespace recloser::testing::matrix
