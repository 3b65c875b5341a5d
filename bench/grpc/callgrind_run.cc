#include "callgrind_run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "demo_services/common/scratch_directory.h"

namespace recloser::bench {
namespace {

constexpr int kRounds = 9;
constexpr int kCalls = 48;
constexpr int kWarmUpCalls = 40;

std::string FindOnPath(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::string folders = path != nullptr ? path : "";
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string file = absl::StrCat(folders.substr(0, end), "/", program);
    if (access(file.c_str(), X_OK) == 0) return file;
    folders.erase(0, end + 1);
  }
  return "";
}

template <class Value, std::size_t kSize>
bool Parse(const std::string& name, const Value (&values)[kSize], Value* value) {
  for (const Value candidate : values) {
    if (name != Name(candidate)) continue;
    *value = candidate;
    return true;
  }
  return false;
}

/// Exit status, or -1 when it did not run. It has no standard input and output of ours.
int Run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (failed != 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A line for each block: the round's number, transport, form, arm, instructions per call.
void Write(const Results& results, std::ostream& out) {
  for (const auto& [cell, rounds] : results.rounds()) {
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      for (const auto& [arm, sample] : rounds[i]) {
        if (const auto& count = sample.Get(Figure::kInstructions)) {
          out << absl::StrCat(i, " ", Name(cell.transport), " ", Name(cell.form), " ", arm, " ", *count, "\n");
        }
      }
    }
  }
}

bool Read(std::istream& in, Results* results) {
  std::map<Cell, std::map<std::size_t, Round>> found;
  std::size_t number = 0;
  std::string transport;
  std::string form;
  std::string arm;
  double count = 0;
  bool any = false;
  while (in >> number >> transport >> form >> arm >> count) {
    Cell cell;
    if (!Parse(transport, kTransports, &cell.transport) || !Parse(form, kForms, &cell.form)) return false;
    found[cell][number][arm].Set(Figure::kInstructions, count);
    any = true;
  }
  for (auto& [cell, rounds] : found) {
    for (auto& [ignored, round] : rounds) results->Add(cell, std::move(round));
  }
  return any && in.eof();
}

}  // namespace

Plan CountedPlan(Plan plan) {
  const auto left_out = [](const Cell& cell) { return cell.course != Course::kHealthy || cell.concurrency != 1; };
  plan.cells.erase(std::remove_if(plan.cells.begin(), plan.cells.end(), left_out), plan.cells.end());
  plan.calls_one_at_a_time = kCalls;
  plan.calls_to_warm_up = kWarmUpCalls;
  return plan;
}

absl::Status CountInstructions(const Options& options, Meter* meter) {
  const Plan plan = CountedPlan(PlanOf(options));
  if (absl::Status status = meter->WarmUp(plan); !status.ok()) return status;
  Results results;
  for (int i = 0; i < kRounds; ++i) {
    if (absl::Status status = meter->Round(plan, &results); !status.ok()) return status;
  }
  std::ofstream file(options.instructions_to);
  Write(results, file);
  file.close();
  return file ? absl::OkStatus() : absl::InternalError(absl::StrCat("could not write ", options.instructions_to));
}

absl::Status CountInChild(const Options& options, char** argv, Results* results) {
  if (CountedPlan(PlanOf(options)).cells.empty()) return absl::OkStatus();
  const std::string valgrind = FindOnPath("valgrind");
  if (valgrind.empty()) return absl::NotFoundError("valgrind is not installed");
  const demo::ScratchDirectory directory("recloser-bench-callgrind");
  const std::string dumps = directory.path() + "/dump";
  const std::string counted = directory.path() + "/counted";
  std::vector<std::string> command = {valgrind,
                                      "--tool=callgrind",
                                      "--fair-sched=yes",
                                      "--dump-line=no",
                                      absl::StrCat("--callgrind-out-file=", dumps),
                                      absl::StrCat("--log-file=", directory.path(), "/log"),
                                      std::filesystem::read_symlink("/proc/self/exe").string()};
  for (char** argument = argv + 1; *argument != nullptr; ++argument) command.emplace_back(*argument);
  command.insert(command.end(), {absl::StrCat("--instructions-to=", counted), absl::StrCat("--dumps=", dumps)});
  const int status = Run(command);
  if (status != 0) return absl::InternalError(absl::StrCat("under valgrind: exit status ", status));
  std::ifstream file(counted);
  return Read(file, results) ? absl::OkStatus() : absl::InternalError("under valgrind nothing was counted");
}

}  // namespace recloser::bench
