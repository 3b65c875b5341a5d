// Streams: gated by the breaker, bounded by the deadline, judged by their final status, never repeated; in every form and both ways to
// attach.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "api_forms.h"
#include "await.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

class StreamTest : public ::testing::TestWithParam<std::tuple<StreamForm, Stream, Attach>> {
 protected:
  StreamTest() { registry_->AddObserver(tally_); }

  StreamForm form() const { return std::get<0>(GetParam()); }
  Stream stream() const { return std::get<1>(GetParam()); }
  bool writes() const { return stream() != Stream::kServer; }
  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target, const Policies& policies) {
    return testing::Connect(std::get<2>(GetParam()), target, policies, registry_);
  }
  CallResult Make(const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec spec = {}) {
    return Call(form(), stream(), channel, std::move(spec));
  }
  std::int64_t permits_in_flight() const {
    std::int64_t permits = 0;
    for (const auto& breaker : registry_->List()) permits += breaker->Snapshot(Now()).permits_in_flight;
    return permits;
  }

  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
};

INSTANTIATE_TEST_SUITE_P(Forms, StreamTest,
                         ::testing::Combine(::testing::ValuesIn(kAllStreamForms), ::testing::ValuesIn(kAllStreams),
                                            ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(StreamFormName(std::get<0>(row.param))) + StreamName(std::get<1>(row.param)) +
                                  AttachName(std::get<2>(row.param));
                         });

TEST_P(StreamTest, AHealthyStreamIsDeliveredUnchanged) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 3;
    reply.headers = {{"h", "1"}};
    reply.trailers = {{"t", "2"}};
    return reply;
  });
  const CallResult result = Make(Connect(server.target(), Policies::Defaults()));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.messages, stream() == Stream::kClient ? 1 : 3);
  EXPECT_EQ(result.written, writes() ? 3 : 0);
  EXPECT_EQ(result.headers.count("h"), 1u);
  EXPECT_EQ(result.trailers.count("t"), 1u);
  EXPECT_EQ(permits_in_flight(), 0);
  const Tally::Totals totals = tally_->totals();
  ASSERT_EQ(totals.attempts.size(), 1u);
  EXPECT_EQ(totals.attempts[0].outcome, Outcome::kSuccess);
  EXPECT_EQ(totals.calls_finished, 1);
}

TEST_P(StreamTest, AnOpenBreakerRejectsAtOnceAndWritesFail) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = Connect(server.target(), Policies::Defaults());
  EXPECT_TRUE(Make(channel).status.ok());
  for (const auto& breaker : registry_->List()) breaker->ForceOpen(Now());
  CallSpec spec;
  spec.stream_messages = 1'000'000'000;  // who writes until a write fails must come to an end
  const CallResult result = Make(channel, std::move(spec));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(), ::testing::HasSubstr("circuit breaker"));
  EXPECT_EQ(result.trailers.count(kRejectedByTrailer), 1u);
  EXPECT_EQ(result.messages, 0);
  EXPECT_EQ(result.written, 0);
  EXPECT_EQ(server.attempts(), 1);
  EXPECT_EQ(tally_->totals().rejected, 1);
  EXPECT_EQ(tally_->totals().calls_finished, 2);
}

TEST_P(StreamTest, ThePolicysDeadlineEndsTheStream) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.until_cancelled = true;
    return reply;
  });
  Policies policies = Policies::Defaults();
  policies.defaults.deadline = milliseconds(300);
  policies.defaults.attempt_timeout = milliseconds(10);  // is not for streams
  const Stopwatch watch;
  const CallResult result = Make(Connect(server.target(), policies));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << result.status.error_message();
  EXPECT_GE(watch.elapsed(), milliseconds(300));
  EXPECT_LT(watch.elapsed(), seconds(10));
  ASSERT_EQ(server.attempts(), 1);
  const bool decorated = std::get<2>(GetParam()) == Attach::kDecorator;
  EXPECT_EQ(server.seen()[0].deadline_left.has_value(), decorated);
  EXPECT_EQ(tally_->totals().timeouts, 1);
  EXPECT_EQ(permits_in_flight(), 0);
}

TEST_P(StreamTest, AStreamThatDiesMidwayIsAFailureAndNeverRepeated) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 3;
    reply.status = Unavailable();
    return reply;
  });
  Policies policies = FastRetries();
  policies.defaults.retry.mode = RetryMode::kAlways;
  const CallResult result = Make(Connect(server.target(), policies));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(result.status.error_message(), "not now");
  EXPECT_EQ(result.messages, stream() == Stream::kClient ? 0 : 3);
  EXPECT_EQ(server.attempts(), 1);
  const Tally::Totals totals = tally_->totals();
  ASSERT_EQ(totals.attempts.size(), 1u);
  EXPECT_EQ(totals.attempts[0].outcome, Outcome::kFailure);
  EXPECT_THAT(totals.suppressed, ::testing::ElementsAre(RetrySuppressed::kCommitted));
  EXPECT_EQ(permits_in_flight(), 0);
}

TEST_P(StreamTest, FailingStreamsOpenTheBreaker) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.status = Unavailable();
    return reply;
  });
  const auto channel = Connect(server.target(), TouchyBreaker());
  EXPECT_EQ(Make(channel).trailers.count(kRejectedByTrailer), 0u);
  EXPECT_EQ(Make(channel).trailers.count(kRejectedByTrailer), 0u);
  EXPECT_EQ(Make(channel).trailers.count(kRejectedByTrailer), 1u);
  EXPECT_EQ(server.attempts(), 2);
}

TEST_P(StreamTest, ALongStreamIsNotSlow) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.delay = milliseconds(60);
    return reply;
  });
  Policies policies = TouchyBreaker();
  auto& standard = std::get<StandardBreakerOptions>(policies.defaults.breaker.kind);
  standard.slow_call_duration = milliseconds(1);
  standard.slow_call_rate_threshold = 0.01;
  const auto channel = Connect(server.target(), policies);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Make(channel).status.ok());
}

TEST_P(StreamTest, ACancelledStreamEndsAtOnceAndSaysNothingAboutTheService) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.until_cancelled = true;
    return reply;
  });
  CallSpec spec;
  spec.meanwhile = [&server](grpc::ClientContext& context) {
    EXPECT_TRUE(Eventually([&] { return server.attempts() > 0; }));
    context.TryCancel();
  };
  const CallResult result = Make(Connect(server.target(), Policies::Defaults()), std::move(spec));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  ASSERT_EQ(tally_->totals().attempts.size(), 1u);
  EXPECT_EQ(tally_->totals().attempts[0].outcome, Outcome::kIgnored);
  EXPECT_EQ(permits_in_flight(), 0);
}

TEST_P(StreamTest, AStreamCancelledBeforeItBeganReachesNobody) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  CallSpec spec;
  spec.prepare = [](grpc::ClientContext& context) { context.TryCancel(); };
  EXPECT_EQ(Make(Connect(server.target(), Policies::Defaults()), std::move(spec)).status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(tally_->totals().calls_finished, 1);
  EXPECT_EQ(permits_in_flight(), 0);
}

// What an impatient application does: it begins a stream and lets everything go. The callback API has no such way.
class DroppedStreamTest : public StreamTest {
 protected:
  void BeginAndDrop(const std::shared_ptr<grpc::ChannelInterface>& channel) {
    const auto stub = Echo::NewStub(channel);
    const EchoRequest request;
    EchoResponse response;
    grpc::CompletionQueue queue;
    grpc::ClientContext context;
    if (form() == StreamForm::kSync) {
      if (stream() == Stream::kClient) stub->ClientStream(&context, &response)->Write(request);
      if (stream() == Stream::kServer) stub->ServerStream(&context, request)->Read(&response);
      if (stream() == Stream::kBidi) stub->BidiStream(&context)->Write(request);
      return;
    }
    if (stream() == Stream::kClient) Begin(*stub->PrepareAsyncClientStream(&context, &response, &queue), queue);
    if (stream() == Stream::kServer) Begin(*stub->PrepareAsyncServerStream(&context, request, &queue), queue);
    if (stream() == Stream::kBidi) Begin(*stub->PrepareAsyncBidiStream(&context, &queue), queue);
  }

 private:
  template <class Call>
  static void Begin(Call& call, grpc::CompletionQueue& queue) {
    call.StartCall(&call);
    Next(queue, &call);
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, DroppedStreamTest,
                         ::testing::Combine(::testing::Values(StreamForm::kSync, StreamForm::kQueue), ::testing::ValuesIn(kAllStreams),
                                            ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(StreamFormName(std::get<0>(row.param))) + StreamName(std::get<1>(row.param)) +
                                  AttachName(std::get<2>(row.param));
                         });

TEST_P(DroppedStreamTest, GivesItsPermitBackAndCountsAsFinished) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.until_cancelled = true;
    return reply;
  });
  Policies policies = Policies::Defaults();
  policies.defaults.deadline = seconds(60);
  BeginAndDrop(Connect(server.target(), policies));  // the channel goes too
  EXPECT_EQ(permits_in_flight(), 0);
  const Tally::Totals totals = tally_->totals();
  EXPECT_EQ(totals.calls_started, 1);
  EXPECT_EQ(totals.calls_finished, 1);
  ASSERT_EQ(totals.attempts.size(), 1u);
  EXPECT_EQ(totals.attempts[0].outcome, Outcome::kIgnored);
}

}  // namespace
}  // namespace recloser::testing
