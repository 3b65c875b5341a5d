// `MethodPolicy::stream_idle_timeout`: a stream whose application waits too long for a message ends; in every form and both ways to attach.
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "api_forms.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class StreamIdleTest : public ::testing::TestWithParam<std::tuple<StreamForm, Stream, Attach>> {
 protected:
  StreamIdleTest() { registry_->AddObserver(tally_); }

  Stream stream() const { return std::get<1>(GetParam()); }
  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target, milliseconds timeout) {
    Policies policies = Policies::Defaults();
    policies.defaults.stream_idle_timeout = timeout;
    return testing::Connect(std::get<2>(GetParam()), target, policies, registry_);
  }
  CallResult Make(const std::shared_ptr<grpc::ChannelInterface>& channel) { return Call(std::get<0>(GetParam()), stream(), channel); }
  void ExpectEndedByTimeout(const CallResult& result, const std::string& timeout) {
    EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    EXPECT_EQ(result.status.error_message(), "recloser: no message for " + timeout + " (stream_idle_timeout)");
    const Tally::Totals totals = tally_->totals();
    EXPECT_THAT(totals.timeout_scopes, ElementsAre(TimeoutScope::kStreamIdle));
    ASSERT_EQ(totals.attempts.size(), 1u);
    EXPECT_EQ(totals.attempts[0].outcome, Outcome::kFailure);
    EXPECT_TRUE(totals.calls[0].local);
  }

  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
};

INSTANTIATE_TEST_SUITE_P(Forms, StreamIdleTest,
                         ::testing::Combine(::testing::ValuesIn(kAllStreamForms), ::testing::ValuesIn(kAllStreams),
                                            ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(StreamFormName(std::get<0>(row.param))) + StreamName(std::get<1>(row.param)) +
                                  AttachName(std::get<2>(row.param));
                         });

TEST_P(StreamIdleTest, AServiceThatSendsNothingEndsTheStream) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 0;
    reply.until_cancelled = true;
    return reply;
  });
  const Stopwatch watch;
  const CallResult result = Make(Connect(server.target(), milliseconds(150)));
  EXPECT_GE(watch.elapsed(), milliseconds(150));
  ExpectEndedByTimeout(result, "150ms");
}

TEST_P(StreamIdleTest, AServiceThatSendsNoMoreEndsTheStream) {
  if (stream() == Stream::kClient) GTEST_SKIP() << "its one message is the response";
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 2;
    reply.until_cancelled = true;
    return reply;
  });
  const CallResult result = Make(Connect(server.target(), milliseconds(800)));
  EXPECT_EQ(result.messages, 2);
  ExpectEndedByTimeout(result, "800ms");
}

TEST_P(StreamIdleTest, EachMessageBeginsTheTimeAnew) {
  if (stream() == Stream::kClient) GTEST_SKIP() << "its one message is the response";
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 3;
    reply.gap = milliseconds(400);
    return reply;
  });
  const CallResult result = Make(Connect(server.target(), milliseconds(1000)));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.messages, 3);
  EXPECT_THAT(tally_->totals().timeout_scopes, IsEmpty());
}

// While the application asks for nothing, the service owes nothing.
class PausingApplicationTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr milliseconds kTimeout{300};
  static constexpr milliseconds kPause{700};

  std::unique_ptr<Echo::Stub> Connect(const ScriptedServer& server) {
    Policies policies = Policies::Defaults();
    policies.defaults.stream_idle_timeout = kTimeout;
    policies.defaults.retry.mode = RetryMode::kAlways;
    policies.defaults.retry.retry_server_streams = GetParam();
    return Echo::NewStub(testing::Connect(Attach::kDecorator, server.target(), policies, Registry::Create()));
  }
};

INSTANTIATE_TEST_SUITE_P(Relayed, PausingApplicationTest, ::testing::Bool());

TEST_P(PausingApplicationTest, MayTakeItsTimeBetweenReads) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 2;
    return reply;
  });
  const auto stub = Connect(server);
  grpc::ClientContext context;
  EchoResponse response;
  const auto reader = stub->ServerStream(&context, EchoRequest());
  std::this_thread::sleep_for(kPause);
  EXPECT_TRUE(reader->Read(&response));
  std::this_thread::sleep_for(kPause);
  EXPECT_TRUE(reader->Read(&response));
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
}

TEST_P(PausingApplicationTest, MayTakeItsTimeBetweenWrites) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto stub = Connect(server);
  grpc::ClientContext context;
  EchoResponse response;
  const auto writer = stub->ClientStream(&context, &response);
  EXPECT_TRUE(writer->Write(EchoRequest()));
  std::this_thread::sleep_for(kPause);
  EXPECT_TRUE(writer->Write(EchoRequest()));
  EXPECT_TRUE(writer->WritesDone());
  EXPECT_TRUE(writer->Finish().ok());
  EXPECT_EQ(response.message_index(), 2u);
}

}  // namespace
}  // namespace recloser::testing
