// Server-streaming calls that are retried when they fail before their first message (`RetryOptions::retry_server_streams`), in every form
// and both ways to attach.
#include <grpcpp/version_info.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "api_forms.h"
#include "await.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Policies RetriedStreams() {
  Policies policies = FastRetries();
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.defaults.retry.retry_server_streams = true;
  return policies;
}

Reply Fails(int messages = 0) {
  Reply reply;
  reply.messages = messages;
  reply.status = Unavailable();
  return reply;
}

Reply Hangs(int messages) {
  Reply reply;
  reply.messages = messages;
  reply.headers_first = true;
  reply.until_cancelled = true;
  return reply;
}

class StreamRetryTest : public ::testing::TestWithParam<std::tuple<StreamForm, Attach>> {
 protected:
  StreamRetryTest() { registry_->AddObserver(tally_); }

  std::shared_ptr<grpc::ChannelInterface> Connect(const std::string& target, const Policies& policies, ChannelOptions options = {}) {
    return testing::Connect(std::get<1>(GetParam()), target, policies, registry_, std::move(options));
  }
  CallResult Make(const std::shared_ptr<grpc::ChannelInterface>& channel, CallSpec spec = {}) {
    return Call(std::get<0>(GetParam()), Stream::kServer, channel, std::move(spec));
  }
  void ExpectNothingLeft() {
    for (const auto& breaker : registry_->List()) EXPECT_EQ(breaker->Snapshot(Now()).permits_in_flight, 0);
    const Tally::Totals totals = tally_->totals();
    EXPECT_EQ(totals.calls_started, totals.calls_finished);
    EXPECT_EQ(totals.attempts_started, totals.attempts_finished);
  }

  const std::shared_ptr<Registry> registry_ = Registry::Create();
  const std::shared_ptr<Tally> tally_ = std::make_shared<Tally>();
};

INSTANTIATE_TEST_SUITE_P(Forms, StreamRetryTest,
                         ::testing::Combine(::testing::ValuesIn(kAllStreamForms), ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(StreamFormName(std::get<0>(row.param))) + AttachName(std::get<1>(row.param));
                         });

TEST_P(StreamRetryTest, OnlyTheAttemptThatHasAFirstMessageIsDelivered) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply = Fails(seen.index < 2 ? 0 : 3);
    reply.headers_first = true;  // headers alone do not commit an attempt
    reply.headers = {{"from-attempt", std::to_string(seen.index + 1)}};
    reply.trailers = reply.headers;
    reply.payload = "of attempt " + std::to_string(seen.index + 1);
    if (seen.index == 2) reply.status = grpc::Status::OK;
    return reply;
  });
  CallSpec spec;
  spec.prepare = [](grpc::ClientContext& context) { context.AddMetadata("x", "1"); };
  const CallResult result = Make(Connect(server.target(), RetriedStreams()), std::move(spec));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.messages, 3);
  EXPECT_EQ(result.payload, "of attempt 3");
  EXPECT_THAT(result.headers, ElementsAre(::testing::Pair("from-attempt", "3")));
  EXPECT_EQ(result.trailers.find("from-attempt")->second, "3");
  EXPECT_EQ(result.trailers.find(kAttemptsTrailer)->second, "3");
  ASSERT_EQ(server.attempts(), 3);
  for (const Seen& seen : server.seen()) {
    EXPECT_EQ(seen.payload, "hello");
    EXPECT_EQ(seen.metadata.count("x"), 1u);
    EXPECT_EQ(seen.metadata.count(kPreviousAttemptsHeader), seen.index == 0 ? 0u : 1u);
  }
  const Tally::Totals totals = tally_->totals();
  ASSERT_EQ(totals.attempts.size(), 3u);
  EXPECT_EQ(totals.attempts[1].outcome, Outcome::kFailure);
  EXPECT_EQ(totals.attempts[2].outcome, Outcome::kSuccess);
  EXPECT_EQ(totals.calls[0].attempts, 3);
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, WhenNoAttemptHasAMessageTheLastOneIsDelivered) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply = Fails();
    reply.headers_first = true;
    reply.headers = reply.trailers = {{"from-attempt", std::to_string(seen.index + 1)}};
    reply.status = grpc::Status(grpc::StatusCode::UNAVAILABLE, "attempt " + std::to_string(seen.index + 1), "details");
    return reply;
  });
  const CallResult result = Make(Connect(server.target(), RetriedStreams()));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(result.status.error_message(), "attempt 3");
  EXPECT_EQ(result.status.error_details(), "details");
  EXPECT_EQ(result.headers.find("from-attempt")->second, "3");
  EXPECT_EQ(result.trailers.find("from-attempt")->second, "3");
  EXPECT_EQ(result.messages, 0);
  EXPECT_EQ(server.attempts(), 3);
  EXPECT_THAT(tally_->totals().suppressed, ElementsAre(RetrySuppressed::kMaxAttempts));
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, AfterItsFirstMessageAStreamIsNeverRepeated) {
  ScriptedServer server([](const Seen& seen) { return Fails(seen.index == 0 ? 0 : 2); });
  const CallResult result = Make(Connect(server.target(), RetriedStreams()));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(result.status.error_message(), "not now");
  EXPECT_EQ(result.messages, 2);
  EXPECT_EQ(server.attempts(), 2);
  EXPECT_THAT(tally_->totals().suppressed, ElementsAre(RetrySuppressed::kCommitted));
  ExpectNothingLeft();
}

struct OneAttempt {
  const char* name;
  Reply reply;
  void (*change)(Policies&) = nullptr;
  void (*prepare)(grpc::ClientContext&) = nullptr;
};

TEST_P(StreamRetryTest, OneAttemptIsAll) {
  Reply empty;
  empty.messages = 0;
  Reply not_found = empty;
  not_found.status = grpc::Status(grpc::StatusCode::NOT_FOUND, "no such thing");
  Reply stop = Fails();
  stop.trailers = {{"grpc-retry-pushback-ms", "-1"}};
  const OneAttempt rows[] = {
      {"OK without a message is OK", empty},
      {"a code that is not retried", not_found},
      {"the server forbids it", stop},
      {"not asked for", Fails(), [](Policies& p) { p.defaults.retry.retry_server_streams = false; }},
      {"not declared idempotent", Fails(), [](Policies& p) { p.defaults.retry.mode = RetryMode::kIdempotent; }},
      {"no retry of this call", Fails(), nullptr, [](grpc::ClientContext& c) { CallOptions(&c).NoRetry(); }},
      {"itself a retry", Fails(), nullptr, [](grpc::ClientContext& c) { c.AddMetadata(kPreviousAttemptsHeader, "1"); }},
  };
  for (const OneAttempt& row : rows) {
    ScriptedServer server([&row](const Seen&) { return row.reply; });
    Policies policies = RetriedStreams();
    if (row.change != nullptr) row.change(policies);
    CallSpec spec;
    if (row.prepare != nullptr) spec.prepare = row.prepare;
    const CallResult result = Make(Connect(server.target(), policies), std::move(spec));
    EXPECT_EQ(result.status.error_code(), row.reply.status.error_code()) << row.name;
    EXPECT_EQ(result.messages, 0) << row.name;
    EXPECT_EQ(server.attempts(), 1) << row.name;
    EXPECT_EQ(result.trailers.count(kAttemptsTrailer), 0u) << row.name;
  }
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, ACallMayAskForAttemptsOfItsOwn) {
  ScriptedServer server([](const Seen&) { return Fails(); });
  Policies policies = RetriedStreams();
  policies.defaults.retry.mode = RetryMode::kNever;
  CallSpec spec;
  spec.prepare = [](grpc::ClientContext& context) { CallOptions(&context).MaxAttempts(2); };
  EXPECT_EQ(Make(Connect(server.target(), policies), std::move(spec)).status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(server.attempts(), 2);
}

TEST_P(StreamRetryTest, AnAttemptTimeoutHoldsToTheFirstMessage) {
  ScriptedServer server([](const Seen& seen) {
    if (seen.index == 0) return Hangs(0);
    Reply reply;
    reply.messages = 2;
    reply.delay = milliseconds(600);  // after the messages
    return reply;
  });
  Policies policies = RetriedStreams();
  policies.defaults.attempt_timeout = milliseconds(300);
  const CallResult result = Make(Connect(server.target(), policies));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.messages, 2);
  EXPECT_EQ(server.attempts(), 2);
  const Tally::Totals totals = tally_->totals();
  EXPECT_EQ(totals.timeouts, 1);
  ASSERT_EQ(totals.attempts.size(), 2u);
  EXPECT_EQ(totals.attempts[0].code, absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(totals.attempts[0].outcome, Outcome::kFailure);
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, TheServiceSeesTheCallsDeadlineInEachAttempt) {
  ScriptedServer server([](const Seen& seen) { return seen.index == 0 ? Fails() : Reply(); });
  Policies policies = RetriedStreams();
  policies.defaults.deadline = seconds(60);
  EXPECT_TRUE(Make(Connect(server.target(), policies)).status.ok());
  ASSERT_EQ(server.attempts(), 2);
  for (const Seen& seen : server.seen()) {
    ASSERT_TRUE(seen.deadline_left.has_value());
    EXPECT_GT(*seen.deadline_left, seconds(30));
    EXPECT_LE(*seen.deadline_left, seconds(61));
  }
}

TEST_P(StreamRetryTest, TheDeadlineEndsTheStreamBeforeAndAfterItsFirstMessage) {
  for (const int messages : {0, 2}) {
    for (const bool callers : {false, true}) {
      ScriptedServer server([messages](const Seen&) { return Hangs(messages); });
      Policies policies = RetriedStreams();
      if (!callers) policies.defaults.deadline = milliseconds(300);
      CallSpec spec;
      if (callers) {
        spec.prepare = [](grpc::ClientContext& c) { c.set_deadline(std::chrono::system_clock::now() + milliseconds(300)); };
      }
      const Stopwatch watch;
      const CallResult result = Make(Connect(server.target(), policies), std::move(spec));
      EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << result.status.error_message();
      EXPECT_LT(watch.elapsed(), seconds(10));
      EXPECT_EQ(result.messages, messages);
      EXPECT_EQ(server.attempts(), 1);
    }
  }
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, WithoutTimeForTheBackoffTheLastErrorIsDeliveredAtOnce) {
  ScriptedServer server([](const Seen&) {
    Reply reply = Fails();
    reply.trailers = {{"grpc-retry-pushback-ms", "60000"}};
    return reply;
  });
  Policies policies = RetriedStreams();
  policies.defaults.deadline = seconds(30);
  const Stopwatch watch;
  EXPECT_EQ(Make(Connect(server.target(), policies)).status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_LT(watch.elapsed(), seconds(10));
  EXPECT_THAT(tally_->totals().suppressed, ElementsAre(RetrySuppressed::kDeadline));
}

TEST_P(StreamRetryTest, ACancellationEndsTheStreamWhereverItIs) {
  Reply waits = Fails();
  waits.trailers = {{"grpc-retry-pushback-ms", "60000"}};
  const std::pair<const char*, Reply> rows[] = {{"before the first message", Hangs(0)}, {"after it", Hangs(2)}, {"in back-off", waits}};
  for (const auto& [name, reply] : rows) {
    ScriptedServer server([reply = reply](const Seen&) { return reply; });
    const int failed = tally_->totals().attempts_finished;
    CallSpec spec;
    spec.meanwhile = [&, in_backoff = !reply.status.ok()](grpc::ClientContext& context) {
      EXPECT_TRUE(Eventually([&] { return server.attempts() > 0 && (!in_backoff || tally_->totals().attempts_finished > failed); }));
      context.TryCancel();
    };
    const Stopwatch watch;
    const CallResult result = Make(Connect(server.target(), RetriedStreams()), std::move(spec));
    EXPECT_EQ(result.status.error_code(), grpc::StatusCode::CANCELLED) << name;
    EXPECT_LT(watch.elapsed(), seconds(10)) << name;
    EXPECT_EQ(server.attempts(), 1) << name;
    EXPECT_TRUE(tally_->totals().calls.back().local) << name;
  }
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, AStreamCancelledBeforeItBeganReachesNobody) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  CallSpec spec;
  spec.prepare = [](grpc::ClientContext& context) { context.TryCancel(); };
  EXPECT_EQ(Make(Connect(server.target(), RetriedStreams()), std::move(spec)).status.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(server.attempts(), 0);
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, TheBreakerIsAskedForEachAttempt) {
  ScriptedServer server([](const Seen&) { return Fails(); });
  Policies policies = TouchyBreaker();
  policies.defaults.retry = RetriedStreams().defaults.retry;
  policies.defaults.retry.max_attempts = 5;
  auto& standard = std::get<StandardBreakerOptions>(policies.defaults.breaker.kind);
  standard.wait = standard.wait_cap = seconds(60);
  const auto channel = Connect(server.target(), policies);
  const CallResult opened = Make(channel);
  EXPECT_EQ(opened.status.error_message(), "not now");
  EXPECT_EQ(opened.trailers.count(kRejectedByTrailer), 0u) << "the last real result";
  EXPECT_EQ(server.attempts(), 2);
  EXPECT_THAT(tally_->totals().suppressed, ElementsAre(RetrySuppressed::kBreakerOpen));
  const CallResult rejected = Make(channel);
  EXPECT_EQ(rejected.trailers.count(kRejectedByTrailer), 1u);
  EXPECT_EQ(server.attempts(), 2);
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, ARejectionMayBeWaitedFor) {
  ScriptedServer server([](const Seen& seen) { return seen.index < 2 ? Fails() : Reply(); });
  Policies policies = TouchyBreaker();
  policies.defaults.retry = RetriedStreams().defaults.retry;
  policies.defaults.retry.retry_rejections = true;
  policies.defaults.retry.max_attempts = 20;
  const auto channel = Connect(server.target(), policies);
  for (int i = 0; i < 2; ++i) {
    CallSpec failing;
    failing.prepare = [](grpc::ClientContext& context) { CallOptions(&context).NoRetry(); };
    EXPECT_EQ(Make(channel, std::move(failing)).status.error_code(), grpc::StatusCode::UNAVAILABLE);
  }
  EXPECT_EQ(registry_->List()[0]->state(), BreakerState::kOpen);
  const CallResult result = Make(channel);
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.messages, 1);
  EXPECT_EQ(server.attempts(), 3);
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, LargeAndCompressedMessagesArriveWhole) {
  const std::string large(8 << 20, 'x');
  ScriptedServer server([](const Seen& seen) {
    if (seen.index == 0) return Fails();
    Reply reply;
    reply.messages = 3;
    return reply;
  });
  ChannelOptions options;
  options.arguments.SetMaxReceiveMessageSize(-1);
  CallSpec spec;
  spec.payload = large;
  spec.prepare = [](grpc::ClientContext& context) { context.set_compression_algorithm(GRPC_COMPRESS_GZIP); };
  const CallResult result = Make(Connect(server.target(), RetriedStreams(), std::move(options)), std::move(spec));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.messages, 3);
  EXPECT_TRUE(result.payload == large);
  for (const Seen& seen : server.seen()) EXPECT_TRUE(seen.payload == large);
}

TEST_P(StreamRetryTest, AMessageThatIsTooLargeEndsTheStreamAsOnABareChannel) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.payload = std::string(10'000, 'x');
    return reply;
  });
  ChannelOptions options;
  options.arguments.SetMaxReceiveMessageSize(1000);
  const CallResult result = Make(Connect(server.target(), RetriedStreams(), std::move(options)));
  // gRPC 1.83 gives a bare channel the one or the other.
  const grpc::StatusCode other = GRPC_CPP_VERSION_MINOR < 83 ? grpc::StatusCode::RESOURCE_EXHAUSTED : grpc::StatusCode::CANCELLED;
  EXPECT_THAT(result.status.error_code(), ::testing::AnyOf(grpc::StatusCode::RESOURCE_EXHAUSTED, other));
  EXPECT_EQ(result.messages, 0);
  EXPECT_EQ(server.attempts(), 1);
}

TEST_P(StreamRetryTest, WaitForReadyWaits) {
  ScriptedServer server([](const Seen&) { return Reply(); });
  server.Stop();
  CallSpec spec;
  spec.prepare = [](grpc::ClientContext& context) { context.set_wait_for_ready(true); };
  spec.meanwhile = [&](grpc::ClientContext&) {
    EXPECT_TRUE(Eventually([&] { return tally_->totals().attempts_started > 0; }));
    server.Start();
  };
  const CallResult result = Make(Connect(server.target(), RetriedStreams()), std::move(spec));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(tally_->totals().attempts_started, 1);
}

TEST_P(StreamRetryTest, AThousandMessagesComeInOrderOnce) {
  ScriptedServer server([](const Seen& seen) {
    Reply reply = Fails(seen.index == 0 ? 0 : 1000);
    if (seen.index > 0) reply.status = grpc::Status::OK;
    return reply;
  });
  const CallResult result = Make(Connect(server.target(), RetriedStreams()));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(result.messages, 1000);
  EXPECT_THAT(tally_->totals().suppressed, IsEmpty());
}

TEST_P(StreamRetryTest, AnAttemptThatIsIdleBeforeItsFirstMessageIsRetried) {
  ScriptedServer server([](const Seen& seen) { return seen.index == 0 ? Hangs(0) : Reply(); });
  Policies policies = RetriedStreams();
  policies.defaults.stream_idle_timeout = milliseconds(500);
  const CallResult result = Make(Connect(server.target(), policies));
  EXPECT_TRUE(result.status.ok()) << result.status.error_message();
  EXPECT_EQ(server.attempts(), 2);
  EXPECT_THAT(tally_->totals().timeout_scopes, ElementsAre(TimeoutScope::kStreamIdle));
  ExpectNothingLeft();
}

TEST_P(StreamRetryTest, AStreamThatIsIdleAfterItsFirstMessageEnds) {
  ScriptedServer server([](const Seen&) { return Hangs(1); });
  Policies policies = RetriedStreams();
  policies.defaults.stream_idle_timeout = milliseconds(500);
  const CallResult result = Make(Connect(server.target(), policies));
  EXPECT_EQ(result.status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(result.status.error_message(), "recloser: no message for 500ms (stream_idle_timeout)");
  EXPECT_EQ(result.messages, 1);
  EXPECT_EQ(server.attempts(), 1);
  EXPECT_THAT(tally_->totals().timeout_scopes, ElementsAre(TimeoutScope::kStreamIdle));
  EXPECT_EQ(tally_->totals().attempts[0].outcome, Outcome::kFailure);
  ExpectNothingLeft();
}

// What an impatient application does: it begins a stream and lets everything go, the channel too. The callback API has no such way.
class DroppedRelayTest : public StreamRetryTest {
 protected:
  // Reads so many messages, waits for `when`, drops everything.
  void BeginAndDrop(const std::shared_ptr<grpc::ChannelInterface>& channel, int reads, const std::function<bool()>& when) {
    const auto stub = demo::v1::Echo::NewStub(channel);
    const demo::v1::EchoRequest request;
    demo::v1::EchoResponse response;
    grpc::CompletionQueue queue;
    grpc::ClientContext context;
    if (std::get<0>(GetParam()) == StreamForm::kSync) {
      const auto reader = stub->ServerStream(&context, request);
      for (int i = 0; i < reads; ++i) EXPECT_TRUE(reader->Read(&response));
      EXPECT_TRUE(Eventually(when));
      return;
    }
    const auto reader = stub->PrepareAsyncServerStream(&context, request, &queue);
    reader->StartCall(&context);
    EXPECT_TRUE(Next(queue, &context));
    for (int i = 0; i < reads; ++i) {
      reader->Read(&response, &context);
      EXPECT_TRUE(Next(queue, &context));
    }
    EXPECT_TRUE(Eventually(when));
  }
  bool NothingInFlight() const {
    for (const auto& breaker : registry_->List()) {
      if (breaker->Snapshot(Now()).permits_in_flight > 0) return false;
    }
    return true;
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, DroppedRelayTest,
                         ::testing::Combine(::testing::Values(StreamForm::kSync, StreamForm::kQueue),
                                            ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) {
                           return std::string(StreamFormName(std::get<0>(row.param))) + AttachName(std::get<1>(row.param));
                         });

TEST_P(DroppedRelayTest, IsOverAtOnceWhereverItWas) {
  Reply waits = Fails();
  waits.trailers = {{"grpc-retry-pushback-ms", "60000"}};
  int streams = 0;
  const auto started = [&] { return tally_->totals().attempts_started == streams; };
  const auto failed = [&] { return tally_->totals().attempts_finished == streams; };
  const auto received = [&] { return started() && NothingInFlight(); };
  struct Row {
    const char* name;
    Reply reply;
    int reads;
    std::function<bool()> when;
    bool ends;  // at the server, by a cancellation
  };
  const Row rows[] = {
      {"before the first message", Hangs(0), 0, started, true},
      {"the first message not read", Hangs(1), 0, received, true},
      {"after the first message", Hangs(2), 1, received, true},
      {"all read", Hangs(2), 2, received, true},
      {"in back-off", waits, 0, failed, false},
  };
  for (const Row& row : rows) {
    std::atomic<int> reached{0};
    ScriptedServer server([&](const Seen&) {
      ++reached;
      return row.reply;
    });
    ++streams;
    BeginAndDrop(Connect(server.target(), RetriedStreams()), row.reads, row.when);
    EXPECT_TRUE(NothingInFlight()) << row.name;
    const Tally::Totals totals = tally_->totals();
    EXPECT_EQ(totals.calls_finished, streams) << row.name;
    EXPECT_EQ(totals.attempts_finished, streams) << row.name;
    EXPECT_EQ(totals.calls.back().code, absl::StatusCode::kCancelled) << row.name;
    server.Stop();  // waits for the handlers: a stream that was not cancelled would hold it up
    EXPECT_LE(reached, 1) << row.name;
  }
}

}  // namespace
}  // namespace recloser::testing
