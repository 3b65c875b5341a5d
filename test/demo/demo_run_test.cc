// The whole demo in a sixth of its time: real processes, real faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "demo_services/load_client/arms.h"
#include "demo_services/load_client/json.h"
#include "recloser/demo/v1/report.pb.h"
#include "run_program.h"

namespace recloser::demo {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Processes that run a program of ours and were started by `parent`, by their command lines.
std::vector<std::string> ChildrenOf(pid_t parent) {
  std::vector<std::string> children;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    const std::string status = ReadFile(process.path() / "status");
    if (status.find(absl::StrCat("\nPPid:\t", parent, "\n")) != std::string::npos) children.push_back(ReadFile(process.path() / "cmdline"));
  }
  return children;
}

TEST(Demo, RunsAllFourArmsToTheirEndAndJudgesThem) {
  const std::string json = ::testing::TempDir() + "demo_run_test.json";
  const ProgramRun run = RunProgram({RECLOSER_DEMO, "--scale", "0.15", "--json", json});
  ASSERT_EQ(run.ended, "exit status 0") << run.error << absl::StrJoin(run.lines, "\n");

  EXPECT_THAT(run.lines, ::testing::Contains(::testing::MatchesRegex("Watch recloser's client: http://127.0.0.1:[0-9]+/")));

  v1::DemoReport report;
  ASSERT_TRUE(FromJson(ReadFile(json), &report));
  ASSERT_EQ(report.arms_size(), 4);
  EXPECT_EQ(report.phases_size(), 7);
  for (std::size_t i = 0; i < kArms.size(); ++i) {
    const v1::ArmFigures& arm = report.arms(static_cast<int>(i));
    EXPECT_EQ(arm.arm(), ArmName(kArms[i]));
    EXPECT_EQ(arm.calls(), report.arms(0).calls());
    EXPECT_GT(arm.calls(), 500u);
    EXPECT_GT(arm.goodput_percent(), 5) << arm.arm();
    EXPECT_LT(arm.goodput_percent(), 95) << arm.arm();
    EXPECT_GT(arm.attempts_on_dead_service(), 0u) << arm.arm();
    EXPECT_EQ(arm.has_breaker(), HasBreaker(kArms[i]));
    EXPECT_EQ(arm.good_calls_refused() > 0, HasBreaker(kArms[i])) << arm.arm();
  }
  EXPECT_EQ(report.arms(0).attempts_per_call(), 1);
  EXPECT_GT(report.arms(1).attempts_per_call(), 1.2);
  EXPECT_GT(report.arms(1).attempts_on_dead_service(), report.arms(0).attempts_on_dead_service());
  EXPECT_LT(report.arms(3).attempts_on_dead_service(), report.arms(0).attempts_on_dead_service());
  const std::string output = absl::StrJoin(run.lines, "\n");
  for (const char* text : {"/metrics", "recloser opened", "are killed", "goodput", "reconnect backoff"})
    EXPECT_THAT(output, HasSubstr(text));
  for (const std::string& line : run.lines) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Demo, CtrlCLeavesNoProcessBehind) {
  pid_t pid = 0;
  std::vector<std::string> children;
  const ProgramRun run = RunProgram({RECLOSER_DEMO, "--scale", "0.5"}, [&](Child& child, const std::string& line) {
    if (pid != 0 || line.find("healthy") == std::string::npos) return;
    pid = child.pid();
    children = ChildrenOf(pid);
    child.Signal(SIGINT);
  });
  EXPECT_EQ(run.ended, "exit status 130") << run.error;
  EXPECT_EQ(children.size(), 8u) << absl::StrJoin(children, "\n");
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    const std::string command = ReadFile(process.path() / "cmdline");
    EXPECT_EQ(std::count(children.begin(), children.end(), command), 0) << command;
  }
}

TEST(Demo, FailsLoudlyAndNamesTheArmWhoseServerDoesNotRun) {
  const std::filesystem::path directory = ::testing::TempDir() + "demo_without_server";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  std::filesystem::copy_file(RECLOSER_DEMO, directory / "recloser-demo");
  const ProgramRun run = RunProgram({directory / "recloser-demo"});
  std::filesystem::remove_all(directory);
  EXPECT_EQ(run.ended, "exit status 1");
  EXPECT_THAT(run.error, ContainsRegex("FAILED: arm [a-z-]+: its server"));  // the first that is noticed
  EXPECT_THAT(run.error, HasSubstr("can't be run"));
}

TEST(Demo, RefusesBadFlagsInOneLine) {
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{{"--rate", "0"},
                                                                                     {"--rate", "x"},
                                                                                     {"--seed", "0"},
                                                                                     {"--scale", "2"},
                                                                                     {"--json", "/no/such/directory/file"},
                                                                                     {"--what"},
                                                                                     {"more"}}) {
    std::vector<std::string> arguments = {RECLOSER_DEMO};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const ProgramRun run = RunProgram(arguments);
    EXPECT_EQ(run.ended, "exit status 2") << flags[0];
    EXPECT_THAT(run.error, HasSubstr(flags[0]));
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
  }
}

}  // namespace
}  // namespace recloser::demo
