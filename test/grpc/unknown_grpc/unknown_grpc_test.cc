// With a gRPC whose private members the library does not know: everything but retries works, and what does not work is told.
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

#include "api_forms.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What problems are told in words.
class Details final : public Observer {
 public:
  void OnProblem(const Problem& problem) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    text_ += problem.detail;
  }
  std::string text() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

class UnknownGrpcTest : public ::testing::TestWithParam<std::tuple<Form, Attach>> {
 protected:
  UnknownGrpcTest() {
    registry_->AddObserver(tally_);
    registry_->AddObserver(details_);
  }

  std::shared_ptr<grpc::ChannelInterface> ConnectTo(const ScriptedServer& server, const Policies& policies) {
    return Connect(std::get<1>(GetParam()), server.target(), policies, registry_);
  }
  static Form form() { return std::get<0>(GetParam()); }

  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
  const std::shared_ptr<Details> details_ = std::make_shared<Details>();
};

INSTANTIATE_TEST_SUITE_P(Forms, UnknownGrpcTest, ::testing::Combine(::testing::ValuesIn(kAllForms), ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(FormName(std::get<0>(row.param))) + AttachName(std::get<1>(row.param));
                         });

Reply NotNow() {
  Reply reply;
  reply.status = Unavailable();
  return reply;
}

TEST_P(UnknownGrpcTest, CallsThatFailAreNotRetriedWhichIsCountedAndToldOnce) {
  ScriptedServer server([](const Seen&) { return NotNow(); });
  const auto channel = ConnectTo(server, FastRetries());
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Call(form(), channel).status.error_message(), "not now");
  EXPECT_EQ(server.attempts(), 2);
  ASSERT_TRUE(Eventually([&] { return tally_->totals().calls_finished == 2; }));
  EXPECT_THAT(tally_->totals().suppressed, ElementsAre(RetrySuppressed::kUnsupportedMessage, RetrySuppressed::kUnsupportedMessage));
  EXPECT_THAT(tally_->totals().problems, ElementsAre(Problem::Kind::kUnsupportedMessage));
  EXPECT_THAT(details_->text(), HasSubstr("private members"));
}

TEST_P(UnknownGrpcTest, CallsThatSucceedReachTheApplicationWhole) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.headers.emplace("first", "1");
    reply.trailers.emplace("last", "2");
    return reply;
  });
  const CallResult result = Call(form(), ConnectTo(server, FastRetries()));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.payload, "hello");
  EXPECT_TRUE(result.tag_ok);
  EXPECT_EQ(result.headers.count("first"), 1u);
  EXPECT_EQ(result.trailers.count("last"), 1u);
}

TEST_P(UnknownGrpcTest, TheBreakerOpensAndRejectsAtOnce) {
  ScriptedServer server([](const Seen&) { return NotNow(); });
  Policies policies = TouchyBreaker();
  auto& standard = std::get<StandardBreakerOptions>(policies.defaults.breaker.kind);
  standard.wait = standard.wait_cap = seconds(60);
  const auto channel = ConnectTo(server, policies);
  for (int i = 0; i < 2; ++i) Call(form(), channel);
  EXPECT_EQ(Call(form(), channel).trailers.count(kRejectedByTrailer), 1u);
  EXPECT_EQ(server.attempts(), 2);
}

TEST_P(UnknownGrpcTest, ThePolicysDeadlineEndsTheCall) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.until_cancelled = true;
    return reply;
  });
  Policies policies = FastRetries();
  policies.defaults.deadline = milliseconds(50);
  EXPECT_EQ(Call(form(), ConnectTo(server, policies)).status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

TEST_P(UnknownGrpcTest, TheCallsOwnOptionsHoldAndStayInTheProcess) {
  ScriptedServer server([](const Seen&) { return NotNow(); });
  Policies policies = TouchyBreaker();
  auto& standard = std::get<StandardBreakerOptions>(policies.defaults.breaker.kind);
  standard.wait = standard.wait_cap = seconds(60);
  const auto channel = ConnectTo(server, policies);
  for (int i = 0; i < 3; ++i) {  // the third one would be rejected
    CallSpec bypassing;
    bypassing.prepare = [](grpc::ClientContext& context) { CallOptions(&context).BypassBreaker(); };
    EXPECT_EQ(Call(form(), channel, std::move(bypassing)).status.error_message(), "not now");
  }
  EXPECT_EQ(server.attempts(), 3);
  for (const Seen& seen : server.seen()) EXPECT_THAT(seen.metadata, Each(::testing::Key(::testing::Not(HasSubstr("recloser")))));
}

}  // namespace
}  // namespace recloser::testing
