// The fault server over real sockets: each kind of fault as a client sees it, phases in time, counts, the control service.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "demo_client.h"
#include "demo_services/fault/server.h"
#include "recloser/config/duration.h"

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class FaultServerTest : public testing::Test {
 protected:
  FaultServerTest()
      : server_(*FaultServer::Start({})),
        stub_(v1::Echo::NewStub(ConnectTo(server_->address()))),
        control_(v1::FaultControl::NewStub(ConnectTo(server_->control_address()))) {}

  void Play(const std::string& json) { ASSERT_TRUE(server_->SetPlan(Plan(json)).ok()); }
  grpc::Status Call(milliseconds timeout = seconds(20)) {
    v1::EchoResponse response;
    return stub_->Echo(Context(timeout).get(), {}, &response);
  }
  bool PortBecomes(bool open) {
    return Eventually([&] { return server_->status().port_open() == open; });
  }

  std::unique_ptr<FaultServer> server_;
  std::unique_ptr<v1::Echo::Stub> stub_;
  std::unique_ptr<v1::FaultControl::Stub> control_;
};

TEST_F(FaultServerTest, IsHealthyWithoutAPlan) {
  EXPECT_TRUE(Call().ok());
  const v1::FaultStatus status = server_->status();
  EXPECT_EQ(status.phase(), -1);
  EXPECT_EQ(status.phase_name(), "healthy");
  EXPECT_TRUE(status.port_open());
  EXPECT_EQ(status.counts(0).ok(), 1u);
}

TEST_F(FaultServerTest, RefusesConnectionsAndReopensTheSamePort) {
  ASSERT_TRUE(Call().ok());
  Play(R"({"phases": [{"name": "down", "outage": "REFUSE"}]})");
  ASSERT_TRUE(PortBecomes(false));
  const grpc::Status refused = Call();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(refused.error_message(), HasSubstr("onnect"));
  v1::FaultStatus status;
  ASSERT_TRUE(control_->GetStatus(Context().get(), {}, &status).ok()) << "the control port stays open";
  EXPECT_EQ(status.phase_name(), "down");
  EXPECT_EQ(status.outage(), v1::Outage::REFUSE);
  ASSERT_TRUE(control_->Reset(Context().get(), {}, &status).ok());
  ASSERT_TRUE(PortBecomes(true));
  EXPECT_TRUE(Eventually([&] { return Call().ok(); }));
}

TEST_F(FaultServerTest, RefusingCutsCallsInFlightAndCountsThemSo) {
  Play(R"({"phases": [{"length": "0.1s", "delay": {"fixed": "30s"}}, {"outage": "REFUSE"}]})");
  EXPECT_EQ(Call().error_code(), grpc::StatusCode::UNAVAILABLE);
  ASSERT_TRUE(PortBecomes(false));
  EXPECT_EQ(server_->status().counts(0).cut(), 1u);
  EXPECT_EQ(server_->status().in_flight(), 0u);
}

TEST_F(FaultServerTest, ABlackholeNeverAnswersAndCountsTheAbandoned) {
  Play(R"({"phases": [{"outage": "BLACKHOLE"}]})");
  EXPECT_EQ(Call(milliseconds(60)).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([&] { return server_->status().counts(0).abandoned() == 1; }));
}

TEST_F(FaultServerTest, AnswersUnavailableAtOnce) {
  Play(R"({"phases": [{"outage": "ANSWER_UNAVAILABLE"}]})");
  EXPECT_EQ(Call().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(server_->status().counts(0).errors(), 1u);
}

TEST_F(FaultServerTest, DelaysCallsOfEveryMethod) {
  Play(R"({"phases": [{"delay": {"fixed": "0.05s"}}]})");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(Call().ok());
  auto context = Context();
  auto reader = stub_->ServerStream(context.get(), {});
  v1::EchoResponse response;
  EXPECT_TRUE(reader->Read(&response));
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(100));
}

TEST_F(FaultServerTest, InjectsErrors) {
  Play(R"({"phases": [{"errors": [{"code": "DATA_LOSS", "probability": 1, "message": "by the plan"}]}]})");
  const grpc::Status status = Call();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_EQ(status.error_message(), "by the plan");
}

TEST_F(FaultServerTest, OverloadsItsWorkers) {
  Play(R"({"pool": {"workers": 1, "queue_limit": 1, "service_time": {"fixed": "0.3s"}}, "phases": [{}]})");
  std::vector<std::future<grpc::StatusCode>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(std::async(std::launch::async, [this] { return Call().error_code(); }));
  int ok = 0;
  int refused = 0;
  for (auto& call : calls) {
    const grpc::StatusCode code = call.get();
    if (code == grpc::StatusCode::OK) ++ok;
    if (code == grpc::StatusCode::RESOURCE_EXHAUSTED) ++refused;
  }
  EXPECT_EQ(ok, 2) << "one at work, one waiting";
  EXPECT_EQ(refused, 2);
}

TEST_F(FaultServerTest, FlapsBetweenClosedAndOpen) {
  Play(R"({"phases": [{"flapping": {"down": "0.08s", "up": "0.08s"}}]})");
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(PortBecomes(false));
    EXPECT_TRUE(PortBecomes(true));
  }
}

TEST_F(FaultServerTest, PhasesSwitchInTimeAndCountWhatArrivedInThem) {
  Play(R"({"phases": [{"name": "good", "length": "0.2s"},
                      {"name": "bad", "length": "0.2s", "errors": [{"code": "UNAVAILABLE", "probability": 1}]},
                      {"name": "good again", "length": "0.2s"}]})");
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;
  while (server_->status().phase() >= 0) ++(Call().ok() ? ok : failed);
  const v1::FaultStatus status = server_->status();
  ASSERT_EQ(status.counts_size(), 4);
  EXPECT_EQ(status.counts(0).ok(), status.counts(0).received());
  EXPECT_EQ(status.counts(1).errors(), status.counts(1).received());
  EXPECT_GT(status.counts(1).errors(), 0u);
  EXPECT_EQ(status.counts(1).errors(), failed);
  EXPECT_EQ(status.counts(0).ok() + status.counts(2).ok() + status.counts(3).ok(), ok);
  EXPECT_EQ(server_->stats().methods(0).received(), ok + failed);
}

TEST_F(FaultServerTest, HoldsThousandsOfCallsWithoutAThreadEach) {
  Play(R"({"phases": [{"outage": "BLACKHOLE"}]})");
  constexpr std::uint64_t kCalls = 3000;
  std::atomic<std::uint64_t> ended{0};
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<v1::EchoResponse> responses(kCalls);
  const v1::EchoRequest request;
  for (std::uint64_t i = 0; i < kCalls; ++i) {
    contexts.push_back(Context(std::chrono::minutes(5)));
    stub_->async()->Echo(contexts.back().get(), &request, &responses[i], [&](const grpc::Status&) { ++ended; });
  }
  EXPECT_TRUE(Eventually([&] { return server_->status().in_flight() == kCalls; }));
  EXPECT_EQ(ended, 0u);
  server_->Shutdown(Duration::zero());
  EXPECT_TRUE(Eventually([&] { return ended == kCalls; }));
  EXPECT_EQ(server_->status().in_flight(), 0u);
  EXPECT_EQ(server_->status().counts(0).cut(), kCalls);
}

TEST_F(FaultServerTest, RefusesBadPlansWholeAndKeepsTheOldOne) {
  Play(R"({"phases": [{"name": "old", "errors": [{"code": "ABORTED", "probability": 1}]}]})");
  v1::SetPlanRequest request;
  request.mutable_plan()->add_phases()->add_errors()->set_code(v1::UNAVAILABLE);
  request.mutable_plan()->mutable_phases(0)->mutable_errors(0)->set_probability(1.5);
  v1::FaultStatus status;
  const grpc::Status refused = control_->SetPlan(Context().get(), request, &status);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(refused.error_message(), "phases[0].errors[0].probability: 1.5 is not allowed; must be from 0 to 1");
  EXPECT_EQ(Call().error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(server_->status().phase_name(), "old");
}

TEST_F(FaultServerTest, WatchersSeeEachChangeAtOnce) {
  v1::WatchStatusRequest request;
  *request.mutable_interval() = ToProto(std::chrono::hours(1));
  auto context = Context();
  auto watch = control_->WatchStatus(context.get(), request);
  v1::FaultStatus status;
  ASSERT_TRUE(watch->Read(&status));
  EXPECT_EQ(status.phase(), -1);
  Play(R"({"phases": [{"name": "first", "length": "0.2s"}, {"name": "second", "length": "0.2s"}]})");
  std::vector<std::string> seen;
  while (seen.empty() || seen.back() != "healthy") {
    ASSERT_TRUE(watch->Read(&status));
    if (seen.empty() || seen.back() != status.phase_name()) seen.push_back(status.phase_name());
    if (seen.front() == "healthy") seen.clear();  // written just before the plan was set
  }
  EXPECT_THAT(seen, testing::ElementsAre("first", "second", "healthy"));
  context->TryCancel();
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(FaultServerTest, WatchRepeatsAtItsIntervalAndRefusesABadOne) {
  v1::WatchStatusRequest request;
  *request.mutable_interval() = ToProto(milliseconds(10));
  auto context = Context();
  auto watch = control_->WatchStatus(context.get(), request);
  v1::FaultStatus status;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(watch->Read(&status));
  context->TryCancel();
  EXPECT_FALSE(watch->Finish().ok());

  *request.mutable_interval() = ToProto(milliseconds(1));
  auto bad_context = Context();
  EXPECT_EQ(control_->WatchStatus(bad_context.get(), request)->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(FaultServerTest, PlansMayChangeWhileCallsAreInFlight) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      while (!stop) Call(milliseconds(20));
    });
  }
  const std::vector<std::string> plans = {
      R"({"phases": [{"outage": "BLACKHOLE"}]})",
      R"({"phases": [{"delay": {"exponential": "0.01s"}}]})",
      R"({"pool": {"workers": 1, "service_time": {"fixed": "0.005s"}}, "phases": [{}]})",
      R"({"pool": {"workers": 2, "service_time": {"exponential": "0.005s"}, "skip_abandoned": true}, "phases": [{}]})",
      R"({"phases": [{"flapping": {"down": "0.01s", "up": "0.01s", "jitter": 0.5}}]})",
      R"({"phases": [{"outage": "REFUSE"}]})"};
  for (int round = 0; round < 30; ++round) {
    Play(plans[static_cast<std::size_t>(round) % plans.size()]);
    std::this_thread::sleep_for(milliseconds(15));
  }
  server_->Reset();
  stop = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_TRUE(Eventually([&] { return server_->status().in_flight() == 0 && server_->status().queue_length() == 0; }));
  EXPECT_TRUE(Eventually([&] { return Call().ok(); }));
}

TEST(FaultServerStartTest, RefusesABadPlanAndATakenPort) {
  FaultServer::Options bad;
  bad.plan = v1::FaultPlan();
  EXPECT_EQ(FaultServer::Start(bad).status().code(), absl::StatusCode::kInvalidArgument);
  const auto first = FaultServer::Start({});
  ASSERT_TRUE(first.ok());
  FaultServer::Options taken;
  taken.control = (*first)->address();
  EXPECT_EQ(FaultServer::Start(taken).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace recloser::demo
