// Servers that take their leave under load: connections that grow too old, shutdown with and without grace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "judge.h"
#include "load.h"
#include "proxy.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

constexpr milliseconds kServing(1);  // so that calls are in flight when it happens

Reply Slow(const Seen&) {
  Reply reply;
  reply.delay = kServing;
  return reply;
}

class WireShutdown : public ::testing::TestWithParam<Attach> {
 protected:
  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target, const Policies& policies) {
    return RecloserChannel(GetParam(), {target}, policies, witness_.registry());
  }
  /// What must hold when the load is over.
  void ExpectAllCounted(const Load& load) {
    witness_.ExpectAllEnded();
    EXPECT_EQ(witness_.totals().calls_finished, load.calls());
  }
  Witness witness_;
};

INSTANTIATE_TEST_SUITE_P(BothWays, WireShutdown, ::testing::ValuesIn(kBothAttachments),
                         [](const auto& attach) { return std::string(AttachName(attach.param)); });

// gRPC sends calls again that the old connection did not take on. They are one attempt each, and one call at the service.
TEST_P(WireShutdown, NothingIsLostWhenConnectionsGrowTooOld) {
  ScriptedServer server(Slow, grpc::InsecureServerCredentials(), "127.0.0.1:0", [](grpc::ServerBuilder& builder) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS, 30);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS, 10000);
  });
  WireProxy counted(server.target());
  Load load(Connect(counted.target(), FastRetries()), "Increment");
  EXPECT_TRUE(Eventually([&] { return counted.connections() >= 8 && load.calls() >= 200; }));
  load.Stop();
  EXPECT_EQ(load.failed(), 0) << ::testing::PrintToString(load.messages());
  EXPECT_EQ(server.attempts(), load.calls());
  EXPECT_EQ(witness_.totals().attempts_finished, load.calls());
  ExpectAllCounted(load);
  EXPECT_EQ(witness_.breaker()->state(), BreakerState::kClosed);
}

// One of two servers behind one name goes, as in a rolling restart; the proxy stands for the load balancer. A C++ server ends calls that
// arrive while it shuts down with CANCELLED, which is not repeated; it has not looked at them.
TEST_P(WireShutdown, AShutdownWithAnotherServerAtHandLosesNoIdempotentCallThatTheServiceSaw) {
  for (const milliseconds grace : {milliseconds(10000), milliseconds(0)}) {
    SCOPED_TRACE(::testing::Message() << grace.count() << " ms of grace");
    const Witness witness;
    ScriptedServer old(Slow);
    ScriptedServer young(Slow);
    WireProxy proxy(old.target());
    Load load(RecloserChannel(GetParam(), {proxy.target()}, PersistentRetries(), witness.registry()), "Echo");
    EXPECT_TRUE(Eventually([&] { return old.attempts() >= 50; }));
    proxy.SetUpstream(young.target());
    old.Stop(grace);
    EXPECT_TRUE(Eventually([&] { return young.attempts() >= 50; }));
    load.Stop();
    witness.ExpectAllEnded();
    const auto ended = load.ended();
    for (const auto& [code, count] : ended) EXPECT_THAT(code, ::testing::AnyOf(grpc::StatusCode::OK, grpc::StatusCode::CANCELLED)) << count;
    const Tally::Totals totals = witness.totals();
    EXPECT_EQ(totals.calls_finished, load.calls());
    const auto answered = std::count_if(totals.attempts.begin(), totals.attempts.end(),
                                        [](const AttemptFinished& attempt) { return attempt.code == absl::StatusCode::kOk; });
    EXPECT_EQ(answered, load.ok());
    const int served = old.attempts() + young.attempts();
    EXPECT_LE(served, totals.attempts_finished);
    if (grace > milliseconds(0)) {
      EXPECT_EQ(served, answered);
    }
    EXPECT_EQ(witness.breaker()->state(), BreakerState::kClosed);
  }
}

TEST_P(WireShutdown, AfterAHardShutdownTheBreakerOpensAndTheRestartClosesIt) {
  ScriptedServer server(Slow);
  Load load(Connect(server.target(), Policies::Defaults()), "Increment");
  EXPECT_TRUE(Eventually([&] { return load.ok() >= 50; }));
  server.Stop();
  EXPECT_TRUE(Eventually([&] { return witness_.breaker()->state() == BreakerState::kOpen; }));
  server.Start();
  EXPECT_TRUE(Eventually([&] { return witness_.breaker()->state() == BreakerState::kClosed; }));
  load.Stop();
  ExpectAllCounted(load);
  const auto ended = load.ended();
  for (const auto& [code, count] : ended)
    EXPECT_THAT(code, ::testing::AnyOf(grpc::StatusCode::OK, grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::CANCELLED)) << count;
  EXPECT_LE(server.attempts(), witness_.totals().attempts_finished);
  EXPECT_GE(server.attempts(), load.ok());
}

// Connections that break again and again under load: a call that may be repeated gets through, one that may not ends with what it met.
TEST_P(WireShutdown, ConnectionsThatBreakAgainAndAgainLoseNoIdempotentCall) {
  ScriptedServer server(Slow);
  WireProxy proxy(server.target());
  proxy.SetScript([](int connection) {
    const auto action = connection % 2 == 0 ? WireFault::Action::kReset : WireFault::Action::kCut;
    return std::optional(WireFault{AtByte(Toward::kClient, 3000 + 501 * static_cast<std::size_t>(connection % 7)), action});
  });
  Policies policies = FastRetries();
  policies.defaults.retry.max_attempts = 10;
  policies.retry_budget.enabled = false;
  policies.defaults.breaker.mode = BreakerMode::kShadow;  // so many failures may open it
  Load load(Connect(proxy.target(), policies), "Echo");
  EXPECT_TRUE(Eventually([&] { return proxy.connections() >= 12; }));
  load.Stop();
  EXPECT_EQ(load.failed(), 0) << ::testing::PrintToString(load.messages());
  ExpectAllCounted(load);
  EXPECT_LE(server.attempts(), witness_.totals().attempts_finished);
  EXPECT_GT(witness_.totals().attempts_finished, load.calls());
}

}  // namespace
}  // namespace recloser::testing
