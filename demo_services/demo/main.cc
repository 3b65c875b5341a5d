// recloser-demo: one outage, four clients, one table.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

#include "demo_services/common/interrupt.h"
#include "demo_services/common/scratch_directory.h"
#include "demo_services/demo/options.h"
#include "demo_services/demo/show.h"
#include "demo_services/demo/table.h"
#include "demo_services/load_client/json.h"

namespace recloser::demo {
namespace {

// Above this the figures tell of the machine as much as of the arms.
constexpr double kBusyPercent = 80;

double CpuSecondsOf(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// What we and the reaped children used. A script that became this program by exec may have left us children of its own, a build perhaps:
// their time counts from the start, so only differences mean anything.
double CpuSeconds() { return CpuSecondsOf(RUSAGE_SELF) + CpuSecondsOf(RUSAGE_CHILDREN); }

double PercentOfMachine(double cpu_seconds, double seconds) {
  return 100 * cpu_seconds / seconds / std::max(1u, std::thread::hardware_concurrency());
}

int Main(int argc, char** argv) {
  DemoOptions options;
  if (std::optional<int> exit_code = ParseDemoOptions(argc, argv, &options)) return *exit_code;
  static Interrupt interrupt;
  interrupt.CatchSignals();
  const auto started = std::chrono::steady_clock::now();
  const double cpu_before = CpuSeconds();
  const std::string programs = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  const ScratchDirectory scratch("recloser-demo");
  if (scratch.path().empty()) {
    std::cerr << "recloser-demo: no temporary directory can be made" << std::endl;
    return 1;
  }
  Show show(options, programs, scratch.path(), interrupt);
  const absl::StatusOr<v1::DemoReport> report = show.Run();
  if (absl::IsCancelled(report.status())) {
    std::cerr << "recloser-demo: interrupted" << std::endl;
    return kExitInterrupted;
  }
  if (!report.ok()) {
    std::cerr << "\nrecloser-demo: FAILED: " << report.status().message() << std::endl;
    return 1;
  }
  const double cpu = PercentOfMachine(CpuSeconds() - cpu_before, ToSeconds(std::chrono::steady_clock::now() - started));
  std::cout << "\n" << FormatTable(*report) << "All processes together used " << static_cast<int>(cpu) << " % of this machine's CPUs.\n";
  if (cpu > kBusyPercent) std::cout << "That is much: the machine, not only the arms, made these figures. Try a lower --rate.\n";
  std::cout << std::flush;
  if (!options.json_path.empty() && !WriteJsonFile(options.json_path, *report)) {
    std::cerr << "recloser-demo: can't write to " << options.json_path << std::endl;
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace recloser::demo

int main(int argc, char** argv) { return recloser::demo::Main(argc, argv); }
