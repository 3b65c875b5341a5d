// Situations that broke other resilience libraries, over a real socket; the rules themselves are tested in the core, in virtual time.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "api_forms.h"
#include "await.h"
#include "client_call.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

Reply Fail(std::multimap<std::string, std::string> trailers = {}) {
  Reply reply;
  reply.status = Unavailable();
  reply.trailers = std::move(trailers);
  return reply;
}

Reply Hang() {
  Reply reply;
  reply.until_cancelled = true;
  return reply;
}

bool Rejected(const CallResult& result) { return result.trailers.count(kRejectedByTrailer) > 0; }

class CasesTest : public ::testing::TestWithParam<std::tuple<Form, Attach>> {
 protected:
  CasesTest() { registry_->AddObserver(tally_); }

  Form form() const { return std::get<0>(GetParam()); }
  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target, const Policies& policies = Policies::Defaults()) {
    return testing::Connect(std::get<1>(GetParam()), target, policies, registry_);
  }
  CallResult Make(const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec spec = {}) {
    return Call(form(), channel, std::move(spec));
  }
  /// Calls that the caller gives up as soon as they have reached the server and `patience` has passed.
  CallResult MakeAndGiveUp(const std::shared_ptr<grpc::ChannelInterface>& channel, const ScriptedServer& server, milliseconds patience) {
    const int before = server.attempts();
    CallSpec spec;
    spec.meanwhile = [&server, before, patience](grpc::ClientContext& context) {
      const Stopwatch watch;
      while (server.attempts() == before && watch.elapsed() < seconds(1)) std::this_thread::sleep_for(milliseconds(1));
      std::this_thread::sleep_for(patience);
      context.TryCancel();
    };
    return Make(channel, std::move(spec));
  }
  std::shared_ptr<SharedBreaker> breaker() const { return registry_->List().at(0); }
  bool AllGivenBack() const {
    return Eventually([this] { return breaker()->Snapshot(Now()).permits_in_flight == 0; });
  }

  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
};

INSTANTIATE_TEST_SUITE_P(Forms, CasesTest, ::testing::Combine(::testing::ValuesIn(kAllForms), ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(FormName(std::get<0>(row.param))) + AttachName(std::get<1>(row.param));
                         });

// OmniRoute #1804, #9207: the way back to closed was never wired. Here with nothing configured.
TEST_P(CasesTest, WithTheDefaultsAnOutageOpensTheBreakerAndTheRecoveryClosesIt) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = Connect(server.target());
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(Make(channel).status.ok());
  server.Stop();
  EXPECT_TRUE(Eventually([&] { return Rejected(Make(channel)); }));
  EXPECT_EQ(breaker()->state(), BreakerState::kOpen);
  server.Start();
  EXPECT_TRUE(Eventually([&] {
    Make(channel);
    return breaker()->state() == BreakerState::kClosed;
  }));
  EXPECT_THAT(tally_->totals().states, ::testing::IsSupersetOf({BreakerState::kOpen, BreakerState::kHalfOpen, BreakerState::kClosed}));
  EXPECT_TRUE(Make(channel).status.ok());
  EXPECT_TRUE(AllGivenBack());
}

// gobreaker #91, resilience4j #1597: a breaker that learns only from what ends never sees a hang.
TEST_P(CasesTest, WhatHangsOpensTheBreakerBeforeAnythingHasEnded) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = Connect(server.target());
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(Make(channel).status.ok());
  server.SetScript([](const Seen&) { return Hang(); });
  std::atomic<bool> release{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      CallSpec spec;
      spec.meanwhile = [&release](grpc::ClientContext& context) {
        EXPECT_TRUE(Eventually([&release] { return release.load(); }));
        context.TryCancel();
      };
      EXPECT_EQ(Make(channel, std::move(spec)).status.error_code(), grpc::StatusCode::CANCELLED);
    });
  }
  EXPECT_TRUE(Eventually([&] { return server.attempts() == 36; }));
  std::this_thread::sleep_for(milliseconds(550));  // longer than the slow duration of the defaults
  const Stopwatch watch;
  EXPECT_TRUE(Rejected(Make(channel)));
  EXPECT_LT(watch.elapsed(), seconds(5));
  EXPECT_EQ(tally_->totals().attempts_finished, 30) << "nothing had ended";
  release = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(AllGivenBack());
}

TEST_P(CasesTest, CallersWhoGiveUpOnAHangingServiceOpenTheBreaker) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = Connect(server.target());
  for (int i = 0; i < 30; ++i) {
    const CallResult result = Make(channel);
    ASSERT_TRUE(result.status.ok()) << i << ": " << result.status.error_message();
  }
  server.SetScript([](const Seen&) { return Hang(); });
  // Longer than twice the usual latency, which on a loaded machine is not short.
  const auto usual = std::chrono::ceil<milliseconds>(breaker()->healthy_latency().value_or(Duration::zero()));
  const milliseconds patience = std::max(milliseconds(50), 3 * usual);
  int given_up = 0;
  while (given_up < 30 && !Rejected(MakeAndGiveUp(channel, server, patience))) ++given_up;
  EXPECT_LE(given_up, 12);
  EXPECT_EQ(breaker()->state(), BreakerState::kOpen);
  EXPECT_TRUE(AllGivenBack());
}

// A listening socket whose connections nobody takes: the kernel shakes hands, and then there is silence.
class SilentAddress {
 public:
  SilentAddress() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(listen(socket_, 16), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    target_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentAddress() { close(socket_); }
  const std::string& target() const { return target_; }

 private:
  const int socket_;
  std::string target_;
};

TEST_P(CasesTest, AnAddressThatSwallowsEverythingOpensTheBreaker) {
  for (const bool wait_for_ready : {false, true}) {
    const SilentAddress address;
    Policies policies = TouchyBreaker();
    policies.defaults.deadline = milliseconds(60);
    const auto channel = Connect(address.target(), policies);
    const auto call = [&] {
      CallSpec spec;
      spec.prepare = [&](grpc::ClientContext& context) { context.set_wait_for_ready(wait_for_ready); };
      return Make(channel, std::move(spec));
    };
    EXPECT_FALSE(call().status.ok());
    EXPECT_TRUE(Eventually([&] { return Rejected(call()); })) << wait_for_ready;
  }
}

// A service that sends its headers at once, so that what follows are normal trailers; the other servers' failures are trailers-only.
class HeadersThenFailure final : public Echo::CallbackService {
 public:
  explicit HeadersThenFailure(std::string pushback) : pushback_(std::move(pushback)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~HeadersThenFailure() override { server_->Shutdown(); }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }
  int attempts() const { return attempts_; }

 private:
  struct Reactor final : grpc::ServerUnaryReactor {
    void OnSendInitialMetadataDone(bool) override { Finish(status); }
    void OnDone() override { delete this; }
    grpc::Status status;
  };
  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext* context, const EchoRequest*, EchoResponse*) override {
    auto* reactor = new Reactor;
    if (attempts_++ == 0) {
      context->AddTrailingMetadata("grpc-retry-pushback-ms", pushback_);
      reactor->status = Unavailable();
    }
    reactor->StartSendInitialMetadata();
    return reactor;
  }

  const std::string pushback_;
  int port_ = 0;
  std::atomic<int> attempts_{0};
  std::unique_ptr<grpc::Server> server_;
};

TEST_P(CasesTest, PushbackInTrailersThatFollowHeadersIsHonoured) {
  for (const auto& [value, attempts] : {std::pair("5", 2), std::pair("-1", 1), std::pair("99999999999", 1)}) {
    HeadersThenFailure server(value);
    EXPECT_EQ(Make(Connect(server.target(), FastRetries())).status.ok(), attempts == 2) << value;
    EXPECT_EQ(server.attempts(), attempts) << value;
  }
}

TEST_P(CasesTest, ARetryWaitsForAReadyChannelAsItsCallDoes) {
  ScriptedServer server([](const Seen& seen) { return seen.index == 0 ? Fail({{"grpc-retry-pushback-ms", "100"}}) : Reply(); });
  CallSpec spec;
  spec.prepare = [&](grpc::ClientContext& context) { context.set_wait_for_ready(true); };
  std::thread restart([&] {
    EXPECT_TRUE(Eventually([&] { return server.attempts() == 1; }));
    std::this_thread::sleep_for(milliseconds(20));  // its answer is on the way
    server.Stop();
    std::this_thread::sleep_for(milliseconds(300));
    server.Start();
  });
  const CallResult result = Make(Connect(server.target(), FastRetries()), std::move(spec));
  restart.join();
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_GE(server.attempts(), 2);
}

// grpc-spring #917: a hop in between hands on the rejection of its own breaker; that says nothing about the hop.
TEST_P(CasesTest, ARejectionHandedOnByTheServiceIsNoFailureOfIt) {
  ScriptedServer server([](const Seen&) { return Fail({{kRejectedByTrailer, "somewhere else"}}); });
  const auto channel = Connect(server.target(), TouchyBreaker());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Make(channel).status.error_message(), "not now");
  EXPECT_EQ(server.attempts(), 10) << "neither repeated nor refused";
  EXPECT_EQ(breaker()->state(), BreakerState::kClosed);
  server.SetScript([](const Seen&) { return Fail(); });
  EXPECT_TRUE(Eventually([&] { return Make(channel).trailers.count(kRetryAfterTrailer) > 0; }));
}

// resilience4j #351, concurrency-limits #190.
TEST_P(CasesTest, EverythingMayGoInAnyStateWithCallsInFlight) {
  for (const char* state : {"closed", "open", "half_open", "forced_open", "disabled"}) {
    ScriptedServer server([](const Seen&) { return Hang(); });
    auto channel = Connect(server.target(), TouchyBreaker());
    std::vector<std::thread> callers;
    const auto hang = [&](int attempts) {
      callers.emplace_back([this, &server, channel, attempts] {
        CallSpec spec;
        spec.meanwhile = [&server, attempts](grpc::ClientContext& context) {
          EXPECT_TRUE(Eventually([&server, attempts] { return server.attempts() > attempts; }));
          std::this_thread::sleep_for(milliseconds(50));
          context.TryCancel();
        };
        Make(channel, std::move(spec));
      });
      EXPECT_TRUE(Eventually([&] { return server.attempts() > attempts; }));
    };
    hang(0);
    std::shared_ptr<SharedBreaker> current;
    for (const auto& one : registry_->List()) {
      if (one->id().target.find(server.target()) != std::string::npos) current = one;
    }
    ASSERT_NE(current, nullptr);
    const std::string wanted = state;
    if (wanted == "open" || wanted == "half_open") {
      server.SetScript([](const Seen&) { return Fail(); });
      EXPECT_TRUE(Eventually([&] {
        Make(channel);
        return current->state() == BreakerState::kOpen;
      }));
    }
    if (wanted == "half_open") {
      server.SetScript([](const Seen&) { return Hang(); });
      std::this_thread::sleep_for(milliseconds(120));
      hang(server.attempts());  // the probe
    }
    if (wanted == "forced_open") current->ForceOpen(Now());
    if (wanted == "disabled") current->Disable(Now());
    EXPECT_EQ(StateName(current->state()), wanted);
    channel.reset();
    for (std::thread& caller : callers) caller.join();
    EXPECT_TRUE(Eventually([&] { return current->Snapshot(Now()).permits_in_flight == 0; })) << wanted;
    EXPECT_EQ(current->Snapshot(Now()).invariant_violations, 0u);
  }
  const Tally::Totals totals = tally_->totals();
  EXPECT_EQ(totals.calls_started, totals.calls_finished);
  EXPECT_EQ(totals.attempts_started, totals.attempts_finished);
}

// gobreaker #37, Polly PR #2953: a listener that uses what it is told about waited for itself.
class Meddler final : public Observer {
 public:
  void OnTransition(const SharedBreaker&, const BreakerTransition& transition) override {
    if (transition.to != BreakerState::kOpen || told_++ > 0) return;
    const auto registry = registry_.lock();
    EXPECT_EQ(registry->List().at(0)->state(), BreakerState::kOpen);
    registry->List().at(0)->Reset(Now());
    auto* const call = new OneCall;  // deletes itself at its end
    stub_->async()->Echo(&call->context, &call->request, &call->response, [this, call](const grpc::Status& status) {
      delete call;
      called_.set_value(status);
    });
  }
  void Use(const std::shared_ptr<Registry>& registry, std::unique_ptr<Echo::Stub> stub) {
    registry_ = registry;
    stub_ = std::move(stub);
  }
  grpc::Status status_of_its_call() { return Await(called_.get_future()); }

 private:
  struct OneCall {
    grpc::ClientContext context;
    EchoRequest request;
    EchoResponse response;
  };
  std::weak_ptr<Registry> registry_;
  std::unique_ptr<Echo::Stub> stub_;
  std::atomic<int> told_{0};
  std::promise<grpc::Status> called_;
};

TEST_P(CasesTest, AListenerMayReadAndResetTheBreakerAndCallTheSameMethod) {
  ScriptedServer server([](const Seen&) { return Fail(); });
  const auto meddler = std::make_shared<Meddler>();
  registry_->AddObserver(meddler);
  const auto channel = Connect(server.target(), TouchyBreaker());
  meddler->Use(registry_, Echo::NewStub(channel));
  // Its first and second attempt open the breaker; for some forms that is told on the library's own thread.
  Make(channel);
  EXPECT_EQ(meddler->status_of_its_call().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(AllGivenBack());
  meddler->Use(registry_, nullptr);  // its stub keeps the channel, the channel the registry, the registry its observers
}

TEST(CallersContext, KeepsTheCallersDeadlineThoughThePolicysIsSent) {
  for (const Attach attach : kBothAttachments) {
    ScriptedServer server([](const Seen&) { return Reply(); });
    Policies policies = Policies::Defaults();
    policies.defaults.deadline = seconds(20);
    const auto stub = Echo::NewStub(Connect(attach, server.target(), policies, Registry::Create()));
    grpc::ClientContext context;
    const auto deadline = std::chrono::system_clock::now() + seconds(600);
    context.set_deadline(deadline);
    EchoResponse response;
    EXPECT_TRUE(stub->Echo(&context, EchoRequest(), &response).ok());
    EXPECT_GT(context.deadline(), deadline - seconds(60)) << AttachName(attach);
    if (attach == Attach::kDecorator) {
      EXPECT_LE(*server.seen().at(0).deadline_left, seconds(21));
    }
  }
}

TEST(RejectionDelivery, RoundsTheWaitUpSoThatTheProbeIsDueThen) {
  const SharedBreaker breaker({"target", "Service", "Method"}, {}, MakeBreaker({}, Now(), Random(1)), Now(), nullptr);
  for (const auto& [wait, text] :
       {std::pair<Duration, const char*>(milliseconds(2), "2"), {milliseconds(1) + Duration(1), "2"}, {Duration(1), "1"}}) {
    Rejection rejection;
    rejection.state = BreakerState::kOpen;
    rejection.retry_after = wait;
    EXPECT_THAT(RejectionDelivery(breaker, rejection).trailing,
                ::testing::Contains(std::pair<std::string, std::string>(kRetryAfterTrailer, text)));
  }
}

}  // namespace
}  // namespace recloser::testing
