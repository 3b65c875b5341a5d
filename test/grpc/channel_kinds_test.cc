// Channels to targets of all kinds, and to none: what a client gets is what a bare channel gives it.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <tuple>

#include "api_forms.h"
#include "await.h"
#include "fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scripted_server.h"

namespace recloser::testing {
namespace {

using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

// Answers OK at any address.
class AddressedServer final : private demo::v1::Echo::Service {
 public:
  explicit AddressedServer(const std::string& address) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~AddressedServer() override {
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
  }
  /// 0: not at this address.
  int port() const { return server_ == nullptr ? 0 : port_; }

 private:
  grpc::Status Echo(grpc::ServerContext* context, const EchoRequest* request, EchoResponse* response) override {
    context->AddInitialMetadata("h", "1");
    context->AddTrailingMetadata("t", "2");
    response->set_payload(request->payload());
    return grpc::Status::OK;
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

struct Kind {
  const char* name;
  const char* address;  // where the server listens; null: there is none
  /// Of the channel.
  std::function<std::string(int port)> target;
  bool credentials = true;
};

const Kind kKinds[] = {
    {"Ipv4", "127.0.0.1:0", [](int port) { return "ipv4:127.0.0.1:" + std::to_string(port); }},
    {"Ipv6", "[::1]:0", [](int port) { return "ipv6:[::1]:" + std::to_string(port); }},
    {"Dns", "127.0.0.1:0", [](int port) { return "dns:///localhost:" + std::to_string(port); }},
    {"Unix", "unix-abstract:recloser-channel-kinds-test", [](int) { return "unix-abstract:recloser-channel-kinds-test"; }},
    {"InvalidTarget", nullptr, [](int) { return "dns:///"; }},
    {"NoCredentials", nullptr, [](int) { return "127.0.0.1:1"; }, false},
    {"NobodyListens", nullptr, [](int) { return "127.0.0.1:1"; }},
};

/// Where nobody answers, a breaker would open.
Policies PoliciesThatRejectNothing() {
  Policies policies = FastRetries();
  policies.defaults.breaker.mode = BreakerMode::kShadow;
  return policies;
}

class ChannelKindsTest : public ::testing::TestWithParam<std::tuple<Kind, Attach>> {
 protected:
  void SetUp() override {
    if (kind_.address != nullptr) {
      server_ = std::make_unique<AddressedServer>(kind_.address);
      if (server_->port() == 0) GTEST_SKIP() << "this machine has no " << kind_.address;
    }
    const std::string target = kind_.target(server_ != nullptr ? server_->port() : 0);
    const auto credentials = kind_.credentials ? grpc::InsecureChannelCredentials() : nullptr;
    bare_ = grpc::CreateChannel(target, credentials);
    ChannelOptions options;
    options.registry = Registry::Create();
    if (std::get<1>(GetParam()) == Attach::kDecorator) {
      channel_ = CreateChannel(target, credentials, PoliciesThatRejectNothing(), std::move(options));
    } else {
      channel_ = CreateInterceptedChannel(target, credentials, PoliciesThatRejectNothing(), std::move(options));
    }
  }

  const Kind kind_ = std::get<0>(GetParam());
  std::unique_ptr<AddressedServer> server_;
  std::shared_ptr<grpc::ChannelInterface> bare_;
  std::shared_ptr<grpc::ChannelInterface> channel_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, ChannelKindsTest, ::testing::Combine(::testing::ValuesIn(kKinds), ::testing::ValuesIn(kBothAttachments)),
                         [](const auto& row) { return std::string(std::get<0>(row.param).name) + AttachName(std::get<1>(row.param)); });

TEST_P(ChannelKindsTest, GiveWhatABareChannelGives) {
  for (const Form form : kAllForms) {
    SCOPED_TRACE(FormName(form));
    const CallResult expected = Call(form, bare_);
    const CallResult result = Call(form, channel_);
    EXPECT_EQ(expected.status.ok(), kind_.address != nullptr) << expected.status.error_message();
    EXPECT_EQ(result.status.error_code(), expected.status.error_code());
    EXPECT_EQ(result.status.error_message(), expected.status.error_message());
    EXPECT_EQ(result.payload, expected.payload);
    EXPECT_EQ(result.headers, expected.headers);
    EXPECT_EQ(result.tag_ok, expected.tag_ok);
    auto trailers = result.trailers;
    trailers.erase(kAttemptsTrailer);
    EXPECT_EQ(trailers, expected.trailers);
  }
}

TEST_P(ChannelKindsTest, TellTheirStateAsABareChannelDoes) {
  EXPECT_EQ(channel_->GetState(/*try_to_connect=*/false), bare_->GetState(false));
  grpc::CompletionQueue queue;
  if (kind_.address == nullptr) {
    EXPECT_FALSE(channel_->WaitForConnected(std::chrono::system_clock::now() + milliseconds(20)));
    return;
  }
  channel_->NotifyOnStateChange(GRPC_CHANNEL_IDLE, std::chrono::system_clock::now() + seconds(20), &queue, &queue);
  EXPECT_TRUE(channel_->WaitForConnected(std::chrono::system_clock::now() + seconds(20)));
  EXPECT_TRUE(Next(queue, &queue));
  EXPECT_EQ(channel_->GetState(false), GRPC_CHANNEL_READY);
}

// The largest that gRPC sends and takes by default is 8 KiB in all.
TEST(Metadata, OfAnySizeAndAnyBytesReachesEachAttempt) {
  for (const Attach attach : kBothAttachments) {
    for (const Form form : kAllForms) {
      SCOPED_TRACE(std::string(AttachName(attach)) + FormName(form));
      std::string bytes(256, '\0');
      for (int i = 0; i < 256; ++i) bytes[i] = static_cast<char>(i);
      const std::string large(4000, 'x');
      ScriptedServer server([&](const Seen& seen) {
        Reply reply;
        if (seen.index == 0) reply.status = Unavailable();
        reply.headers = {{"bytes-bin", bytes}, {"large", large}};
        reply.trailers = {{"bytes-bin", bytes}, {"large", large}};
        return reply;
      });
      CallSpec spec;
      spec.prepare = [&](grpc::ClientContext& context) {
        context.AddMetadata("bytes-bin", bytes);
        context.AddMetadata("empty", "");
        context.AddMetadata("large", large);
      };
      const CallResult result = Call(form, Connect(attach, server.target(), FastRetries(), Registry::Create()), std::move(spec));
      EXPECT_TRUE(result.status.ok()) << result.status.error_message();
      ASSERT_EQ(server.attempts(), 2);
      for (const Seen& seen : server.seen()) {
        EXPECT_THAT(seen.metadata, ::testing::IsSupersetOf({std::pair<const std::string, std::string>("bytes-bin", bytes),
                                                            std::pair<const std::string, std::string>("empty", ""),
                                                            std::pair<const std::string, std::string>("large", large)}));
      }
      for (const auto& received : {result.headers, result.trailers}) {
        EXPECT_THAT(received, ::testing::IsSupersetOf({std::pair<const std::string, std::string>("bytes-bin", bytes),
                                                       std::pair<const std::string, std::string>("large", large)}));
      }
    }
  }
}

}  // namespace
}  // namespace recloser::testing

// Debian 12's c-ares, which resolves names for gRPC, keeps a few bytes of each query for `dns:`. LeakSanitizer asks this.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libcares.so\n"; }
