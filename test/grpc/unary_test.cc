// Unary calls through a Recloser channel over a real socket, in every form of the client API and both ways to attach.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "api_forms.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "recloser/recloser.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

class UnaryTest : public ::testing::TestWithParam<std::tuple<Form, Attach>> {
 protected:
  Form form() const { return std::get<0>(GetParam()); }
  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target, const Policies& policies) {
    return testing::Connect(std::get<1>(GetParam()), target, policies, registry_);
  }
  const std::shared_ptr<Registry> registry_ = Registry::Create();
};

INSTANTIATE_TEST_SUITE_P(Forms, UnaryTest, ::testing::Combine(::testing::ValuesIn(kAllForms), ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(FormName(std::get<0>(row.param))) + AttachName(std::get<1>(row.param));
                         });

TEST_P(UnaryTest, AHealthyCallIsDeliveredUnchanged) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.headers = {{"h", "1"}};
    reply.trailers = {{"t", "2"}};
    return reply;
  });
  const CallResult result = Call(form(), Connect(server.target(), Policies::Defaults()));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.payload, "hello");
  EXPECT_TRUE(result.tag_ok);
  EXPECT_EQ(result.headers.count("h"), 1u);
  EXPECT_EQ(result.trailers.count("t"), 1u);
  EXPECT_EQ(result.trailers.count(kAttemptsTrailer), 0u);
  EXPECT_EQ(server.attempts(), 1);
}

TEST_P(UnaryTest, AFailedAttemptIsRepeatedAndOnlyTheWinnerIsSeen) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply;
    reply.headers = {{"attempt", std::to_string(seen.index + 1)}};
    reply.trailers = {{"attempt", std::to_string(seen.index + 1)}};
    reply.payload = "answer " + std::to_string(seen.index + 1);
    if (seen.index < 2) reply.status = Unavailable();
    return reply;
  });
  const CallResult result = Call(form(), Connect(server.target(), FastRetries()));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.payload, "answer 3");
  EXPECT_TRUE(result.tag_ok);
  EXPECT_THAT(result.headers, ::testing::Contains(::testing::Pair("attempt", "3")));
  EXPECT_EQ(result.headers.count("attempt"), 1u);
  EXPECT_EQ(result.trailers.count("attempt"), 1u);
  EXPECT_THAT(result.trailers, ::testing::Contains(::testing::Pair(kAttemptsTrailer, "3")));
  const std::vector<Seen> seen = server.seen();
  ASSERT_EQ(seen.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(seen[i].payload, "hello");
    EXPECT_EQ(seen[i].metadata.count(kPreviousAttemptsHeader), i == 0 ? 0u : 1u);
  }
}

TEST_P(UnaryTest, ExhaustedRetriesDeliverTheLastRealResult) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply;
    reply.status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "not now " + std::to_string(seen.index + 1), "details");
    return reply;
  });
  const CallResult result = Call(form(), Connect(server.target(), FastRetries()));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(result.status.error_message(), "not now 3");
  EXPECT_EQ(result.status.error_details(), "details");
  EXPECT_TRUE(result.tag_ok);
  EXPECT_EQ(server.attempts(), 3);
}

TEST_P(UnaryTest, AnOpenBreakerRejectsWithoutTouchingTheNetwork) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  const auto channel = Connect(server.target(), Policies::Defaults());
  EXPECT_TRUE(Call(form(), channel).status.ok());
  ASSERT_EQ(registry_->List().size(), 1u);
  registry_->List()[0]->ForceOpen(Now());
  const CallResult result = Call(form(), channel);
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(result.status.error_message(), ::testing::HasSubstr("recloser.demo.v1.Echo/Echo"));
  EXPECT_EQ(result.trailers.count(kRejectedByTrailer), 1u);
  EXPECT_TRUE(result.tag_ok);
  EXPECT_EQ(server.attempts(), 1);
  registry_->List()[0]->Reset(Now());
  EXPECT_TRUE(Call(form(), channel).status.ok());
}

TEST_P(UnaryTest, CancellationInBackoffEndsTheCallAtOnce) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.status = Unavailable();
    reply.trailers = {{"grpc-retry-pushback-ms", "5000"}};
    return reply;
  });
  const auto begin = std::chrono::steady_clock::now();
  CallSpec spec;
  spec.meanwhile = [&server](grpc::ClientContext& context) {
    while (server.attempts() == 0) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(20));
    context.TryCancel();
  };
  const CallResult result = Call(form(), Connect(server.target(), FastRetries()), std::move(spec));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  EXPECT_EQ(server.attempts(), 1);
}

TEST_P(UnaryTest, ThePolicysDeadlineEndsTheCall) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.until_cancelled = true;
    return reply;
  });
  Policies policies = Policies::Defaults();
  policies.defaults.deadline = milliseconds(100);
  const auto begin = std::chrono::steady_clock::now();
  const CallResult result = Call(form(), Connect(server.target(), policies));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

TEST_P(UnaryTest, AnAttemptTimeoutLeavesTimeForARetry) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply;
    reply.until_cancelled = seen.index == 0;
    return reply;
  });
  Policies policies = FastRetries();
  policies.defaults.attempt_timeout = milliseconds(250);
  policies.defaults.deadline = std::chrono::seconds(5);
  const CallResult result = Call(form(), Connect(server.target(), policies));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(server.attempts(), 2);
}

TEST_P(UnaryTest, AMethodWithoutDeclaredIdempotencyIsNotRepeated) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.status = Unavailable();
    return reply;
  });
  CallSpec spec;
  spec.method = "Increment";
  EXPECT_EQ(Call(form(), Connect(server.target(), FastRetries()), std::move(spec)).status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(server.attempts(), 1);
}

TEST_P(UnaryTest, InvalidPoliciesEndEveryCallWithTheFieldsName) {
  Policies policies = Policies::Defaults();
  policies.defaults.retry.max_attempts = 0;
  const CallResult result = Call(form(), Connect("127.0.0.1:1", policies));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(result.status.error_message(), ::testing::HasSubstr("policies.defaults.retry.max_attempts"));
}

}  // namespace
}  // namespace recloser::testing
