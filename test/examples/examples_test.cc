// The examples as a reader runs them: as programs, against a service that refuses the first attempt of each call.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>

#include "recloser/demo/v1/echo.grpc.pb.h"

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Refuses every other attempt, so a client that makes its calls one by one and does not retry sees failures.
class ReluctantEcho final : public recloser::demo::v1::Echo::Service {
 public:
  grpc::Status Echo(grpc::ServerContext* /*context*/, const recloser::demo::v1::EchoRequest* request,
                    recloser::demo::v1::EchoResponse* response) override {
    if (++attempts_ % 2 == 1) return {grpc::StatusCode::UNAVAILABLE, "not yet"};
    response->set_payload(request->payload());
    return grpc::Status::OK;
  }
  int attempts() const { return attempts_; }

 private:
  std::atomic<int> attempts_{0};
};

struct Ran {
  int exit_status = -1;
  std::string output;
};

Ran RunExample(const std::string& command) {
  Ran ran;
  std::FILE* const pipe = ::popen((EXAMPLES_DIR "/" + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[1024];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) ran.output += buffer;
  const int status = ::pclose(pipe);
  ran.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

class ExamplesTest : public ::testing::Test {
 protected:
  ExamplesTest() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

  ReluctantEcho service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(ExamplesTest, TheMinimalClientRecoversByARetry) {
  const Ran ran = RunExample("minimal_client " + target());
  EXPECT_EQ(ran.exit_status, 0) << ran.output;
  EXPECT_EQ(ran.output, "hello, after 2 attempt(s)\n");
  EXPECT_EQ(service_.attempts(), 2);
}

TEST_F(ExamplesTest, TheMinimalClientSaysWhatFailed) {
  server_->Shutdown();
  const Ran ran = RunExample("minimal_client " + target());
  EXPECT_EQ(ran.exit_status, 1);
  EXPECT_THAT(ran.output, StartsWith("failed: "));
}

class OneLineChangedTest : public ExamplesTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(OneLineChangedTest, EveryStyleOfCallIsProtected) {
  const Ran ran = RunExample(GetParam() + (" " + target()));
  EXPECT_EQ(ran.exit_status, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("sync: hello\ncallback: hello\nqueue: hello\n"));
  EXPECT_EQ(service_.attempts(), 6);
}

INSTANTIATE_TEST_SUITE_P(Examples, OneLineChangedTest, ::testing::Values("protected_client", "protected_grpc_channel_client"),
                         [](const auto& test) { return std::string(test.param); });

TEST(ExamplesUsageTest, AClientWithoutATargetSaysHowItIsCalled) {
  for (const std::string example : {"minimal_client", "protected_client", "protected_grpc_channel_client"}) {
    const Ran ran = RunExample(example);
    EXPECT_EQ(ran.exit_status, 2) << example;
    EXPECT_EQ(ran.output, "usage: " + example + " TARGET\n");
  }
}

}  // namespace
