// How a retried server stream is relayed: messages of every type, flow control, other interceptors, parents, queues, and who may die when.
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api_forms.h"
#include "await.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "no_rtti_caller.h"
#include "scripted_server.h"

namespace recloser::testing {

// A message type of the user's own, as FlatBuffers' are: gRPC knows how to read and write it, the library does not.
struct Bytes {
  std::string value;
};

}  // namespace recloser::testing

namespace grpc {

template <>
class SerializationTraits<recloser::testing::Bytes> {
 public:
  static Status Serialize(const recloser::testing::Bytes& from, ByteBuffer* to, bool* own) {
    const Slice slice(from.value);
    *to = ByteBuffer(&slice, 1);
    *own = true;
    return Status::OK;
  }
  static Status Deserialize(ByteBuffer* from, recloser::testing::Bytes* to) {
    Slice slice;
    const Status status = from->DumpToSingleSlice(&slice);
    if (status.ok()) to->value.assign(slice.begin(), slice.end());
    from->Clear();
    return to->value == "bad" ? Status(StatusCode::INTERNAL, "not readable") : status;
  }
};

}  // namespace grpc

namespace recloser::testing {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;
using Hook = grpc::experimental::InterceptionHookPoints;

constexpr char kServerStream[] = "/recloser.demo.v1.Echo/ServerStream";

Policies RetriedStreams() {
  Policies policies = FastRetries();
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.defaults.retry.retry_server_streams = true;
  return policies;
}

Reply FailOnce(const Seen& seen) {
  Reply reply;
  reply.messages = seen.index == 0 ? 0 : 3;
  if (seen.index == 0) reply.status = Unavailable();
  return reply;
}

grpc::internal::RpcMethod Method() { return {kServerStream, grpc::internal::RpcMethod::SERVER_STREAMING}; }

// A stream of messages of type M, in each form. Returns the messages and the status.
template <class M>
using Received = std::pair<std::vector<M>, grpc::Status>;

template <class M>
Received<M> ReadSync(grpc::ChannelInterface& channel, const M& request) {
  grpc::ClientContext context;
  const std::unique_ptr<grpc::ClientReader<M>> reader(
      grpc::internal::ClientReaderFactory<M>::Create(&channel, Method(), &context, request));
  Received<M> received;
  M message;
  while (reader->Read(&message)) received.first.push_back(message);
  received.second = reader->Finish();
  return received;
}

template <class M>
Received<M> ReadQueued(grpc::ChannelInterface& channel, const M& request) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const std::unique_ptr<grpc::ClientAsyncReader<M>> reader(
      grpc::internal::ClientAsyncReaderFactory<M>::Create(&channel, &queue, Method(), &context, request, true, &context));
  EXPECT_TRUE(Next(queue, &context));
  reader->ReadInitialMetadata(&context);
  EXPECT_TRUE(Next(queue, &context));
  Received<M> received;
  M message;
  while (true) {
    reader->Read(&message, &context);
    if (!Next(queue, &context)) break;
    received.first.push_back(message);
  }
  reader->Finish(&received.second, &context);
  EXPECT_TRUE(Next(queue, &context));
  return received;
}

template <class M>
Received<M> ReadCalledBack(grpc::ChannelInterface& channel, const M& request) {
  struct Reactor final : grpc::ClientReadReactor<M> {
    void OnReadDone(bool ok) override {
      if (!ok) return;
      received.first.push_back(message);
      this->StartRead(&message);
    }
    void OnDone(const grpc::Status& status) override {
      received.second = status;
      done.set_value();
    }
    M message;
    Received<M> received;
    std::promise<void> done;
  };
  grpc::ClientContext context;
  Reactor reactor;
  grpc::internal::ClientCallbackReaderFactory<M>::Create(&channel, Method(), &context, &request, &reactor);
  reactor.StartRead(&reactor.message);
  reactor.StartCall();
  Await(reactor.done.get_future());
  return std::move(reactor.received);
}

std::string AsText(const grpc::ByteBuffer& bytes) {
  grpc::Slice slice;
  EXPECT_TRUE(bytes.DumpToSingleSlice(&slice).ok());
  return std::string(slice.begin(), slice.end());
}

TEST(StreamRelay, RelaysMessagesOfEveryTypeInEveryForm) {
  EchoRequest hello;
  hello.set_payload("hello");
  EchoResponse expected;
  expected.set_payload("hello");
  for (const Attach attach : kBothAttachments) {
    const auto check = [&](auto read, const auto& request, const auto& text) {
      ScriptedServer server(FailOnce);
      const auto channel = Connect(attach, server.target(), RetriedStreams(), Registry::Create());
      const auto received = read(*channel, request);
      EXPECT_TRUE(received.second.ok()) << received.second.error_message();
      EXPECT_EQ(server.attempts(), 2);
      ASSERT_EQ(received.first.size(), 3u);
      for (const auto& message : received.first) EXPECT_EQ(text(message), expected.SerializeAsString());
    };
    const Bytes bytes{hello.SerializeAsString()};
    const auto text = [](const Bytes& b) { return b.value; };
    check(ReadSync<Bytes>, bytes, text);
    check(ReadQueued<Bytes>, bytes, text);
    check(ReadCalledBack<Bytes>, bytes, text);
    const grpc::Slice slice(hello.SerializeAsString());
    const grpc::ByteBuffer buffer(&slice, 1);
    check(ReadSync<grpc::ByteBuffer>, buffer, AsText);
    check(ReadQueued<grpc::ByteBuffer>, buffer, AsText);
    check(ReadCalledBack<grpc::ByteBuffer>, buffer, AsText);
  }
}

TEST(StreamRelay, RelaysToCallersWithoutRunTimeTypes) {
#ifdef RECLOSER_SANITIZED
  GTEST_SKIP() << "UBSan's vptr check takes objects without run-time type information for invalid ones";
#endif
  for (const Attach attach : kBothAttachments) {
    ScriptedServer server(FailOnce);
    int messages = 0;
    const auto channel = Connect(attach, server.target(), RetriedStreams(), Registry::Create());
    EXPECT_TRUE(StreamWithoutRtti(channel, kServerStream, &messages).ok());
    EXPECT_EQ(messages, 3);
    EXPECT_EQ(server.attempts(), 2);
  }
}

// Counts messages and statuses that pass.
struct Counts {
  std::atomic<int> messages{0};
  std::atomic<int> statuses{0};
  std::atomic<int> calls{0};
};

class Counting final : public grpc::experimental::Interceptor {
 public:
  explicit Counting(Counts& counts) : counts_(counts) { ++counts_.calls; }
  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(Hook::POST_RECV_MESSAGE) && batch->GetRecvMessage() != nullptr) ++counts_.messages;
    if (batch->QueryInterceptionHookPoint(Hook::POST_RECV_STATUS)) ++counts_.statuses;
    batch->Proceed();
  }

 private:
  Counts& counts_;
};

class CountingFactory final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit CountingFactory(Counts& counts) : counts_(counts) {}
  grpc::experimental::Interceptor* CreateClientInterceptor(grpc::experimental::ClientRpcInfo*) override { return new Counting(counts_); }

 private:
  Counts& counts_;
};

ChannelOptions Counted(Counts& outside, Counts& inside) {
  ChannelOptions options;
  options.outside.push_back(std::make_unique<CountingFactory>(outside));
  options.inside.push_back(std::make_unique<CountingFactory>(inside));
  return options;
}

TEST(StreamRelay, InterceptorsOutsideSeeTheStreamAndInsideEveryAttempt) {
  for (const Attach attach : kBothAttachments) {
    for (const StreamForm form : kAllStreamForms) {
      SCOPED_TRACE(std::string(AttachName(attach)) + StreamFormName(form));
      ScriptedServer server(FailOnce);
      Counts outside;
      Counts inside;
      const auto channel = Connect(attach, server.target(), RetriedStreams(), Registry::Create(), Counted(outside, inside));
      EXPECT_TRUE(Call(form, Stream::kServer, channel).status.ok());
      EXPECT_EQ(outside.calls, 1);
      EXPECT_EQ(outside.messages, 3);
      EXPECT_EQ(outside.statuses, 1);
      EXPECT_EQ(inside.calls, 3) << "the application's own, hijacked, and one for each attempt";
      EXPECT_EQ(inside.messages, 3);
      EXPECT_EQ(inside.statuses, 2);
    }
  }
}

TEST(StreamRelay, ReadsOneMessageForEachThatTheApplicationReads) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 20;
    return reply;
  });
  Counts outside;
  Counts inside;
  const auto stub =
      Echo::NewStub(Connect(Attach::kDecorator, server.target(), RetriedStreams(), Registry::Create(), Counted(outside, inside)));
  grpc::ClientContext context;
  EchoResponse response;
  const auto reader = stub->ServerStream(&context, EchoRequest());
  EXPECT_TRUE(Eventually([&] { return inside.messages == 1; })) << "the first one decides";
  for (int i = 1; i <= 5; ++i) {
    EXPECT_TRUE(reader->Read(&response));
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_EQ(inside.messages, i);
  }
  while (reader->Read(&response)) {
  }
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(inside.messages, 20);
}

TEST(StreamRelay, AStreamMayBeFinishedWithoutReadingAfterACancellation) {
  ScriptedServer server([](const Seen&) {
    Reply reply;
    reply.messages = 1;
    reply.until_cancelled = true;
    return reply;
  });
  const auto registry = Registry::Create();
  const auto stub = Echo::NewStub(Connect(Attach::kDecorator, server.target(), RetriedStreams(), registry));
  for (const bool read : {false, true}) {
    grpc::ClientContext context;
    EchoResponse response;
    const auto reader = stub->ServerStream(&context, EchoRequest());
    EXPECT_TRUE(!read || reader->Read(&response));
    context.TryCancel();
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  EXPECT_EQ(registry->List()[0]->Snapshot(Now()).permits_in_flight, 0);
}

// Passes streams on: a client's call becomes the parent of a relayed one.
class Proxy final : private Echo::Service {
 public:
  explicit Proxy(const std::shared_ptr<grpc::ChannelInterface>& backend) : backend_(Echo::NewStub(backend)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~Proxy() override { server_->Shutdown(); }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }
  grpc::StatusCode outcome() const { return outcome_; }
  int served() const { return served_; }

 private:
  grpc::Status ServerStream(grpc::ServerContext* context, const EchoRequest* request, grpc::ServerWriter<EchoResponse>* writer) override {
    const auto child = grpc::ClientContext::FromServerContext(*context);
    const auto reader = backend_->ServerStream(child.get(), *request);
    EchoResponse response;
    while (reader->Read(&response)) writer->Write(response);
    const grpc::Status status = reader->Finish();
    outcome_ = status.error_code();
    ++served_;
    return status;
  }

  const std::unique_ptr<Echo::Stub> backend_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::atomic<grpc::StatusCode> outcome_{grpc::StatusCode::OK};
  std::atomic<int> served_{0};
};

TEST(StreamRelay, TheParentsCancellationAndDeadlineReachEachAttempt) {
  for (const Attach attach : kBothAttachments) {
    for (const bool cancels : {false, true}) {
      ScriptedServer server([](const Seen& seen) {
        Reply reply = FailOnce(seen);
        reply.until_cancelled = seen.index > 0;
        return reply;
      });
      const auto registry = Registry::Create();
      const auto tally = std::make_shared<Tally>();
      registry->AddObserver(tally);
      Proxy proxy(Connect(attach, server.target(), RetriedStreams(), registry));
      CallSpec spec;
      spec.prepare = [cancels](grpc::ClientContext& context) {
        if (!cancels) context.set_deadline(std::chrono::system_clock::now() + seconds(1));
      };
      spec.meanwhile = [&](grpc::ClientContext& context) {
        if (!cancels) return;
        EXPECT_TRUE(Eventually([&] { return server.attempts() == 2; }));
        context.TryCancel();
      };
      const auto channel = grpc::CreateChannel(proxy.target(), grpc::InsecureChannelCredentials());
      const auto expected = cancels ? grpc::StatusCode::CANCELLED : grpc::StatusCode::DEADLINE_EXCEEDED;
      EXPECT_EQ(Call(StreamForm::kSync, Stream::kServer, channel, std::move(spec)).status.error_code(), expected);
      EXPECT_TRUE(Eventually([&] { return proxy.served() == 1; }));
      EXPECT_EQ(server.attempts(), 2);
      EXPECT_EQ(server.seen()[1].deadline_left.has_value(), !cancels);
      if (cancels) {
        EXPECT_EQ(tally->totals().attempts.back().outcome, Outcome::kIgnored);
      }
    }
  }
}

TEST(StreamRelay, AQueueThatIsShutDownReturnsItsTags) {
  ScriptedServer server(FailOnce);
  const auto stub = Echo::NewStub(Connect(Attach::kDecorator, server.target(), RetriedStreams(), Registry::Create()));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  EchoResponse response;
  grpc::Status status;
  const auto reader = stub->PrepareAsyncServerStream(&context, EchoRequest(), &queue);
  reader->StartCall(&queue);
  reader->Read(&response, &response);
  queue.Shutdown();
  std::vector<void*> tags;
  void* tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) {
    EXPECT_TRUE(ok);
    tags.push_back(tag);
  }
  EXPECT_THAT(tags, ::testing::UnorderedElementsAre(&queue, &response));
  EXPECT_EQ(response.payload(), "");
}

// Random streams, read to the end, cancelled or dropped at any time. What is read is what one attempt sent, in order, once.
class Numbering final : private Echo::Service {
 public:
  Numbering() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~Numbering() override { server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(5)); }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }
  int attempts() const { return attempts_; }
  int running() const { return running_; }

 private:
  grpc::Status ServerStream(grpc::ServerContext* context, const EchoRequest*, grpc::ServerWriter<EchoResponse>* writer) override {
    ++running_;
    const grpc::Status status = Serve(++attempts_, *context, *writer);
    --running_;
    return status;
  }
  static grpc::Status Serve(int attempt, const grpc::ServerContext& context, grpc::ServerWriter<EchoResponse>& writer) {
    if (attempt % 3 == 0) return Unavailable();
    EchoResponse response;
    response.set_payload(std::to_string(attempt));
    for (int i = 0; i < attempt % 7; ++i) {
      response.set_message_index(i);
      if (!writer.Write(response)) return grpc::Status::CANCELLED;
    }
    while (attempt % 11 == 0 && !context.IsCancelled()) std::this_thread::sleep_for(milliseconds(1));
    return attempt % 5 == 0 ? Unavailable() : grpc::Status::OK;
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::atomic<int> attempts_{0};
  std::atomic<int> running_{0};
};

struct Reader {
  bool Take(const EchoResponse& response) {
    if (next == 0) attempt = response.payload();
    return response.payload() == attempt && response.message_index() == next++;
  }
  std::string attempt;
  std::uint32_t next = 0;
};

void ReadSome(Echo::Stub& stub, unsigned dice) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + milliseconds(dice % 16 == 0 ? 3 : 300));
  EchoResponse response;
  Reader read;
  const unsigned stop = dice / 16 % 8;
  const bool drops = dice / 128 % 2 == 0;
  std::thread canceller;
  if (dice / 256 % 4 == 0) canceller = std::thread([&] { context.TryCancel(); });
  if (dice / 1024 % 2 == 0) {
    const auto reader = stub.ServerStream(&context, EchoRequest());
    while ((!drops || read.next < stop) && reader->Read(&response)) EXPECT_TRUE(read.Take(response));
    if (!drops) reader->Finish();
  } else {
    grpc::CompletionQueue queue;
    const auto reader = stub.PrepareAsyncServerStream(&context, EchoRequest(), &queue);
    reader->StartCall(&queue);
    bool ok = Next(queue, &queue);
    while (ok && (!drops || read.next < stop)) {
      reader->Read(&response, &queue);
      ok = Next(queue, &queue);
      EXPECT_TRUE(!ok || read.Take(response));
    }
    grpc::Status status;
    if (!drops) {
      reader->Finish(&status, &queue);
      Next(queue, &queue);
    }
  }
  if (canceller.joinable()) canceller.join();
}

TEST(StreamRelayStress, WhateverTheApplicationDoesNothingIsLostOrTwice) {
  Numbering server;
  const auto registry = Registry::Create();
  const auto tally = std::make_shared<Tally>();
  registry->AddObserver(tally);
  Policies policies = RetriedStreams();
  policies.defaults.breaker.mode = BreakerMode::kShadow;
  policies.retry_budget.enabled = false;
  policies.defaults.retry.backoff.base = milliseconds(1);
  policies.defaults.stream_idle_timeout = milliseconds(50);
  {
    const auto channel = Connect(Attach::kIntercepted, server.target(), policies, registry);
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 4; ++seed) {
      threads.emplace_back([&, seed] {
        const auto stub = Echo::NewStub(channel);
        std::mt19937 random(seed);
        const Stopwatch watch;
        for (int i = 0; i < 400 && watch.elapsed() < seconds(4); ++i) ReadSome(*stub, random());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const Tally::Totals totals = tally->totals();
  EXPECT_EQ(totals.calls_started, totals.calls_finished);
  EXPECT_EQ(totals.attempts_started, totals.attempts_finished);
  EXPECT_LE(server.attempts(), totals.attempts_started);
  EXPECT_TRUE(Eventually([&] { return server.running() == 0; })) << "an attempt that nobody wants was not cancelled";
  for (const auto& breaker : registry->List()) {
    const BreakerSnapshot snapshot = breaker->Snapshot(Now());
    EXPECT_EQ(snapshot.permits_in_flight, 0);
    EXPECT_EQ(snapshot.invariant_violations, 0u);
  }
}

}  // namespace
}  // namespace recloser::testing
