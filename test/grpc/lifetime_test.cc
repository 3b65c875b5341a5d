// Who may die when: channels, queues, contexts, observers and the process, with calls under way.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>

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

class LifetimeTest : public ::testing::TestWithParam<Attach> {
 protected:
  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target, const Policies& policies) {
    return testing::Connect(GetParam(), target, policies, registry_);
  }
  const std::shared_ptr<Registry> registry_ = Registry::Create();
};

INSTANTIATE_TEST_SUITE_P(Attachments, LifetimeTest, ::testing::ValuesIn(kBothAttachments),
                         [](const auto& row) { return std::string(AttachName(row.param)); });

Reply FailFirst(const Seen& seen) {
  Reply reply;
  reply.delay = milliseconds(5);
  if (seen.index % 2 == 0) reply.status = Unavailable();
  return reply;
}

TEST_P(LifetimeTest, AQueueShutDownWithACallUnderWayStillReturnsItsTags) {
  for (const bool two_batches : {false, true}) {
    ScriptedServer server(FailFirst);
    const auto stub = Echo::NewStub(Connect(server.target(), FastRetries()));
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    EchoResponse response;
    grpc::Status status;
    const auto reader = stub->PrepareAsyncEcho(&context, EchoRequest(), &queue);
    reader->StartCall();
    if (two_batches) reader->ReadInitialMetadata(&context);
    reader->Finish(&response, &status, &status);
    queue.Shutdown();
    int tags = 0;
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) {
      ++tags;
      // Headers come before the status, whatever attempt they are of.
      EXPECT_EQ(tag == &status, tags == (two_batches ? 2 : 1));
    }
    EXPECT_EQ(tags, two_batches ? 2 : 1);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(server.attempts(), 2);
  }
}

TEST_P(LifetimeTest, ChannelAndStubMayGoRightAfterTheCallBegan) {
  ScriptedServer server(FailFirst);
  const auto keep = grpc::CreateChannel(server.target(), grpc::InsecureChannelCredentials());
  const auto keeper = Echo::NewStub(keep);
  grpc::ClientContext warm_context;
  EchoRequest request;
  EchoResponse response;
  std::promise<grpc::Status> warm;
  keeper->async()->Echo(&warm_context, &request, &response, [&](grpc::Status status) { warm.set_value(std::move(status)); });
  Await(warm.get_future());
  server.SetScript([n = std::make_shared<std::atomic<int>>(0)](const Seen&) {
    Reply reply;
    reply.delay = milliseconds(5);
    if (n->fetch_add(1) == 0) reply.status = Unavailable();
    return reply;
  });

  std::promise<grpc::Status> done;
  auto context = std::make_unique<grpc::ClientContext>();
  {
    auto stub = Echo::NewStub(Connect(server.target(), FastRetries()));
    stub->async()->Echo(context.get(), &request, &response, [&](grpc::Status status) { done.set_value(std::move(status)); });
  }
  EXPECT_TRUE(Await(done.get_future()).ok());
}

// gRPC's streams have a bare pointer to their channel, and newer versions ask it for memory with each write.
TEST_P(LifetimeTest, AChannelLivesAsLongAsTheContextOfACall) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  std::weak_ptr<grpc::ChannelInterface> left;
  {
    grpc::ClientContext context;
    EchoResponse response;
    auto channel = Connect(server.target(), FastRetries());
    left = channel;
    const auto writer = Echo::NewStub(std::exchange(channel, nullptr))->ClientStream(&context, &response);
    EXPECT_FALSE(left.expired());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(writer->Write(EchoRequest()));
    EXPECT_TRUE(writer->WritesDone());
    EXPECT_TRUE(writer->Finish().ok());
  }
  EXPECT_TRUE(left.expired());
}

TEST_P(LifetimeTest, TheContextMayBeDeletedInTheCallback) {
  ScriptedServer server(FailFirst);
  const auto channel = Connect(server.target(), FastRetries());
  const auto stub = Echo::NewStub(channel);
  for (int i = 0; i < 50; ++i) {
    struct State {
      grpc::ClientContext context;
      EchoRequest request;
      EchoResponse response;
    };
    auto* state = new State;
    std::promise<grpc::Status> done;
    stub->async()->Echo(&state->context, &state->request, &state->response, [&done, state](grpc::Status status) {
      delete state;
      done.set_value(std::move(status));
    });
    EXPECT_TRUE(Await(done.get_future()).ok());
  }
}

// A call that is over exactly once, whoever wins: the back-off's timer, the cancellation, the second attempt.
TEST_P(LifetimeTest, ACancellationAtTheInstantTheBackoffEndsCompletesTheCallOnce) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.status = Unavailable();
    reply.trailers = {{"grpc-retry-pushback-ms", "1"}};
    return reply;
  });
  Policies policies = FastRetries();
  policies.defaults.breaker.mode = BreakerMode::kDisabled;
  policies.retry_budget.enabled = false;
  policies.defaults.retry.max_attempts = 2;
  const auto tally = std::make_shared<Tally>();
  registry_->AddObserver(tally);
  const auto stub = Echo::NewStub(Connect(server.target(), policies));

  std::mt19937 random(7);
  const Stopwatch watch;
  int rounds = 0;
  for (; rounds < 3000 && watch.elapsed() < seconds(4); ++rounds) {
    grpc::ClientContext context;
    const EchoRequest request;
    EchoResponse response;
    std::atomic<int> completions{0};
    std::promise<grpc::Status> done;
    stub->async()->Echo(&context, &request, &response, [&](grpc::Status status) {
      if (++completions == 1) done.set_value(std::move(status));
    });
    auto future = done.get_future();
    std::this_thread::sleep_for(std::chrono::microseconds(500 + random() % 2000));
    context.TryCancel();
    const grpc::Status status = Await(std::move(future));
    EXPECT_TRUE(status.error_code() == grpc::StatusCode::CANCELLED || status.error_code() == grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(completions, 1);
  }
  const Tally::Totals totals = tally->totals();
  EXPECT_EQ(totals.calls_started, rounds);
  EXPECT_EQ(totals.calls_finished, rounds);
}

// Cancels the context that it is told about, from inside the library's own notification.
class Canceller final : public Observer {
 public:
  class OfMethod final : public MethodObserver {
   public:
    explicit OfMethod(const std::atomic<grpc::ClientContext*>& context) : context_(context) {}
    void OnAttemptFinished(const AttemptFinished&) override {
      if (grpc::ClientContext* context = context_) context->TryCancel();
    }

   private:
    const std::atomic<grpc::ClientContext*>& context_;
  };
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return std::make_shared<OfMethod>(context); }
  std::atomic<grpc::ClientContext*> context{nullptr};
};

TEST_P(LifetimeTest, AnObserverMayCancelTheCallThatItIsToldAbout) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.status = Unavailable();
    reply.messages = 0;
    return reply;
  });
  const auto canceller = std::make_shared<Canceller>();
  registry_->AddObserver(canceller);
  const auto stub = Echo::NewStub(Connect(server.target(), FastRetries()));
  {
    grpc::ClientContext context;
    canceller->context = &context;
    EchoResponse response;
    EXPECT_EQ(stub->Echo(&context, EchoRequest(), &response).error_code(), grpc::StatusCode::CANCELLED);
    EXPECT_EQ(server.attempts(), 1);
    canceller->context = nullptr;
  }
  grpc::ClientContext context;
  canceller->context = &context;
  EXPECT_EQ(stub->ServerStream(&context, EchoRequest())->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  canceller->context = nullptr;
}

// Waits for a call of its own when it is told about a second attempt, on the thread that makes all retries.
class BlockingCaller final : public Observer {
 public:
  class OfMethod final : public MethodObserver {
   public:
    explicit OfMethod(BlockingCaller& owner) : owner_(owner) {}
    void OnAttemptFinished(const AttemptFinished& attempt) override {
      if (attempt.number != 2 || owner_.called.exchange(true)) return;
      grpc::ClientContext context;
      EchoResponse response;
      owner_.code = owner_.stub->Echo(&context, EchoRequest(), &response).error_code();
    }

   private:
    BlockingCaller& owner_;
  };
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return std::make_shared<OfMethod>(*this); }

  std::unique_ptr<Echo::Stub> stub;
  std::atomic<bool> called{false};
  std::atomic<int> code{grpc::StatusCode::OK};
};

// Polly PR #2953, gobreaker #37: a listener that uses the library blocks it.
TEST_P(LifetimeTest, AnObserverMayWaitForACallOfItsOwn) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.status = Unavailable();
    return reply;
  });
  const auto caller = std::make_shared<BlockingCaller>();
  registry_->AddObserver(caller);
  caller->stub = Echo::NewStub(Connect(server.target(), FastRetries()));
  grpc::ClientContext context;
  EchoResponse response;
  EXPECT_EQ(caller->stub->Echo(&context, EchoRequest(), &response).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(caller->called);
  EXPECT_EQ(caller->code, grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(server.attempts(), 4);  // three of the first call, one of the observer's
  caller->stub = nullptr;           // the registry holds the observer, the stub's channel the registry
}

TEST(LifetimeDeathTest, AProcessMayExitWithACallInBackoff) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // executes anew: the child has threads of its own
  EXPECT_EXIT(
      {
        static ScriptedServer* const server = new ScriptedServer([](const Seen&) {
          Reply reply;
          reply.status = Unavailable();
          reply.trailers = {{"grpc-retry-pushback-ms", "60000"}};
          return reply;
        });
        static const auto* const stub = new std::unique_ptr<Echo::Stub>(
            Echo::NewStub(Connect(Attach::kDecorator, server->target(), FastRetries(), Registry::Create())));
        static auto* const context = new grpc::ClientContext;
        static const auto* const request = new EchoRequest;
        static auto* const response = new EchoResponse;
        (*stub)->async()->Echo(context, request, response, [](grpc::Status) {});
        Eventually([] { return server->attempts() > 0; });
        std::this_thread::sleep_for(milliseconds(50));
        exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace recloser::testing
