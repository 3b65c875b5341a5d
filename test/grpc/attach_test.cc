// What stands around a Recloser channel: other interceptors, server calls that calls are children of, other transports, credentials,
// further Reclosers, message types that are not protobuf; and policies by method.
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "api_forms.h"
#include "await.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "no_rtti_caller.h"
#include "scripted_server.h"

// A message type that is not protobuf and that the library does not know.
struct Text {
  std::string text;
};

template <>
class grpc::SerializationTraits<Text> {
 public:
  static Status Serialize(const Text& message, ByteBuffer* buffer, bool* own_buffer) {
    Slice slice(message.text);
    *buffer = ByteBuffer(&slice, 1);
    *own_buffer = true;
    return Status::OK;
  }
  static Status Deserialize(ByteBuffer* buffer, Text* message) {
    Slice slice;
    const Status status = buffer->DumpToSingleSlice(&slice);
    message->text.assign(reinterpret_cast<const char*>(slice.begin()), slice.size());
    buffer->Clear();
    return status;
  }
};

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;
using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using ::testing::ElementsAre;

Reply FailOnce(const Seen& seen) {
  Reply reply;
  if (seen.index == 0) reply.status = Unavailable();
  return reply;
}

Reply AlwaysFail(const Seen&) {
  Reply reply;
  reply.status = Unavailable();
  return reply;
}

struct Counts {
  std::atomic<int> starts{0};
  std::atomic<int> messages{0};
  std::atomic<int> statuses{0};
  std::atomic<int> ok{0};
};

// Somebody else's interceptor: adds a header and counts.
class Foreign final : public grpc::experimental::Interceptor {
 public:
  Foreign(Counts& counts, std::string header) : counts_(counts), header_(std::move(header)) {}
  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      ++counts_.starts;
      batch->GetSendInitialMetadata()->emplace(header_, "1");
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_MESSAGE) && batch->GetRecvMessage() != nullptr) {
      ++counts_.messages;
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_STATUS)) {
      ++counts_.statuses;
      if (batch->GetRecvStatus()->ok()) ++counts_.ok;
    }
    batch->Proceed();
  }

 private:
  Counts& counts_;
  const std::string header_;
};

class ForeignFactory final : public ClientInterceptorFactoryInterface {
 public:
  ForeignFactory(Counts& counts, std::string header) : counts_(counts), header_(std::move(header)) {}
  grpc::experimental::Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return new Foreign(counts_, header_); }

 private:
  Counts& counts_;
  const std::string header_;
};

class NoInterceptor final : public ClientInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return nullptr; }
};

TEST(OtherInterceptors, OutsideSeeTheCallAndInsideEveryAttempt) {
  for (const Attach attach : kBothAttachments) {
    for (const Form form : kAllForms) {
      SCOPED_TRACE(std::string(AttachName(attach)) + FormName(form));
      ScriptedServer server(FailOnce);
      Counts outside;
      Counts inside;
      ChannelOptions options;
      options.outside.push_back(std::make_unique<NoInterceptor>());
      options.outside.push_back(std::make_unique<ForeignFactory>(outside, "outside"));
      options.inside.push_back(std::make_unique<NoInterceptor>());
      options.inside.push_back(std::make_unique<ForeignFactory>(inside, "inside"));
      const auto channel = Connect(attach, server.target(), FastRetries(), Registry::Create(), std::move(options));
      EXPECT_TRUE(Call(form, channel).status.ok());
      ASSERT_EQ(server.attempts(), 2);
      for (const Seen& seen : server.seen()) {
        EXPECT_EQ(seen.metadata.count("outside"), 1u);
        EXPECT_EQ(seen.metadata.count("inside"), 1u);
      }
      EXPECT_EQ(outside.starts, 1);
      EXPECT_EQ(outside.messages, 1);
      EXPECT_EQ(outside.statuses, 1);
      EXPECT_EQ(outside.ok, 1);
      EXPECT_EQ(inside.starts, 2);
      EXPECT_EQ(inside.statuses, 2);
      EXPECT_EQ(inside.ok, 1);
    }
  }
}

TEST(StackedReclosers, TheInnerOnesRejectionIsNoFailureToTheOuterOne) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto outer = Registry::Create();
  const auto inner = Registry::Create();
  const auto tally = std::make_shared<Tally>();
  outer->AddObserver(tally);
  ChannelOptions options;
  options.inside = MakeClientInterceptors(FastRetries(), inner);
  const auto channel = Connect(Attach::kDecorator, server.target(), TouchyBreaker(), outer, std::move(options));
  for (const Form form : kAllForms) EXPECT_TRUE(Call(form, channel).status.ok());
  for (const auto& breaker : inner->List()) breaker->ForceOpen(Now());
  for (const Form form : kAllForms) {
    const CallResult result = Call(form, channel);
    EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(result.trailers.count(kRejectedByTrailer), 1u);
    EXPECT_EQ(tally->totals().attempts.back().outcome, Outcome::kIgnored) << FormName(form);
  }
  EXPECT_EQ(outer->List()[0]->state(), BreakerState::kClosed);
  EXPECT_EQ(tally->totals().attempts_started, 2 * static_cast<int>(std::size(kAllForms)));
}

// A service that asks another one, as a child of the call it serves.
class Proxy final : private Echo::Service {
 public:
  explicit Proxy(std::shared_ptr<grpc::ChannelInterface> backend) : backend_(Echo::NewStub(backend)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~Proxy() override { server_->Shutdown(); }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }
  int served() const { return served_; }

 private:
  grpc::Status Echo(grpc::ServerContext* context, const EchoRequest* request, EchoResponse* response) override {
    const auto child = grpc::ClientContext::FromServerContext(*context);
    const grpc::Status status = backend_->Echo(child.get(), *request, response);
    ++served_;
    return status;
  }

  const std::unique_ptr<demo::v1::Echo::Stub> backend_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::atomic<int> served_{0};
};

class ParentTest : public ::testing::TestWithParam<Attach> {
 protected:
  ParentTest() { registry_->AddObserver(tally_); }
  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target) {
    return testing::Connect(GetParam(), target, FastRetries(), registry_);
  }
  static CallResult Ask(const Proxy& proxy, CallSpec spec) {
    return Call(Form::kSync, grpc::CreateChannel(proxy.target(), grpc::InsecureChannelCredentials()), std::move(spec));
  }
  static CallSpec WithDeadline(milliseconds deadline) {
    CallSpec spec;
    spec.prepare = [deadline](grpc::ClientContext& context) { context.set_deadline(std::chrono::system_clock::now() + deadline); };
    return spec;
  }

  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
};

INSTANTIATE_TEST_SUITE_P(Attachments, ParentTest, ::testing::ValuesIn(kBothAttachments),
                         [](const auto& row) { return std::string(AttachName(row.param)); });

TEST_P(ParentTest, ItsDeadlineReachesEveryAttempt) {
  ScriptedServer server(FailOnce);
  const Proxy proxy(Connect(server.target()));
  EXPECT_TRUE(Ask(proxy, WithDeadline(seconds(50))).status.ok());
  ASSERT_EQ(server.attempts(), 2);
  for (const Seen& seen : server.seen()) {
    ASSERT_TRUE(seen.deadline_left.has_value());
    EXPECT_LE(*seen.deadline_left, seconds(51));
  }
}

TEST_P(ParentTest, ItsEndEndsALaterAttempt) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply;
    if (seen.index == 0) reply.status = Unavailable();
    if (seen.index == 1) reply.until_cancelled = true;
    return reply;
  });
  const Proxy proxy(Connect(server.target()));
  EXPECT_EQ(Ask(proxy, WithDeadline(milliseconds(600))).status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([&] { return proxy.served() == 1; }));
  EXPECT_EQ(server.attempts(), 2);
}

TEST_P(ParentTest, ItsCancellationEndsALaterAttemptAndSaysNothingAboutTheService) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply;
    if (seen.index == 0) reply.status = Unavailable();
    if (seen.index == 1) reply.until_cancelled = true;
    return reply;
  });
  const Proxy proxy(Connect(server.target()));
  CallSpec spec;
  spec.meanwhile = [&](grpc::ClientContext& context) {
    EXPECT_TRUE(Eventually([&] { return server.attempts() == 2; }));
    context.TryCancel();
  };
  EXPECT_EQ(Ask(proxy, std::move(spec)).status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(Eventually([&] { return proxy.served() == 1; }));
  EXPECT_EQ(tally_->totals().attempts.back().outcome, Outcome::kIgnored);
}

TEST_P(ParentTest, NoBackoffOutlastsItForLong) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.status = Unavailable();
    reply.trailers = {{"grpc-retry-pushback-ms", "60000"}};
    return reply;
  });
  const Proxy proxy(Connect(server.target()));
  const Stopwatch watch;
  EXPECT_EQ(Ask(proxy, {}).status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_LT(watch.elapsed(), seconds(20));
  EXPECT_THAT(tally_->totals().suppressed, ElementsAre(RetrySuppressed::kPushback));
}

TEST(InProcess, FactoriesOfOnesOwnProtectAnInProcessChannel) {
  ScriptedServer server(FailOnce);
  const auto registry = Registry::Create();
  const auto channel = server.InProcessChannel(MakeClientInterceptors(FastRetries(), registry));
  EXPECT_TRUE(Call(Form::kSync, channel).status.ok());
  EXPECT_EQ(server.attempts(), 2);
  registry->List()[0]->ForceOpen(Now());
  for (const Form form : kAllForms) EXPECT_EQ(Call(form, channel).trailers.count(kRejectedByTrailer), 1u) << FormName(form);
}

TEST(CallCredentials, AreAppliedToEachAttempt) {
  class Token final : public grpc::MetadataCredentialsPlugin {
   public:
    grpc::Status GetMetadata(grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
                             std::multimap<grpc::string, grpc::string>* metadata) override {
      metadata->emplace("token", "secret");
      return grpc::Status::OK;
    }
  };
  ScriptedServer server(FailOnce, grpc::experimental::LocalServerCredentials(LOCAL_TCP));
  ChannelOptions options;
  options.registry = Registry::Create();
  const auto channel = CreateChannel(server.target(), grpc::experimental::LocalCredentials(LOCAL_TCP), FastRetries(), std::move(options));
  for (const Form form : kAllForms) {
    const int before = server.attempts();
    server.SetScript([before](const Seen& seen) {
      Reply reply;
      if (seen.index == before) reply.status = Unavailable();
      return reply;
    });
    CallSpec spec;
    spec.prepare = [](grpc::ClientContext& context) {
      context.set_credentials(grpc::experimental::MetadataCredentialsFromPlugin(std::make_unique<Token>(), GRPC_SECURITY_NONE));
    };
    const CallResult result = Call(form, channel, std::move(spec));
    EXPECT_TRUE(result.status.ok()) << FormName(form) << ": " << result.status.error_message();
    EXPECT_EQ(server.attempts(), before + 2);
  }
  for (const Seen& seen : server.seen()) EXPECT_EQ(seen.metadata.count("token"), 1u);
}

constexpr char kEcho[] = "/recloser.demo.v1.Echo/Echo";

TEST(UnknownMessageTypes, AreDeliveredUnchangedAndNotRepeated) {
  for (const bool two_batches : {false, true}) {
    ScriptedServer server(AlwaysFail);
    const auto registry = Registry::Create();
    const auto tally = std::make_shared<Tally>();
    registry->AddObserver(tally);
    const auto channel = Connect(Attach::kDecorator, server.target(), FastRetries(), registry);
    const auto call = [&](Text* response) {
      grpc::TemplatedGenericStub<Text, Text> stub(channel);
      grpc::ClientContext context;
      grpc::CompletionQueue queue;
      grpc::Status status;
      const auto reader = stub.PrepareUnaryCall(&context, kEcho, Text{std::string("\x0a\x02hi")}, &queue);  // EchoRequest{payload: "hi"}
      reader->StartCall();
      if (two_batches) {
        reader->ReadInitialMetadata(&queue);
        Next(queue, &queue);
      }
      reader->Finish(response, &status, &status);
      Next(queue, &status);
      return status;
    };
    Text response;
    EXPECT_EQ(call(&response).error_message(), "not now");
    EXPECT_EQ(server.attempts(), 1);
    EXPECT_THAT(tally->totals().suppressed, ElementsAre(RetrySuppressed::kUnsupportedMessage));
    EXPECT_EQ(call(&response).error_message(), "not now");
    EXPECT_THAT(tally->totals().problems, ElementsAre(Problem::Kind::kUnsupportedMessage));  // told once
    server.SetScript([](const Seen&) { return Reply(); });
    EXPECT_TRUE(call(&response).ok());
    EXPECT_THAT(response.text, ::testing::HasSubstr("hi"));
  }
}

TEST(CallersWithoutRtti, AreServedAndNotRepeated) {
#ifdef RECLOSER_SANITIZED
  GTEST_SKIP() << "UndefinedBehaviorSanitizer takes every virtual call on an object without type information for an error";
#endif
  for (const bool two_batches : {false, true}) {
    ScriptedServer server(AlwaysFail);
    const auto registry = Registry::Create();
    const auto tally = std::make_shared<Tally>();
    registry->AddObserver(tally);
    const auto channel = Connect(Attach::kDecorator, server.target(), FastRetries(), registry);
    EXPECT_EQ(CallWithoutRtti(channel, kEcho, two_batches).error_message(), "not now");
    EXPECT_EQ(server.attempts(), 1);
    EXPECT_THAT(tally->totals().suppressed, ElementsAre(RetrySuppressed::kUnsupportedMessage));
    server.SetScript([](const Seen&) { return Reply(); });
    EXPECT_TRUE(CallWithoutRtti(channel, kEcho, two_batches).ok());
  }
}

TEST(MethodPolicies, TheMostSpecificOneHolds) {
  ScriptedServer server(AlwaysFail);
  Policies policies = FastRetries();
  policies.defaults.retry.max_attempts = 5;
  policies.services["recloser.demo.v1.Echo"] = policies.defaults;
  policies.services["recloser.demo.v1.Echo"].retry.max_attempts = 2;
  policies.methods["recloser.demo.v1.Echo/Increment"] = policies.defaults;
  policies.methods["recloser.demo.v1.Echo/Increment"].retry.mode = RetryMode::kAlways;
  policies.methods["recloser.demo.v1.Echo/Increment"].retry.max_attempts = 3;
  const auto channel = Connect(Attach::kDecorator, server.target(), policies, Registry::Create());
  Call(Form::kSync, channel);
  EXPECT_EQ(server.attempts(), 2);
  CallSpec spec;
  spec.method = "Increment";
  Call(Form::kSync, channel, std::move(spec));
  EXPECT_EQ(server.attempts(), 2 + 3);
}

TEST(HealthChecks, PassWhileEverythingElseIsRefused) {
  grpc::EnableDefaultHealthCheckService(true);
  ScriptedServer server([](const Seen&) { return Reply(); });
  grpc::EnableDefaultHealthCheckService(false);
  const auto registry = Registry::Create();
  Policies policies = FastRetries();
  policies.defaults.breaker.scope = BreakerScope::kTarget;
  const auto channel = Connect(Attach::kDecorator, server.target(), policies, registry);
  EXPECT_TRUE(Call(Form::kSync, channel).status.ok());
  for (const auto& breaker : registry->List()) breaker->ForceOpen(Now());
  EXPECT_FALSE(Call(Form::kSync, channel).status.ok());

  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::Slice empty;
  const grpc::ByteBuffer request(&empty, 1);
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto reader = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  reader->StartCall();
  reader->Finish(&response, &status, &status);
  Next(queue, &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(ManualControl, DisablingLetsEverythingPassAndResetStartsAnew) {
  ScriptedServer server(AlwaysFail);
  const auto registry = Registry::Create();
  Policies policies = TouchyBreaker();
  policies.defaults.retry.mode = RetryMode::kNever;
  const auto channel = Connect(Attach::kDecorator, server.target(), policies, registry);
  for (int i = 0; i < 2; ++i) Call(Form::kSync, channel);
  const auto breaker = registry->Find(server.target(), "recloser.demo.v1.Echo/Echo");
  ASSERT_NE(breaker, nullptr);
  EXPECT_EQ(breaker->state(), BreakerState::kOpen);
  breaker->Disable(Now());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Call(Form::kSync, channel).trailers.count(kRejectedByTrailer), 0u);
  breaker->Reset(Now());
  EXPECT_EQ(breaker->state(), BreakerState::kClosed);
  EXPECT_EQ(server.attempts(), 7);
}

TEST(RejectionHelpers, ReadARejectionAndTheNumberOfAttempts) {
  ScriptedServer server(FailOnce);
  const auto registry = Registry::Create();
  const auto stub = Echo::NewStub(Connect(Attach::kDecorator, server.target(), TouchyBreaker(), registry));
  EchoResponse response;
  {
    grpc::ClientContext context;
    EXPECT_TRUE(stub->Echo(&context, EchoRequest(), &response).ok());
    EXPECT_EQ(GetAttempts(context), 2);
    EXPECT_FALSE(GetRejection(context).has_value());
  }
  registry->List()[0]->ForceOpen(Now());
  grpc::ClientContext context;
  EXPECT_FALSE(stub->Echo(&context, EchoRequest(), &response).ok());
  EXPECT_EQ(GetAttempts(context), 0);
  ASSERT_TRUE(GetRejection(context).has_value());
  EXPECT_EQ(GetRejection(context)->breaker, server.target() + " recloser.demo.v1.Echo/Echo");
  EXPECT_EQ(GetRejection(context)->retry_after, kForever);
}

}  // namespace
}  // namespace recloser::testing
