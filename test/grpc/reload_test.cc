// Policies that change under real calls. RECLOSER_RELOAD_SECONDS: how long the load test runs, 2 s if not set.
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "recloser/core/policy_source.h"
#include "recloser/demo/v1/echo.grpc.pb.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;
using std::chrono::steady_clock;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kIncrement[] = "recloser.demo.v1.Echo/Increment";

std::shared_ptr<PolicySource> SourceOf(const Policies& policies) {
  PolicySet set;
  set.defaults = policies;
  return PolicySource::Create(std::move(set), {"test", ""});
}

absl::Status Update(PolicySource& source, const Policies& policies) {
  PolicySet set;
  set.defaults = policies;
  return source.Update(std::move(set), {"test", ""}, Now());
}

Policies WithDeadline(milliseconds deadline) {
  Policies policies = Policies::Defaults();
  policies.defaults.deadline = deadline;
  return policies;
}

// The three ways to attach.

using Make = std::shared_ptr<grpc::ChannelInterface> (*)(const std::string& target, std::shared_ptr<PolicySource> source,
                                                         std::shared_ptr<Registry> registry);

std::shared_ptr<grpc::ChannelInterface> Decorated(const std::string& target, std::shared_ptr<PolicySource> source,
                                                  std::shared_ptr<Registry> registry) {
  ChannelOptions options;
  options.registry = std::move(registry);
  return CreateChannel(target, grpc::InsecureChannelCredentials(), std::move(source), std::move(options));
}
std::shared_ptr<grpc::ChannelInterface> Intercepted(const std::string& target, std::shared_ptr<PolicySource> source,
                                                    std::shared_ptr<Registry> registry) {
  ChannelOptions options;
  options.registry = std::move(registry);
  return CreateInterceptedChannel(target, grpc::InsecureChannelCredentials(), std::move(source), std::move(options));
}
std::shared_ptr<grpc::ChannelInterface> WithFactories(const std::string& target, std::shared_ptr<PolicySource> source,
                                                      std::shared_ptr<Registry> registry) {
  return grpc::experimental::CreateCustomChannelWithInterceptors(target, grpc::InsecureChannelCredentials(), grpc::ChannelArguments(),
                                                                 MakeClientInterceptors(std::move(source), std::move(registry)));
}
constexpr Make kThreeWays[] = {&Decorated, &Intercepted, &WithFactories};

grpc::Status CallEcho(Echo::Stub& stub) {
  grpc::ClientContext context;
  EchoResponse response;
  return stub.Echo(&context, EchoRequest(), &response);
}

TEST(ReloadChannel, ADeadlineHoldsForCallsThatBeginAfterIt) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.delay = milliseconds(300);
    return reply;
  });
  for (const Make make : kThreeWays) {
    const auto registry = Registry::Create();
    const auto source = SourceOf(WithDeadline(seconds(20)));
    const auto stub = Echo::NewStub(make(server.target(), source, registry));
    EXPECT_THAT(registry->Sources(), ElementsAre(source));

    const int begun = server.attempts();
    std::thread in_flight([&] { EXPECT_TRUE(CallEcho(*stub).ok()); });
    ASSERT_TRUE(Eventually([&] { return server.attempts() > begun; }));
    ASSERT_TRUE(Update(*source, WithDeadline(milliseconds(50))).ok());
    EXPECT_EQ(CallEcho(*stub).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    in_flight.join();

    EXPECT_FALSE(Update(*source, WithDeadline(milliseconds(-1))).ok());
    EXPECT_EQ(CallEcho(*stub).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    ASSERT_TRUE(Update(*source, WithDeadline(seconds(20))).ok());
    EXPECT_TRUE(CallEcho(*stub).ok());
  }
}

TEST(ReloadChannel, ASourceThatIsNoneOrInvalidRefusesEveryCall) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  for (const Make make : kThreeWays) {
    const auto none = Echo::NewStub(make(server.target(), nullptr, Registry::Create()));
    EXPECT_EQ(CallEcho(*none).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    const auto invalid = Echo::NewStub(make(server.target(), SourceOf(WithDeadline(milliseconds(-1))), Registry::Create()));
    EXPECT_THAT(CallEcho(*invalid).error_message(), HasSubstr("policies.defaults.deadline"));
  }
  EXPECT_EQ(server.attempts(), 0);
}

// Reloads under load.

milliseconds HowLong() {
  const char* const value = std::getenv("RECLOSER_RELOAD_SECONDS");
  return milliseconds(value != nullptr ? 1000 * std::max(std::atoi(value), 1) : 2000);
}

/// Echo fails every twentieth first attempt, Increment always; streams echo until their end.
class Service final : public Echo::Service {
 public:
  grpc::Status Echo(grpc::ServerContext* context, const EchoRequest* request, EchoResponse* response) override {
    const int number = ++attempts;
    response->set_payload(request->payload());
    const bool retry = context->client_metadata().count(kPreviousAttemptsHeader) > 0;
    return number % 20 == 0 && !retry ? Unavailable() : grpc::Status::OK;
  }
  grpc::Status Increment(grpc::ServerContext*, const EchoRequest*, EchoResponse*) override {
    ++attempts;
    return Unavailable();
  }
  grpc::Status BidiStream(grpc::ServerContext*, grpc::ServerReaderWriter<EchoResponse, EchoRequest>* stream) override {
    ++attempts;
    EchoRequest request;
    while (stream->Read(&request)) stream->Write(EchoResponse());
    return grpc::Status::OK;
  }
  std::atomic<int> attempts{0};
};

class Counts final : public Observer {
 public:
  struct OfMethod final : public MethodObserver {
    explicit OfMethod(Counts* counts) : all(counts) {}
    void OnCallStarted() override { ++all->calls_in_flight; }
    void OnCallFinished(const CallFinished&) override { --all->calls_in_flight, ++all->calls; }
    void OnAttemptStarted(int) override { ++all->attempts_in_flight, ++all->attempts; }
    void OnAttemptFinished(const AttemptFinished&) override { --all->attempts_in_flight; }
    Counts* const all;
  };
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return std::make_shared<OfMethod>(this); }
  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) override {
    if (breaker.id().method == "Echo") ++transitions_of_echo;
    if (breaker.id().method == "Increment" && transition.to == BreakerState::kClosed) ++closings_of_increment;
    if (transition.reason == TransitionReason::kConfig) ++config_transitions;
  }
  std::atomic<int> calls{0}, calls_in_flight{0}, attempts{0}, attempts_in_flight{0};
  std::atomic<int> transitions_of_echo{0}, closings_of_increment{0}, config_transitions{0};
};

/// The `number`-th of policies under each of which no call is lost. `kinds`: the breakers' kinds change too.
Policies Variant(int number, bool kinds) {
  Policies policies = FastRetries();
  MethodPolicy& policy = policies.defaults;
  // Longer than the longest run: the streams last all of it.
  if (number % 2 == 0) policy.deadline = std::chrono::hours(1);
  if (number % 3 == 0) policy.attempt_timeout = std::chrono::minutes(30);
  policy.retry.max_attempts = 2 + number % 4;
  policies.retry_budget.max_tokens = 100 + number % 7 * 150;
  policy.breaker.mode = static_cast<BreakerMode>(number / 4 % 3);
  if (kinds && number % 10 < 5) {
    StandardBreakerOptions standard;
    standard.window_calls = 100 + number % 50;
    standard.wait = milliseconds(50 + number % 50);
    standard.failure_rate_threshold = 0.6;
    policy.breaker.kind = standard;
  } else {
    AdaptiveBreakerOptions adaptive;
    adaptive.slow_call_duration = seconds(10);  // a stall of the machine is no failure here
    adaptive.wasted_attempt_cost = 1 + number % 9;
    adaptive.window.min_calls = 20 + number % 30;
    policy.breaker.kind = adaptive;
  }
  policies.methods[kIncrement] = policy;
  policies.methods[kIncrement].retry.retryable_codes = {absl::StatusCode::kAborted};  // so that its failures cost no tokens
  return policies;
}

class ReloadLoad : public ::testing::Test {
 protected:
  void SetUp() override {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    registry_->AddObserver(counts_);
    // With its scheme: a newer gRPC adds that to the name by which the third way learns of its channel.
    const std::string target = "dns:///127.0.0.1:" + std::to_string(port);
    for (std::size_t i = 0; i < stubs_.size(); ++i) stubs_[i] = Echo::NewStub(kThreeWays[i](target, source_, registry_));
    while (StateOf("Increment") != BreakerState::kOpen) CallIncrement(*stubs_[0]);
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(CallEcho(*stubs_[i % 3]).ok());
  }
  void TearDown() override { server_->Shutdown(std::chrono::system_clock::now() + seconds(5)); }

  static void CallIncrement(Echo::Stub& stub) {
    grpc::ClientContext context;
    EchoResponse response;
    EXPECT_EQ(stub.Increment(&context, EchoRequest(), &response).error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  std::shared_ptr<SharedBreaker> Breaker(const std::string& method) const {
    for (const auto& breaker : registry_->List()) {
      if (breaker->id().method == method) return breaker;
    }
    return nullptr;
  }
  BreakerState StateOf(const std::string& method) const {
    const auto breaker = Breaker(method);
    return breaker == nullptr ? BreakerState::kClosed : breaker->state();
  }

  /// Calls on all channels until `over`, and one stream on each over all of it.
  void RunLoad(const std::function<void()>& reload, milliseconds how_long) {
    const steady_clock::time_point end = steady_clock::now() + how_long;
    const auto over = [end] { return steady_clock::now() >= end; };
    std::vector<std::thread> threads;
    for (const auto& stub : stubs_) {
      threads.emplace_back([&] {
        while (!over()) lost_ += CallEcho(*stub).ok() ? 0 : 1;
      });
      threads.emplace_back([&] {
        while (!over()) {
          CallIncrement(*stub);
          std::this_thread::sleep_for(milliseconds(2));
        }
      });
      threads.emplace_back([&] {
        grpc::ClientContext context;
        const auto stream = stub->BidiStream(&context);
        EchoResponse response;
        while (!over()) {
          lost_ += stream->Write(EchoRequest()) && stream->Read(&response) ? 0 : 1;
          std::this_thread::sleep_for(milliseconds(5));
        }
        stream->WritesDone();
        lost_ += stream->Finish().ok() ? 0 : 1;
      });
    }
    for (auto next = steady_clock::now(); !over(); next += milliseconds(10)) {
      reload();
      std::this_thread::sleep_until(next + milliseconds(10));
    }
    for (std::thread& thread : threads) thread.join();
  }

  void ExpectNothingLost() {
    EXPECT_EQ(lost_, 0);
    EXPECT_EQ(counts_->calls_in_flight, 0);
    EXPECT_EQ(counts_->attempts_in_flight, 0);
    EXPECT_EQ(counts_->attempts, service_.attempts);
    EXPECT_EQ(counts_->transitions_of_echo, 0);
    EXPECT_EQ(counts_->closings_of_increment, 0);
    EXPECT_EQ(counts_->config_transitions, 0);
    for (const auto& breaker : registry_->List()) {
      EXPECT_EQ(breaker->Snapshot(Now()).permits_in_flight, 0) << breaker->id().name();
      EXPECT_EQ(breaker->Snapshot(Now()).invariant_violations, 0u) << breaker->id().name();
    }
    EXPECT_EQ(registry_->List().size(), 3u);
    std::cout << counts_->calls << " calls, " << counts_->attempts << " attempts, " << source_->status().applied << " reloads\n";
  }

  Service service_;
  std::unique_ptr<grpc::Server> server_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<PolicySource> source_ = SourceOf(Variant(0, false));
  std::array<std::unique_ptr<Echo::Stub>, 3> stubs_;
  std::atomic<int> lost_{0};
};

// Polly #1578: a reload made new breakers; Sentinel #1990: one reset them.
TEST_F(ReloadLoad, EveryTenMillisecondsLosesNoCallAndResetsNothing) {
  const BreakerSnapshot before = Breaker("Echo")->Snapshot(Now());
  ASSERT_TRUE(before.healthy_latency.has_value());
  int number = 0;
  RunLoad(
      [&] {
        ASSERT_TRUE(Update(*source_, Variant(++number, /*kinds=*/false)).ok());
        const BreakerSnapshot echo = Breaker("Echo")->Snapshot(Now());
        EXPECT_EQ(echo.generation, before.generation);
        EXPECT_GE(echo.window_calls, 20);
        EXPECT_TRUE(echo.healthy_latency.has_value());
        EXPECT_EQ(echo.stale_results, 0u);
        for (const Registry::BudgetState& budget : registry_->Budgets()) EXPECT_GT(budget.tokens, 0.8 * budget.max_tokens);
      },
      HowLong() / 2);
  ExpectNothingLost();
}

TEST_F(ReloadLoad, NorDoOtherKindsOfBreakers) {
  int number = 0;
  std::uint64_t generation = 0;
  BreakerSnapshot last = Breaker("Increment")->Snapshot(Now());
  RunLoad(
      [&] {
        ASSERT_TRUE(Update(*source_, Variant(++number, /*kinds=*/true)).ok());
        EXPECT_NE(StateOf("Increment"), BreakerState::kClosed);
        const BreakerSnapshot now = Breaker("Increment")->Snapshot(Now());
        EXPECT_GE(now.generation, generation);
        EXPECT_GE(now.rejected, last.rejected);
        EXPECT_EQ(now.time_in_state[0], last.time_in_state[0]);  // closed
        generation = now.generation;
        last = now;
      },
      HowLong() / 2);
  EXPECT_GT(generation, 3u);
  ExpectNothingLost();
}

}  // namespace
}  // namespace recloser::testing
