// nginx between client and service: its own answers, connections that it drops, its reload under load.
#include "nginx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "judge.h"
#include "load.h"
#include "proxy.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using Code = grpc::StatusCode;

std::string PassTo(const std::string& target, const std::string& more = "") {
  return "location / { grpc_pass grpc://" + target + "; " + more + " }";
}

// What nginx answers by itself.
class Answering final : public Stage {
 public:
  Answering(const std::string& server) : nginx_(server) {}
  Endpoint endpoint() const override { return {nginx_.target()}; }
  int served() const override { return 0; }

 private:
  Nginx nginx_;
};

// nginx before a service that is not well.
class Passing final : public Stage {
 public:
  enum class Service { kAbsent, kHangs, kBreaks };

  explicit Passing(Service service)
      : server_([service](const Seen&) {
          Reply reply;
          reply.until_cancelled = service == Service::kHangs;
          return reply;
        }),
        proxy_(server_.target()),
        nginx_(PassTo(proxy_.target(), service == Service::kHangs ? "grpc_read_timeout 60ms;" : "")) {
    if (service == Service::kAbsent) proxy_.Refuse();
    if (service == Service::kBreaks) proxy_.Harm({kInResponseData, WireFault::Action::kReset}, kAlways);
  }
  Endpoint endpoint() const override { return {nginx_.target()}; }
  int served() const override { return server_.attempts(); }

 private:
  ScriptedServer server_;
  WireProxy proxy_;
  Nginx nginx_;
};

FaultRow Row(const char* fault, Code code, bool retried, Outcome outcome, std::function<std::unique_ptr<Stage>(int)> make) {
  FaultRow row{fault, code, retried, outcome, std::move(make)};
  row.lasts = true;
  return row;
}

std::function<std::unique_ptr<Stage>(int)> With(const char* server) {
  return [server](int) { return std::make_unique<Answering>(server); };
}
std::function<std::unique_ptr<Stage>(int)> With(Passing::Service service) {
  return [service](int) { return std::make_unique<Passing>(service); };
}

}  // namespace

std::vector<FaultRow> GatewayAnswers() {
  const Outcome failure = Outcome::kFailure;
  return {
      Row("502, the service refuses connections", Code::UNAVAILABLE, true, failure, With(Passing::Service::kAbsent)),
      Row("504, the service does not answer in time", Code::UNAVAILABLE, true, failure, With(Passing::Service::kHangs)),
      Row("the service's connection breaks in its response's message", Code::INTERNAL, false, failure, With(Passing::Service::kBreaks)),
      Row("500", Code::UNKNOWN, false, failure, With("return 500;")),
      Row("503", Code::UNAVAILABLE, true, failure, With("return 503;")),
      Row("429", Code::UNAVAILABLE, true, failure, With("return 429;")),
      Row("404", Code::UNIMPLEMENTED, false, Outcome::kIgnored, With("return 404;")),
      Row("403", Code::PERMISSION_DENIED, false, Outcome::kSuccess, With("return 403;")),
      Row("`return 444`, the stream is dropped", Code::INTERNAL, false, failure, With("return 444;")),
      Row("an error page with grpc-status 14", Code::UNAVAILABLE, true, failure,
          With("error_page 503 = @grpc; location / { return 503; } "
               "location @grpc { default_type application/grpc; add_header grpc-status 14 always; return 204; }")),
  };
}

namespace {

class WireNginx : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Nginx::IsInstalled()) GTEST_SKIP() << "there is no nginx here (" RECLOSER_NGINX "); ./dev test fetches it";
  }
};

TEST_F(WireNginx, AnswersAreJudged) { JudgeAll(GatewayAnswers()); }

TEST_F(WireNginx, SoTheyAreInEveryForm) { JudgeInEveryForm(GatewayAnswers(), {"an error page with grpc-status 14"}, {Stream::kServer}); }

TEST_F(WireNginx, WhatIsWellPassesInEveryForm) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 3;
    reply.trailers.emplace("some", "trailer");
    return reply;
  });
  const Nginx nginx(PassTo(server.target()));
  for (const Attach attach : kBothAttachments) {
    const Witness witness;
    const auto channel = RecloserChannel(attach, {nginx.target()}, FastRetries(), witness.registry());
    int calls = 0;
    const auto expect_well = [&](const CallResult& result, int messages) {
      EXPECT_TRUE(result.status.ok()) << result.status.error_message();
      EXPECT_EQ(result.messages, messages);
      EXPECT_THAT(result.trailers, ::testing::Contains(std::pair<const std::string, std::string>("some", "trailer")));
      ++calls;
    };
    for (const Form form : kAllForms) {
      SCOPED_TRACE(form);
      expect_well(Call(form, channel), 1);
    }
    for (const StreamForm form : kAllStreamForms) {
      for (const Stream stream : kAllStreams) {
        SCOPED_TRACE(::testing::Message() << StreamFormName(form) << ' ' << StreamName(stream));
        expect_well(Call(form, stream, channel), stream == Stream::kClient ? 1 : 3);
      }
    }
    witness.ExpectAllEnded();
    EXPECT_EQ(witness.totals().attempts_finished, calls);
  }
}

TEST_F(WireNginx, AServiceThatComesBackBehindItClosesTheBreaker) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const Nginx nginx(PassTo(server.target()));
  const Witness witness;
  const auto channel = RecloserChannel(Attach::kDecorator, {nginx.target()}, TouchyBreaker(), witness.registry());
  EXPECT_TRUE(Call(Form::kSync, channel).status.ok());
  server.Stop();
  EXPECT_TRUE(Eventually([&] { return Call(Form::kSync, channel).trailers.count(kRejectedByTrailer) > 0; }));
  EXPECT_EQ(witness.breaker()->state(), BreakerState::kOpen);
  server.Start();
  EXPECT_TRUE(Eventually([&] { return Call(Form::kSync, channel).status.ok() && witness.breaker()->state() == BreakerState::kClosed; }));
  witness.ExpectAllEnded();
}

// Old workers send GOAWAY and go.
TEST_F(WireNginx, ItsReloadUnderLoadLosesNoIdempotentCall) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.delay = milliseconds(1);
    return reply;
  });
  const auto generation = [&](int number) { return PassTo(server.target(), "add_header generation " + std::to_string(number) + ";"); };
  Nginx nginx(generation(0));
  const Witness witness;
  const auto channel = RecloserChannel(Attach::kDecorator, {nginx.target()}, PersistentRetries(), witness.registry());
  Load load(channel, "Echo");
  for (int number = 1; number <= 4; ++number) {
    const int before = load.calls();
    nginx.Reload(generation(number));
    EXPECT_TRUE(Eventually([&] {
      const CallResult result = Call(Form::kSync, channel);
      EXPECT_TRUE(result.status.ok()) << result.status.error_message();
      const auto header = result.headers.find("generation");
      return header != result.headers.end() && header->second == std::to_string(number) && load.calls() > before + 20;
    })) << number;
  }
  load.Stop();
  EXPECT_EQ(load.failed(), 0) << ::testing::PrintToString(load.messages());
  witness.ExpectAllEnded();
  EXPECT_LE(server.attempts(), witness.totals().attempts_finished);
  EXPECT_GE(server.attempts(), load.ok());
}

}  // namespace
}  // namespace recloser::testing
