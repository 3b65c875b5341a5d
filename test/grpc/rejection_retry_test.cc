// `RetryOptions::retry_rejections`: a call that an open breaker rejects waits for the next probe instead of ending.
#include <string>
#include <tuple>

#include "api_forms.h"
#include "fixture.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

class RejectionRetryTest : public ::testing::TestWithParam<std::tuple<Form, Attach>> {
 protected:
  RejectionRetryTest() {
    registry_->AddObserver(tally_);
    policies_.defaults.retry.retry_rejections = true;
    policies_.defaults.retry.max_attempts = 20;
  }

  // A channel whose breaker for Echo is open, because two calls failed.
  std::shared_ptr<grpc::ChannelInterface> ConnectAndOpen() {
    const auto channel = Connect(std::get<1>(GetParam()), server_.target(), policies_, registry_);
    for (int i = 0; i < 2; ++i) {
      CallSpec failing;
      failing.prepare = [](grpc::ClientContext& context) { CallOptions(&context).NoRetry(); };
      EXPECT_EQ(Call(form(), channel, std::move(failing)).status.error_code(), grpc::StatusCode::UNAVAILABLE);
    }
    EXPECT_EQ(registry_->List()[0]->state(), BreakerState::kOpen);
    return channel;
  }
  Form form() const { return std::get<0>(GetParam()); }

  ScriptedServer server_{[](const Seen& seen) {
    Reply reply;
    if (seen.index < 2) reply.status = Unavailable();
    return reply;
  }};
  Policies policies_ = TouchyBreaker();
  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
};

INSTANTIATE_TEST_SUITE_P(Forms, RejectionRetryTest,
                         ::testing::Combine(::testing::ValuesIn(kAllForms), ::testing::ValuesIn(kBothAttachments)), [](const auto& row) {
                           return std::string(FormName(std::get<0>(row.param))) + AttachName(std::get<1>(row.param));
                         });

TEST_P(RejectionRetryTest, TheCallWaitsForTheProbeAndIsMadeThen) {
  const auto channel = ConnectAndOpen();
  const CallResult result = Call(form(), channel);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.payload, "hello");
  EXPECT_TRUE(result.tag_ok);
  EXPECT_EQ(server_.attempts(), 3);
  EXPECT_GE(tally_->totals().rejected, 1);
  EXPECT_TRUE(Eventually([&] { return tally_->totals().calls_finished == 3; }));
}

TEST_P(RejectionRetryTest, WithoutTimeForTheWaitTheRejectionIsDeliveredAtOnce) {
  policies_.defaults.deadline = seconds(30);
  auto& standard = std::get<StandardBreakerOptions>(policies_.defaults.breaker.kind);
  standard.wait = standard.wait_cap = seconds(60);
  const auto channel = ConnectAndOpen();
  const Stopwatch watch;
  const CallResult result = Call(form(), channel);
  EXPECT_LT(watch.elapsed(), seconds(10));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(result.trailers.count(kRejectedByTrailer), 1u);
  EXPECT_EQ(server_.attempts(), 2);
}

TEST_P(RejectionRetryTest, AnUnlimitedRejectionIsNotWaitedFor) {
  const auto channel = ConnectAndOpen();
  registry_->List()[0]->Reset(Now());
  registry_->List()[0]->ForceOpen(Now());  // rejected for ever: not waited for
  EXPECT_EQ(Call(form(), channel).trailers.count(kRejectedByTrailer), 1u);
  EXPECT_EQ(server_.attempts(), 2);
}

}  // namespace
}  // namespace recloser::testing
