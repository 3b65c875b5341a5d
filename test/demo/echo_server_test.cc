// The echo service over a real socket: it answers as asked, and counts what reached it.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <map>
#include <string>
#include <vector>

#include "demo_client.h"
#include "demo_services/echo/server.h"
#include "recloser/config/duration.h"

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;

class EchoServerTest : public testing::Test {
 protected:
  EchoServerTest() : server_(*EchoServer::Start({})), stub_(v1::Echo::NewStub(ConnectTo(server_->address()))) {}

  grpc::Status Call(const v1::EchoRequest& request, v1::EchoResponse* response) { return stub_->Echo(Context().get(), request, response); }
  v1::StatsResponse::Method Stats(EchoMethod method) const { return server_->stats().methods(static_cast<int>(method)); }

  std::unique_ptr<EchoServer> server_;
  std::unique_ptr<v1::Echo::Stub> stub_;
};

TEST_F(EchoServerTest, AnswersWithPayloadMetadataAuthorityAndTheDeadlineThatIsLeft) {
  v1::EchoRequest request;
  request.set_payload("hello");
  request.set_echo_metadata(true);
  auto context = Context(std::chrono::seconds(30));
  context->AddMetadata("x-key", "value");
  context->AddMetadata("x-key-bin", std::string("\0\xff", 2));
  context->set_authority("some.authority");
  v1::EchoResponse response;
  ASSERT_TRUE(stub_->Echo(context.get(), request, &response).ok());
  EXPECT_EQ(response.payload(), "hello");
  EXPECT_EQ(response.authority(), "some.authority");
  std::map<std::string, std::string> metadata;
  for (const v1::Metadata& entry : response.metadata()) metadata[entry.key()] = entry.value();
  EXPECT_EQ(metadata["x-key"], "value");
  EXPECT_EQ(metadata["x-key-bin"], std::string("\0\xff", 2));
  // gRPC rounds timeouts up on the wire, by 1 % at most.
  EXPECT_LE(FromProto(response.deadline_left()), milliseconds(30'300));
  EXPECT_GT(FromProto(response.deadline_left()), std::chrono::seconds(20));

  grpc::ClientContext without_deadline;
  ASSERT_TRUE(stub_->Echo(&without_deadline, {}, &response).ok());
  EXPECT_FALSE(response.has_deadline_left());
  EXPECT_EQ(response.sequence(), 2u);
}

TEST_F(EchoServerTest, AnswersWithTheStatusDetailsAndTrailersAskedFor) {
  v1::EchoRequest request;
  request.set_code(v1::ABORTED);
  request.set_message("as asked");
  request.set_status_details("details");
  request.set_retry_pushback_ms("-1");
  for (auto* metadata : {request.add_headers(), request.add_trailers()}) {
    metadata->set_key("x-answer");
    metadata->set_value("yes");
  }
  auto context = Context();
  v1::EchoResponse response;
  const grpc::Status status = stub_->Echo(context.get(), request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(status.error_message(), "as asked");
  EXPECT_EQ(status.error_details(), "details");
  EXPECT_EQ(context->GetServerTrailingMetadata().count("x-answer"), 1u);
  ASSERT_EQ(context->GetServerTrailingMetadata().count("grpc-retry-pushback-ms"), 1u);
  EXPECT_EQ(context->GetServerTrailingMetadata().find("grpc-retry-pushback-ms")->second, "-1");
}

TEST_F(EchoServerTest, DelaysItsAnswer) {
  v1::EchoRequest request;
  *request.mutable_delay() = ToProto(milliseconds(60));
  v1::EchoResponse response;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(Call(request, &response).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(60));
}

TEST_F(EchoServerTest, GrowsAndCutsThePayload) {
  v1::EchoRequest request;
  request.set_payload("hello");
  v1::EchoResponse response;
  request.set_response_size(2);
  ASSERT_TRUE(Call(request, &response).ok());
  EXPECT_EQ(response.payload(), "he");
  request.set_response_size(8 * 1024 * 1024);
  ASSERT_TRUE(Call(request, &response).ok());
  EXPECT_EQ(response.payload().size(), 8u * 1024 * 1024);
}

TEST_F(EchoServerTest, FailsTheFirstAttempts) {
  v1::EchoRequest request;
  request.set_fail_first_attempts(2);
  for (const auto& [previous, code] : std::map<std::string, grpc::StatusCode>{
           {"", grpc::StatusCode::UNAVAILABLE}, {"1", grpc::StatusCode::UNAVAILABLE}, {"2", grpc::StatusCode::OK}}) {
    auto context = Context();
    if (!previous.empty()) context->AddMetadata("recloser-previous-attempts", previous);
    v1::EchoResponse response;
    EXPECT_EQ(stub_->Echo(context.get(), request, &response).error_code(), code) << previous;
  }
  EXPECT_EQ(Stats(EchoMethod::kEcho).retries(), 2u);
  EXPECT_EQ(Stats(EchoMethod::kEcho).failed(), 2u);
  EXPECT_EQ(Stats(EchoMethod::kEcho).ok(), 1u);
}

TEST_F(EchoServerTest, IncrementHasItsEffectEvenWhenItFails) {
  v1::EchoRequest request;
  v1::EchoResponse response;
  ASSERT_TRUE(stub_->Increment(Context().get(), request, &response).ok());
  EXPECT_EQ(response.counter(), 1);
  request.set_code(v1::UNAVAILABLE);
  EXPECT_FALSE(stub_->Increment(Context().get(), request, &response).ok());
  v1::StatsResponse stats;
  ASSERT_TRUE(stub_->Stats(Context().get(), {}, &stats).ok());
  EXPECT_EQ(stats.counter(), 2);
}

TEST_F(EchoServerTest, RefusesWhatItCannotDoNamingTheField) {
  v1::EchoRequest request;
  *request.mutable_delay() = ToProto(std::chrono::hours(2));
  v1::EchoResponse response;
  grpc::Status status = Call(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "delay: 7200s is not allowed; must be from 0s to 3600s");
  request.Clear();
  request.add_trailers()->set_key("Not Legal");
  EXPECT_EQ(Call(request, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(EchoServerTest, StreamsMessagesAndFailsInTheMiddle) {
  v1::EchoRequest request;
  request.set_messages(3);
  *request.mutable_interval() = ToProto(milliseconds(5));
  for (const bool fails : {false, true}) {
    if (fails) {
      request.set_code(v1::DATA_LOSS);
      request.set_fail_after_messages(2);
    }
    auto context = Context();
    auto reader = stub_->ServerStream(context.get(), request);
    v1::EchoResponse response;
    std::uint32_t count = 0;
    while (reader->Read(&response)) EXPECT_EQ(response.message_index(), ++count);
    EXPECT_EQ(count, fails ? 2u : 3u);
    EXPECT_EQ(reader->Finish().error_code(), fails ? grpc::StatusCode::DATA_LOSS : grpc::StatusCode::OK);
  }
  EXPECT_EQ(Stats(EchoMethod::kServerStream).ok(), 1u);
  EXPECT_EQ(Stats(EchoMethod::kServerStream).failed(), 1u);
}

TEST_F(EchoServerTest, CountsTheMessagesOfAClientStream) {
  auto context = Context();
  v1::EchoResponse response;
  auto writer = stub_->ClientStream(context.get(), &response);
  v1::EchoRequest request;
  request.set_payload("first");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(writer->Write(request));
  writer->WritesDone();
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(response.message_index(), 3u);
  EXPECT_EQ(response.payload(), "first");
}

TEST_F(EchoServerTest, AnswersEachMessageOfABidiStreamInOrderAndFailsWhenAsked) {
  auto context = Context();
  auto stream = stub_->BidiStream(context.get());
  for (const char* payload : {"a", "b"}) {
    v1::EchoRequest request;
    request.set_payload(payload);
    v1::EchoResponse response;
    ASSERT_TRUE(stream->Write(request));
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.payload(), payload);
  }
  v1::EchoRequest failing;
  failing.set_code(v1::INTERNAL);
  failing.set_fail_after_messages(2);
  v1::EchoResponse response;
  ASSERT_TRUE(stream->Write(failing));
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::INTERNAL);
}

TEST_F(EchoServerTest, CountsClientsThatLeaveAsCancelled) {
  v1::EchoRequest request;
  *request.mutable_delay() = ToProto(std::chrono::hours(1));
  v1::EchoResponse response;
  EXPECT_EQ(stub_->Echo(Context(milliseconds(50)).get(), request, &response).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  auto context = Context();
  auto stream = stub_->BidiStream(context.get());
  ASSERT_TRUE(stream->Write({}));
  ASSERT_TRUE(stream->Read(&response));
  context->TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(Eventually([&] { return Stats(EchoMethod::kEcho).cancelled() == 1 && Stats(EchoMethod::kBidiStream).cancelled() == 1; }));
  EXPECT_EQ(Stats(EchoMethod::kEcho).in_flight(), 0u);
}

TEST_F(EchoServerTest, ShutdownLetsCallsEndThatCanAndCutsTheOthers) {
  const auto call = [this](Duration delay) {
    return [this, delay] {
      v1::EchoRequest request;
      *request.mutable_delay() = ToProto(delay);
      v1::EchoResponse response;
      return Call(request, &response).error_code();
    };
  };
  auto short_call = std::async(std::launch::async, call(milliseconds(100)));
  auto long_call = std::async(std::launch::async, call(std::chrono::hours(1)));
  ASSERT_TRUE(Eventually([&] { return Stats(EchoMethod::kEcho).in_flight() == 2; }));
  server_->Shutdown(milliseconds(500));
  EXPECT_EQ(short_call.get(), grpc::StatusCode::OK);
  EXPECT_NE(long_call.get(), grpc::StatusCode::OK);
  EXPECT_EQ(Stats(EchoMethod::kEcho).in_flight(), 0u);
}

TEST_F(EchoServerTest, TwoServersCannotShareAPort) {
  EchoServer::Options options;
  options.listen = server_->address();
  const auto second = EchoServer::Start(options);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace recloser::demo
