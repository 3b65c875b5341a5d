// Channels, stubs, contexts, queues, policy sources and registries go in every order, at every stage of a call.
#include <algorithm>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// When the objects go.
enum class Stage { kInFlight, kInBackoff, kInCallback, kAfterwards };

/// The first attempt of each call fails; then the server waits, or asks for a wait.
class TwoAttempts {
 public:
  explicit TwoAttempts(Stage stage)
      : server_([stage](const Seen& seen) {
          Reply reply;
          const bool first = seen.metadata.count(kPreviousAttemptsHeader) == 0;
          if (first) reply.status = Unavailable();
          if (first && stage == Stage::kInBackoff) reply.trailers = {{"grpc-retry-pushback-ms", "3"}};
          if (stage == Stage::kInFlight) reply.delay = milliseconds(1);
          return reply;
        }) {}
  const std::string& target() const { return server_.target(); }
  /// Returns when so many attempts have come.
  void Await(int attempts) {
    ASSERT_TRUE(Eventually([&] { return server_.attempts() >= attempts; }));
  }
  int attempts() const { return server_.attempts(); }

 private:
  ScriptedServer server_;
};

struct World {
  World(Attach attach, const std::string& target) {
    Policies policies = FastRetries();
    policies.defaults.retry.backoff.base = Duration::zero();
    policies.defaults.breaker.mode = BreakerMode::kEnforce;
    policies.defaults.deadline = seconds(20);  // without the decorator each call has an alarm
    policies.retry_budget.enabled = false;
    registry = Registry::Create();
    tally = std::make_shared<Tally>();
    registry->AddObserver(tally);
    PolicySet set;
    set.defaults = std::move(policies);
    source = PolicySource::Create(std::move(set), {"test", ""});
    ChannelOptions options;
    options.registry = registry;
    const auto credentials = grpc::InsecureChannelCredentials();
    if (attach == Attach::kDecorator) {
      channel = CreateChannel(target, credentials, source, std::move(options));
    } else {
      channel = CreateInterceptedChannel(target, credentials, source, std::move(options));
    }
    stub = Echo::NewStub(channel);
  }

  std::vector<std::function<void()>> Steps() {
    return {[this] { stub = nullptr; }, [this] { channel = nullptr; }, [this] { source = nullptr; }, [this] { registry = nullptr; }};
  }

  std::shared_ptr<Tally> tally;
  std::shared_ptr<Registry> registry;
  std::shared_ptr<PolicySource> source;
  std::shared_ptr<grpc::ChannelInterface> channel;
  std::unique_ptr<Echo::Stub> stub;
};

/// Runs `round` once for each order of `count` things.
void ForEachOrder(int count, const std::function<void(const std::vector<int>&)>& round) {
  std::vector<int> order;
  for (int i = 0; i < count; ++i) order.push_back(i);
  do {
    round(order);
  } while (std::next_permutation(order.begin(), order.end()));
}

void Release(std::vector<std::function<void()>> steps, const std::vector<int>& order) {
  for (const int i : order) steps[static_cast<std::size_t>(i)]();
}

class DestructionOrderTest : public ::testing::TestWithParam<Attach> {
 protected:
  // Releasing the process's last channel that was used with callbacks on one of gRPC's own threads can abort, in bare gRPC too.
  DestructionOrderTest() : keeper_(Echo::NewStub(grpc::CreateChannel(kept_.target(), grpc::InsecureChannelCredentials()))) {
    grpc::ClientContext context;
    const EchoRequest request;
    EchoResponse response;
    std::promise<void> done;
    keeper_->async()->Echo(&context, &request, &response, [&](const grpc::Status&) { done.set_value(); });
    Await(done.get_future());
  }

 private:
  ScriptedServer kept_{[](const Seen&) { return Reply(); }};
  const std::unique_ptr<Echo::Stub> keeper_;
};

INSTANTIATE_TEST_SUITE_P(Attachments, DestructionOrderTest, ::testing::ValuesIn(kBothAttachments),
                         [](const auto& row) { return std::string(AttachName(row.param)); });

void ExpectTwoAttempts(const World& world, const grpc::Status& status) {
  EXPECT_TRUE(status.ok()) << status.error_message();
  const Tally::Totals totals = world.tally->totals();
  EXPECT_EQ(totals.calls_started, 1);
  EXPECT_EQ(totals.calls_finished, 1);
  EXPECT_EQ(totals.attempts_started, 2);
  EXPECT_EQ(totals.attempts_finished, 2);
}

TEST_P(DestructionOrderTest, EverythingMayGoInAnyOrderAfterACall) {
  TwoAttempts server(Stage::kAfterwards);
  ForEachOrder(6, [&](const std::vector<int>& order) {
    World world(GetParam(), server.target());
    auto context = std::make_unique<grpc::ClientContext>();
    auto queue = std::make_unique<grpc::CompletionQueue>();
    EchoResponse response;
    grpc::Status status;
    auto reader = world.stub->AsyncEcho(context.get(), EchoRequest(), queue.get());
    reader->Finish(&response, &status, &status);
    Next(*queue, &status);
    reader = nullptr;
    auto steps = world.Steps();
    steps.push_back([&] { context = nullptr; });
    steps.push_back([&] { queue = nullptr; });
    Release(std::move(steps), order);
    ExpectTwoAttempts(world, status);
  });
}

TEST_P(DestructionOrderTest, EverythingButTheContextMayGoInAnyOrderDuringACallOnAQueue) {
  for (const Stage stage : {Stage::kInFlight, Stage::kInBackoff}) {
    TwoAttempts server(stage);
    ForEachOrder(5, [&](const std::vector<int>& order) {
      World world(GetParam(), server.target());
      grpc::ClientContext context;
      grpc::CompletionQueue queue;
      EchoResponse response;
      grpc::Status status;
      const int before = server.attempts();
      const auto reader = world.stub->AsyncEcho(&context, EchoRequest(), &queue);
      reader->Finish(&response, &status, &status);
      server.Await(before + 1);
      auto steps = world.Steps();
      steps.push_back([&] { queue.Shutdown(); });
      Release(std::move(steps), order);
      void* tag = nullptr;
      bool ok = false;
      ASSERT_TRUE(queue.Next(&tag, &ok));
      EXPECT_EQ(tag, &status);
      EXPECT_TRUE(ok);
      EXPECT_FALSE(queue.Next(&tag, &ok));
      ExpectTwoAttempts(world, status);
    });
  }
}

TEST_P(DestructionOrderTest, EverythingMayGoInAnyOrderDuringACallWithACallbackAndInTheCallback) {
  for (const Stage stage : {Stage::kInFlight, Stage::kInBackoff, Stage::kInCallback}) {
    TwoAttempts server(stage);
    ForEachOrder(5, [&](const std::vector<int>& order) {
      World world(GetParam(), server.target());
      auto context = std::make_unique<grpc::ClientContext>();
      EchoRequest request;
      EchoResponse response;
      std::promise<grpc::Status> done;
      auto in_callback = world.Steps();
      in_callback.push_back([&] { context = nullptr; });
      const int before = server.attempts();
      std::promise<void> begun;
      std::shared_future<void> all_begun = begun.get_future().share();
      world.stub->async()->Echo(context.get(), &request, &response, [&](grpc::Status status) {
        all_begun.wait();
        if (stage == Stage::kInCallback) Release(in_callback, order);
        done.set_value(std::move(status));
      });
      if (stage != Stage::kInCallback) {
        server.Await(before + 1);
        auto steps = world.Steps();
        steps.push_back([] {});  // the context stays
        Release(std::move(steps), order);
      }
      begun.set_value();
      ExpectTwoAttempts(world, Await(done.get_future()));
    });
  }
}

}  // namespace
}  // namespace recloser::testing
