// The load client as a process, against an echo server in this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "demo_services/echo/server.h"
#include "demo_services/load_client/arms.h"
#include "demo_services/load_client/call.h"
#include "demo_services/load_client/json.h"
#include "recloser/demo/v1/report.pb.h"
#include "run_program.h"

namespace recloser::demo {
namespace {

using ::testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class LoadClient : public ::testing::Test {
 protected:
  ProgramRun Run(std::vector<std::string> arguments, const std::function<void(Child&, const std::string&)>& on_line = nullptr) {
    arguments.insert(arguments.begin(), RECLOSER_LOAD_CLIENT);
    return RunProgram(arguments, on_line);
  }
  // Against the server; fills `report`.
  ProgramRun RunLoad(std::vector<std::string> arguments, v1::LoadReport* report,
                     const std::function<void(Child&, const std::string&)>& on_line = nullptr) {
    const std::string json = ::testing::TempDir() + "load_client_run_test.json";
    for (const std::string& argument : {std::string("--target"), server_->address(), std::string("--json"), json})
      arguments.push_back(argument);
    const ProgramRun run = Run(arguments, on_line);
    EXPECT_TRUE(FromJson(ReadFile(json), report)) << run.error;
    return run;
  }

  std::unique_ptr<EchoServer> server_ = *EchoServer::Start({});
};

class EveryForm : public LoadClient, public ::testing::WithParamInterface<std::tuple<Api, Arm>> {};

TEST_P(EveryForm, AnswersAllCallsOfAHealthyService) {
  const auto& [api, arm] = GetParam();
  v1::LoadReport report;
  const ProgramRun run = RunLoad({"--api", std::string(ApiName(api)), "--arm", std::string(ArmName(arm)), "--rate", "100", "--duration",
                                  "500ms", "--slo", "10s", "--attempt-timeout", "10s", "--deadline", "20s", "--payload", "100"},
                                 &report);
  EXPECT_EQ(run.ended, "exit status 0") << run.error;
  EXPECT_GT(report.offered(), 20u);
  EXPECT_EQ(report.ok(), report.offered());
  EXPECT_EQ(report.good(), report.offered());
  EXPECT_EQ(report.attempts(), report.offered());
  EXPECT_EQ(report.rejected(), 0u);
  EXPECT_EQ(report.api(), ApiName(api));
  // The server's word for it.
  std::uint64_t received = 0;
  const v1::StatsResponse stats = server_->stats();
  for (const auto& method : stats.methods()) received += method.received();
  EXPECT_EQ(received, report.offered());
}

INSTANTIATE_TEST_SUITE_P(Apis, EveryForm, ::testing::Combine(::testing::ValuesIn(kApis), ::testing::Values(Arm::kNone, Arm::kRecloser)),
                         [](const auto& form) {
                           std::string name = absl::StrCat(ApiName(std::get<0>(form.param)), "_", ArmName(std::get<1>(form.param)));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(LoadClient, SaysWhatItDidNotSend) {
  v1::LoadReport report;
  const ProgramRun run =
      RunLoad({"--arm", "none", "--max-outstanding", "1", "--rate", "2000", "--duration", "300ms", "--progress", "off"}, &report);
  EXPECT_EQ(run.ended, "exit status 0") << run.error;
  EXPECT_GT(report.not_sent(), 0u);
  EXPECT_EQ(report.outstanding_max(), 1u);
  EXPECT_EQ(report.ok() + report.not_sent(), report.offered());
  EXPECT_THAT(absl::StrJoin(run.lines, "\n"), HasSubstr(absl::StrCat(report.not_sent(), " not sent")));
}

TEST_F(LoadClient, SameSeedSameArrivals) {
  v1::LoadReport first;
  v1::LoadReport second;
  RunLoad({"--rate", "200", "--duration", "300ms", "--seed", "5"}, &first);
  RunLoad({"--rate", "200", "--duration", "300ms", "--seed", "5", "--arm", "none"}, &second);
  EXPECT_EQ(first.offered(), second.offered());
}

TEST_F(LoadClient, CtrlCEndsItEarlyWithTheFiguresSoFar) {
  v1::LoadReport report;
  bool told = false;
  const ProgramRun run = RunLoad({"--duration", "1h", "--progress", "jsonl"}, &report, [&](Child& child, const std::string& line) {
    if (told || line.find("interval") == std::string::npos) return;
    told = true;
    child.Signal(SIGINT);
  });
  EXPECT_EQ(run.ended, "exit status 0") << run.error;
  EXPECT_TRUE(report.interrupted());
  EXPECT_GT(report.offered(), 0u);
  EXPECT_LT(report.elapsed_seconds(), 60);
}

TEST_F(LoadClient, CtrlCEndsItBeforeItsStart) {
  const ProgramRun run = Run({"--target", server_->address(), "--start-on-stdin", "--progress", "jsonl"},
                             [](Child& child, const std::string&) { child.Signal(SIGINT); });
  EXPECT_EQ(run.ended, "exit status 130") << run.error;
}

TEST_F(LoadClient, CtrlCCancelsCallsThatNobodyAnswers) {
  v1::LoadReport report;
  bool told = false;
  const ProgramRun run =
      RunLoad({"--duration", "1h", "--progress", "jsonl", "--api", "sync", "--attempt-timeout", "60s", "--deadline", "60s"}, &report,
              [&](Child& child, const std::string& line) {
                if (told || line.find("interval") == std::string::npos) return;
                told = true;
                server_->Shutdown(Duration::zero());
                child.Signal(SIGINT);
              });
  EXPECT_EQ(run.ended, "exit status 0") << run.error;
  EXPECT_LT(report.elapsed_seconds(), 50);
}

TEST_F(LoadClient, ServesItsMetricsWhereItSays) {
  v1::LoadReport report;
  const ProgramRun run = RunLoad({"--metrics", "127.0.0.1:0", "--progress", "jsonl", "--duration", "100ms"}, &report);
  EXPECT_EQ(run.ended, "exit status 0") << run.error;
  ASSERT_FALSE(run.lines.empty());
  v1::LoadEvent event;
  ASSERT_TRUE(FromJson(run.lines[0], &event));
  EXPECT_THAT(event.ready().metrics_url(), ::testing::MatchesRegex("http://127.0.0.1:[0-9]+/metrics"));
}

TEST_F(LoadClient, ServesItsStatusPageWhereItSays) {
  v1::LoadReport report;
  const ProgramRun run = RunLoad({"--page-port", "0", "--progress", "jsonl", "--duration", "100ms"}, &report);
  EXPECT_EQ(run.ended, "exit status 0") << run.error;
  ASSERT_FALSE(run.lines.empty());
  v1::LoadEvent event;
  ASSERT_TRUE(FromJson(run.lines[0], &event));
  EXPECT_THAT(event.ready().page_url(), ::testing::MatchesRegex("http://127.0.0.1:[0-9]+/"));
}

TEST_F(LoadClient, RefusesBadFlagsInOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "--target"},
      {{"--target", "x", "--rate", "nan"}, "--rate"},
      {{"--target", "x", "--rate", "0"}, "--rate"},
      {{"--target", "x", "--rate", "100001"}, "--rate"},
      {{"--target", "x", "--duration", "2h"}, "--duration"},
      {{"--target", "x", "--duration", "-1s"}, "--duration"},
      {{"--target", "x", "--slo", "5"}, "--slo"},
      {{"--target", "x", "--api", "carrier-pigeon"}, "--api"},
      {{"--target", "x", "--arm", "wing"}, "--arm"},
      {{"--target", "x", "--arm", "none", "--max-attempts", "2"}, "--max-attempts"},
      {{"--target", "x", "--max-attempts", "0"}, "--max-attempts"},
      {{"--target", "x", "--attempt-timeout", "4s"}, "--attempt-timeout"},
      {{"--target", "x", "--seed", "-1"}, "--seed"},
      {{"--target", "x", "--metrics", "nowhere"}, "--metrics"},
      {{"--target", "x", "--json", "/no/such/directory/file"}, "/no/such/directory/file"},
      {{"--target", "x", "--trace", "/tmp/t", "--rate", "100000", "--duration", "1h"}, "--trace"},
      {{"--target", "x", "--rate", "5", "--rate", "6"}, "--rate"},
      {{"--target", "x", "--frobnicate"}, "--frobnicate"},
  };
  for (const auto& [arguments, named] : cases) {
    const ProgramRun run = Run(arguments);
    EXPECT_EQ(run.ended, "exit status 2") << named;
    EXPECT_THAT(run.error, HasSubstr(named));
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
    EXPECT_TRUE(run.lines.empty()) << named;
  }
}

TEST_F(LoadClient, HelpNamesEveryFlag) {
  const ProgramRun run = Run({"--help"});
  EXPECT_EQ(run.ended, "exit status 0");
  for (const char* flag : {"--target", "--api", "--arm", "--rate", "--duration", "--slo", "--deadline", "--seed", "--metrics", "--json"}) {
    EXPECT_THAT(absl::StrJoin(run.lines, "\n"), HasSubstr(flag));
  }
}

}  // namespace
}  // namespace recloser::demo
