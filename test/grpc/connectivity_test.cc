// A channel that becomes READY again is evidence: open breakers may probe at once, and nothing else happens.
#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>

#include "api_forms.h"
#include "connectivity_watch.h"
#include "fixture.h"
#include "grpc_access.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

/// Would rather wait for many seconds than probe in vain.
Policies PatientBreaker() {
  AdaptiveBreakerOptions patient;
  patient.wasted_attempt_cost = 1000;
  patient.probe_interval_max = seconds(60);
  patient.slow_call_duration = patient.slow_call_duration_unlearnt = seconds(20);  // a stall of the machine is no failure here
  Policies policies = Policies::Defaults();
  policies.defaults.retry.mode = RetryMode::kNever;
  policies.defaults.breaker.kind = patient;
  return policies;
}

bool Rejected(const CallResult& result) { return result.trailers.count(kRejectedByTrailer) > 0; }

// gRPC 1.51 tells how many watches a channel has; 1.83 does not.
template <class CoreChannel>
auto CountWatchers(CoreChannel* channel, int) -> decltype(std::optional<int>(grpc_channel_num_external_connectivity_watchers(channel))) {
  return grpc_channel_num_external_connectivity_watchers(channel);
}
template <class CoreChannel>
std::optional<int> CountWatchers(CoreChannel*, long) {
  return std::nullopt;
}

/// `otherwise` where gRPC does not tell.
int Watchers(grpc::ChannelInterface& channel, int otherwise) {
  return CountWatchers(access::Member(access::CoreChannel{}, static_cast<grpc::Channel&>(channel)), 0).value_or(otherwise);
}

class ConnectivityTest : public ::testing::Test {
 protected:
  CallResult Make(const std::shared_ptr<grpc::ChannelInterface>& channel) { return Call(Form::kSync, channel); }
  SharedBreaker& breaker() { return *registry_->List().at(0); }
  Duration wait() { return breaker().Snapshot(Now()).retry_after; }

  /// Stops the server under load, until the breaker's next probe is seconds away and its calls are refused. False when that never happens.
  bool Outage(ScriptedServer& server, const std::shared_ptr<grpc::ChannelInterface>& channel) {
    for (int i = 0; i < 20; ++i) Make(channel);
    server.Stop();
    return Eventually([&] {
      std::this_thread::sleep_for(milliseconds(10));
      return Rejected(Make(channel)) && wait() > seconds(3);
    });
  }

  const std::shared_ptr<Registry> registry_ = Registry::Create();
};

struct Way {
  const char* name;
  std::shared_ptr<grpc::ChannelInterface> (*connect)(const std::string& target, const std::shared_ptr<Registry>& registry);
};
std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }

grpc::ChannelArguments QuickReconnects() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  // In spite of its name how long a connection attempt may take: on a loaded machine 20 ms are too few.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 50);
  return arguments;
}

const Way kWays[] = {
    {"Decorator",
     [](const std::string& target, const std::shared_ptr<Registry>& registry) {
       return Connect(Attach::kDecorator, target, PatientBreaker(), registry);
     }},
    {"Intercepted",
     [](const std::string& target, const std::shared_ptr<Registry>& registry) {
       return Connect(Attach::kIntercepted, target, PatientBreaker(), registry);
     }},
    {"Factories",
     [](const std::string& target, const std::shared_ptr<Registry>& registry) -> std::shared_ptr<grpc::ChannelInterface> {
       return grpc::experimental::CreateCustomChannelWithInterceptors(target, grpc::InsecureChannelCredentials(), QuickReconnects(),
                                                                      MakeClientInterceptors(PatientBreaker(), registry));
     }},
};

class ConnectivityWays : public ConnectivityTest, public ::testing::WithParamInterface<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, ConnectivityWays, ::testing::ValuesIn(kWays), [](const auto& way) { return std::string(way.param.name); });

TEST_P(ConnectivityWays, AfterARestartTheBreakerProbesAtOnceAndNotWhenTheScheduleSays) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = GetParam().connect(server.target(), registry_);
  ASSERT_TRUE(Outage(server, channel));
  const Duration scheduled = wait();
  server.Start();
  const Stopwatch watch;
  EXPECT_TRUE(Eventually([&] { return Make(channel).status.ok(); }));
  EXPECT_LT(watch.elapsed(), scheduled / 2);
  EXPECT_NE(breaker().state(), BreakerState::kOpen);
  EXPECT_TRUE(Eventually([&] { return Make(channel).status.ok() && breaker().state() == BreakerState::kClosed; }));
}

TEST_F(ConnectivityTest, WithoutCallsAConnectionThatIsBackMovesNothing) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = Connect(Attach::kIntercepted, server.target(), PatientBreaker(), registry_);
  ASSERT_TRUE(Outage(server, channel));
  const int before = server.attempts();
  const std::uint64_t generation = breaker().Snapshot(Now()).generation;
  const Duration scheduled = wait();
  const Stopwatch watch;
  server.Start();
  ASSERT_TRUE(Eventually([&] { return channel->GetState(false) == GRPC_CHANNEL_READY; }));
  ASSERT_TRUE(Eventually([&] { return wait() == Duration::zero(); }));
  EXPECT_LT(watch.elapsed(), scheduled / 2) << "by the evidence, not by the schedule";
  EXPECT_EQ(breaker().Snapshot(Now()).generation, generation);
  EXPECT_EQ(server.attempts(), before);
  EXPECT_TRUE(Make(channel).status.ok()) << "the first call is the probe";
  EXPECT_EQ(server.attempts(), before + 1);
}

TEST_F(ConnectivityTest, AHealthyChannelIsNotWatchedAndARefusingOneOnce) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = Connect(Attach::kIntercepted, server.target(), PatientBreaker(), registry_);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Make(channel).status.ok());
  EXPECT_EQ(Watchers(*channel, 0), 0);
  breaker().ForceOpen(Now());
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_TRUE(Rejected(Make(channel)));
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(Watchers(*channel, 1), 1);
}

TEST_F(ConnectivityTest, ABreakerInShadowModeHearsOfItToo) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  Policies policies = PatientBreaker();
  policies.defaults.breaker.mode = BreakerMode::kShadow;
  const auto channel = Connect(Attach::kDecorator, server.target(), policies, registry_);
  for (int i = 0; i < 20; ++i) Make(channel);
  server.Stop();
  ASSERT_TRUE(Eventually([&] { return std::this_thread::sleep_for(milliseconds(10)), Make(channel), wait() > seconds(3); }));
  Make(channel);  // would have been refused
  const Duration scheduled = wait();
  const Stopwatch watch;
  server.Start();
  EXPECT_TRUE(Eventually([&] { return wait() == Duration::zero(); }));
  EXPECT_LT(watch.elapsed(), scheduled / 2);
}

TEST_F(ConnectivityTest, TheWatchHoldsNothingAndEndsWithTheChannel) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  for (int i = 0; i < 30; ++i) {
    const auto registry = Registry::Create();
    auto channel = Connect(i % 2 == 0 ? Attach::kIntercepted : Attach::kDecorator, server.target(), PatientBreaker(), registry);
    ASSERT_TRUE(Eventually([&] { return Make(channel).status.ok(); }));
    registry->List().at(0)->ForceOpen(Now());
    ASSERT_TRUE(Rejected(Make(channel)));
    const std::weak_ptr<grpc::ChannelInterface> weak = channel;
    std::thread other([&] { server.Stop(); });  // the watch's event comes while the channel goes
    channel.reset();
    other.join();
    EXPECT_TRUE(Eventually([&] { return weak.expired(); }));
    server.Start();
  }
}

TEST_F(ConnectivityTest, AChannelWithoutAConnectionIsLeftAlone) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = server.InProcessChannel(MakeClientInterceptors(PatientBreaker(), registry_));
  ASSERT_TRUE(Make(channel).status.ok());
  breaker().ForceOpen(Now());
  EXPECT_TRUE(Rejected(Make(channel)));
  breaker().Reset(Now());
  EXPECT_TRUE(Make(channel).status.ok());
}

}  // namespace
}  // namespace recloser::testing
