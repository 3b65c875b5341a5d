// Responses that no gRPC server sends, and streams and connections that end with an error of HTTP/2: from a server that sends prepared
// frames.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frame_server.h"
#include "frames.h"
#include "judge.h"

namespace recloser::testing {
namespace {

using Code = grpc::StatusCode;
using Respond = std::function<Answer(std::uint32_t stream)>;

const Fields kOk = {{":status", "200"}, {"content-type", "application/grpc"}};
const std::string kHello = std::string("\x0a\x05", 2) + "hello";  // EchoResponse{payload: "hello"}

Fields With(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

Answer Healthy(std::uint32_t stream) {
  return {Headers(stream, kOk) + Data(stream, Message(kHello)) + Headers(stream, {{"grpc-status", "0"}}, kEndStream)};
}

// Headers, then `frames`, then the trailers.
Answer Wrapped(std::uint32_t stream, const std::string& frames, const Fields& trailers = {{"grpc-status", "0"}}) {
  return {Headers(stream, kOk) + frames + Headers(stream, trailers, kEndStream)};
}

// The status alone.
Answer TrailersOnly(std::uint32_t stream, const Fields& more) { return {Headers(stream, With(kOk, more), kEndStream)}; }

Answer Http(std::uint32_t stream, int status) {
  return {Headers(stream, {{":status", std::to_string(status)}, {"content-type", "text/html"}}) +
          Data(stream, "<html>sorry</html>", kEndStream)};
}

class Prepared final : public Stage {
 public:
  Prepared(Respond respond, int times, std::string greeting, bool core_retries = true)
      : server_([respond = std::move(respond), times](int request,
                                                      std::uint32_t stream) { return request < times ? respond(stream) : Healthy(stream); },
                std::move(greeting), times),
        core_retries_(core_retries) {}
  Endpoint endpoint() const override {
    Endpoint endpoint{server_.target()};
    endpoint.arguments.SetMaxReceiveMessageSize(1000);
    if (!core_retries_) endpoint.arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    return endpoint;
  }
  int served() const override { return server_.requests(); }

 private:
  FrameServer server_;
  const bool core_retries_;
};

std::function<std::unique_ptr<Stage>(int)> Answering(Respond respond) {
  return [respond](int times) { return std::make_unique<Prepared>(respond, times, Settings()); };
}
// gRPC 1.51 ends the process when a status is missing (grpc/grpc issue 34683), unless its retries are off.
std::function<std::unique_ptr<Stage>(int)> AnsweringWithoutStatus(Respond respond) {
  return [respond](int times) { return std::make_unique<Prepared>(respond, times, Settings(), /*core_retries=*/false); };
}
std::function<std::unique_ptr<Stage>(int)> Greeting(std::string bytes) {
  return [bytes](int times) { return std::make_unique<Prepared>(Healthy, times, bytes); };
}

// An OK that brings nothing: a blocking caller gets UNIMPLEMENTED from gRPC, the attempt itself ended with OK.
FaultRow WithoutMessage(const char* fault, Respond respond) {
  FaultRow row{fault, Code::UNIMPLEMENTED, false, Outcome::kFailure, Answering(std::move(respond))};
  row.attempt_code = Code::OK;
  return row;
}

constexpr milliseconds kShort(100);

// What gRPC makes of an error on a stream (core's table, by its HTTP/2 mapping).
Code CodeOf(const std::string& error) {
  if (error == "CANCEL") return Code::CANCELLED;
  if (error == "ENHANCE_YOUR_CALM") return Code::RESOURCE_EXHAUSTED;
  if (error == "INADEQUATE_SECURITY") return Code::PERMISSION_DENIED;
  if (error == "REFUSED_STREAM") return Code::UNAVAILABLE;
  return Code::INTERNAL;
}

Outcome OutcomeOf(Code code) {
  if (code == Code::CANCELLED) return Outcome::kIgnored;
  return code == Code::PERMISSION_DENIED ? Outcome::kSuccess : Outcome::kFailure;
}

}  // namespace

std::vector<FaultRow> StreamErrors() {
  std::vector<FaultRow> rows;
  for (const bool looked_at : {false, true}) {
    for (std::uint32_t error = 0; error < std::size(kErrorNames); ++error) {
      const std::string end = looked_at ? ", then closed without an answer" : ", the call was not looked at";
      FaultRow row{std::string("GOAWAY with ") + kErrorNames[error] + end, Code::UNAVAILABLE, true, Outcome::kFailure,
                   Answering([looked_at, error](std::uint32_t stream) {
                     return Answer{GoAway(looked_at ? stream : 0, error), true};
                   })};
      row.repaired_by_grpc = !looked_at;
      row.document_as = "GOAWAY with any error" + end;
      rows.push_back(row);
    }
  }
  rows.push_back({"GOAWAY, and the call is answered", Code::OK, false, Outcome::kSuccess, Answering([](std::uint32_t stream) {
                    return Answer{GoAway(stream, kNoError) + Healthy(stream).bytes, true};
                  })});
  for (std::uint32_t error = 0; error < std::size(kErrorNames); ++error) {
    const Code code = CodeOf(kErrorNames[error]);
    FaultRow row{std::string("RST_STREAM with ") + kErrorNames[error], code, code == Code::UNAVAILABLE, OutcomeOf(code),
                 Answering([error](std::uint32_t stream) { return Answer{RstStream(stream, error)}; })};
    if (code == Code::INTERNAL) row.document_as = "RST_STREAM with any other error";
    rows.push_back(row);
  }
  return rows;
}

std::vector<FaultRow> BadResponses() {
  const Outcome failure = Outcome::kFailure;
  const Outcome success = Outcome::kSuccess;
  const Outcome ignored = Outcome::kIgnored;
  std::vector<FaultRow> rows = {
      {"a status alone, UNAVAILABLE", Code::UNAVAILABLE, true, failure, Answering([](auto s) {
         return TrailersOnly(s, {{"grpc-status", "14"}});
       })},
      {"UNAVAILABLE, with pushback", Code::UNAVAILABLE, true, failure, Answering([](auto s) {
         return TrailersOnly(s, {{"grpc-status", "14"}, {"grpc-retry-pushback-ms", "5"}});
       })},
      {"UNAVAILABLE, with pushback -1", Code::UNAVAILABLE, false, failure, Answering([](auto s) {
         return TrailersOnly(s, {{"grpc-status", "14"}, {"grpc-retry-pushback-ms", "-1"}});
       })},
      {"UNAVAILABLE, with two pushbacks: gRPC knows the last one", Code::UNAVAILABLE, true, failure, Answering([](auto s) {
         return TrailersOnly(s, {{"grpc-status", "14"}, {"grpc-retry-pushback-ms", "5"}, {"grpc-retry-pushback-ms", "7"}});
       })},
      {"trailers without grpc-status", Code::UNKNOWN, false, failure, AnsweringWithoutStatus([](auto s) {
         return Wrapped(s, Data(s, Message(kHello)), {{"some", "thing"}});
       })},
      {"no trailers", Code::UNKNOWN, false, failure,
       Answering([](auto s) { return Answer{Headers(s, kOk) + Data(s, Message(kHello), kEndStream)}; })},
      {"nothing but HTTP 200", Code::UNKNOWN, false, failure, AnsweringWithoutStatus([](auto s) { return TrailersOnly(s, {}); })},
      {"a web page, HTTP 200", Code::UNKNOWN, false, failure, AnsweringWithoutStatus([](auto s) { return Http(s, 200); })},
      {"a web page, HTTP 400", Code::INTERNAL, false, failure, Answering([](auto s) { return Http(s, 400); })},
      {"a web page, HTTP 401", Code::UNAUTHENTICATED, false, success, Answering([](auto s) { return Http(s, 401); })},
      {"a web page, HTTP 403", Code::PERMISSION_DENIED, false, success, Answering([](auto s) { return Http(s, 403); })},
      {"a web page, HTTP 404", Code::UNIMPLEMENTED, false, ignored, Answering([](auto s) { return Http(s, 404); })},
      {"a web page, HTTP 429", Code::UNAVAILABLE, true, failure, Answering([](auto s) { return Http(s, 429); })},
      {"a web page, HTTP 500", Code::UNKNOWN, false, failure, Answering([](auto s) { return Http(s, 500); })},
      {"a web page, HTTP 502", Code::UNAVAILABLE, true, failure, Answering([](auto s) { return Http(s, 502); })},
      {"a web page, HTTP 503", Code::UNAVAILABLE, true, failure, Answering([](auto s) { return Http(s, 503); })},
      {"a web page, HTTP 504", Code::UNAVAILABLE, true, failure, Answering([](auto s) { return Http(s, 504); })},
      {"another content-type, otherwise right", Code::OK, false, success, Answering([](auto s) {
         return Answer{Headers(s, {{":status", "200"}, {"content-type", "application/json"}}) + Data(s, Message(kHello)) +
                       Headers(s, {{"grpc-status", "0"}}, kEndStream)};
       })},
#ifndef RECLOSER_SANITIZED  // gRPC keeps the number in its enumeration, which is not made for it
      {"grpc-status 99", static_cast<Code>(99), false, failure, Answering([](auto s) {
         return TrailersOnly(s, {{"grpc-status", "99"}});
       })},
#endif
      {"grpc-status that is no number", Code::UNKNOWN, false, failure, Answering([](auto s) {
         return TrailersOnly(s, {{"grpc-status", "fine"}});
       })},
      WithoutMessage("OK without a message", [](auto s) { return Wrapped(s, ""); }),
      WithoutMessage("a message that is none of protobuf's", [](auto s) { return Wrapped(s, Data(s, Message("\xff\xff\xff"))); }),
      WithoutMessage("a message shorter than it says", [](auto s) { return Wrapped(s, Data(s, Message(kHello, 30))); }),
      WithoutMessage("a message with wrong flags", [](auto s) { return Wrapped(s, Data(s, Message(kHello, kHello.size(), 7))); }),
      {"a message longer than it says", Code::DEADLINE_EXCEEDED, false, failure,
       Answering([](auto s) { return Wrapped(s, Data(s, Message(kHello, 3))); }), kShort},
      {"two messages to a unary call", Code::DEADLINE_EXCEEDED, false, failure,
       Answering([](auto s) { return Wrapped(s, Data(s, Message(kHello)) + Data(s, Message(kHello))); }), kShort},
      {"a message said to be compressed, and not how", Code::OK, false, success,
       Answering([](auto s) { return Wrapped(s, Data(s, Message(kHello, kHello.size(), 1))); })},
      {"a message larger than the client takes", Code::RESOURCE_EXHAUSTED, false, ignored,
       Answering([](auto s) { return Wrapped(s, Data(s, Message(std::string(2000, 'x')))); })},
      {"headers larger than the client takes", Code::RESOURCE_EXHAUSTED, false, failure, Answering([](auto s) {
         return Answer{Headers(s, With(kOk, {{"big", std::string(15000, 'x')}}))};
       })},
      {"trailers larger than the client takes", Code::RESOURCE_EXHAUSTED, false, failure, Answering([](auto s) {
         return Wrapped(s, Data(s, Message(kHello)), {{"grpc-status", "0"}, {"big", std::string(15000, 'x')}});
       })},
      {"a frame of an unknown type, otherwise right", Code::OK, false, success,
       Answering([](auto s) { return Answer{Frame(FrameType::kUnknown, 0, s, "what?") + Healthy(s).bytes}; })},
      {"headers that can't be decoded", Code::UNKNOWN, false, failure,
       Answering([](auto s) { return Answer{Frame(FrameType::kHeaders, kEndHeaders, s, "\xff\xff\xff\xff\xff\xff\xff\xff")}; })},
      {"a frame larger than the client allows", Code::INTERNAL, false, failure,
       Answering([](auto s) { return Answer{Headers(s, kOk) + Data(s, std::string((1 << 24) - 1, 'x')).substr(0, 100)}; })},
      {"a frame out of order", Code::UNKNOWN, false, failure,
       Answering([](auto s) { return Answer{Frame(FrameType::kContinuation, kEndHeaders, s, "")}; })},
      {"HTTP/1.1 as the greeting", Code::UNAVAILABLE, true, failure, Greeting("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")},
  };
  rows.back().repaired_by_grpc = true;
  return rows;
}

namespace {

TEST(WireResponses, StreamsAndConnectionsThatEndWithAnErrorAreJudged) { JudgeAll(StreamErrors()); }

TEST(WireResponses, BadResponsesAreJudged) { JudgeAll(BadResponses()); }

TEST(WireResponses, SoTheyAreInEveryForm) {
  JudgeInEveryForm(StreamErrors(), {"RST_STREAM with INTERNAL_ERROR", "RST_STREAM with REFUSED_STREAM", "RST_STREAM with CANCEL",
                                    "GOAWAY with NO_ERROR, the call was not looked at",
                                    "GOAWAY with ENHANCE_YOUR_CALM, then closed without an answer", "GOAWAY, and the call is answered"});
  JudgeInEveryForm(BadResponses(), {"UNAVAILABLE, with pushback", "no trailers", "a message larger than the client takes",
                                    "trailers larger than the client takes", "HTTP/1.1 as the greeting"});
}

// A message, then UNAVAILABLE, and a second attempt that brings none: its status must not come with the first one's message.
TEST(WireResponses, AStatusComesWithItsOwnAttemptsMessageOnly) {
  for (const int status : {0, 5}) {
    for (const Attach attach : kBothAttachments) {
      for (const Form form : kAllForms) {
        const bool generic = form == Form::kGeneric || form == Form::kGenericCallback || form == Form::kGenericReactor;
        if (status == 0 && generic) continue;  // they expect OK to bring something
        SCOPED_TRACE(::testing::Message() << form << ", " << AttachName(attach) << ", then " << status);
        const Witness witness;
        FrameServer server([status](int request, std::uint32_t stream) {
          if (request == 0) return Wrapped(stream, Data(stream, Message(kHello)), {{"grpc-status", "14"}});
          return TrailersOnly(stream, {{"grpc-status", std::to_string(status)}});
        });
        const CallResult result = Call(form, RecloserChannel(attach, {server.target()}, FastRetries(), witness.registry()));
        EXPECT_NE(result.payload, "hello");
        EXPECT_EQ(server.requests(), 2);
        if (status != 0) {
          EXPECT_EQ(result.status.error_code(), status);
        }
        witness.ExpectAllEnded();
      }
    }
  }
}

}  // namespace
}  // namespace recloser::testing
