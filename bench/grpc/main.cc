// `./dev bench`: what Recloser costs, every arm beside a bare channel.
#include <cstdio>
#include <fstream>
#include <string>

#include "arms.h"
#include "bars.h"
#include "bench_run.h"
#include "callgrind_run.h"
#include "core_costs.h"
#include "demo_services/common/flags.h"
#include "demo_services/common/interrupt.h"
#include "instructions.h"
#include "options.h"
#include "report.h"
#include "service.h"

namespace recloser::bench {
namespace {

constexpr int kCoreRounds = 101;

int Failed(const absl::Status& status) {
  std::fprintf(stderr, "recloser_bench: %s\n", std::string(status.message()).c_str());
  return kExitMissed;
}

/// Counts instructions where the rounds themselves could not; says how it was done.
std::string Instructions(const Options& options, const InstructionCounter& counter, char** argv, Results* results) {
  if (counter.means() == InstructionCounter::Means::kProcessor) return "user mode, by the processor's counters";
  absl::Status counted = absl::CancelledError("not wanted");
  if (options.callgrind) {
    std::fprintf(stderr, "recloser_bench: %s; counting instructions under callgrind, which takes a minute or more\n",
                 counter.problem().c_str());
    counted = CountInChild(options, argv, results);
  }
  return counted.ok() ? "user mode, by callgrind" : NoInstructions(counter, counted);
}

int Print(const Options& options, const Measured& measured, bool interrupted) {
  std::fputs(Report(measured, options.bars, options.markdown).c_str(), stdout);
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << ReportJson(measured);
    file.close();
    if (!file) return Failed(absl::InternalError("--json " + options.json + ": can't be written"));
  }
  if (interrupted) return demo::kExitInterrupted;
  return options.bars ? ExitCode(JudgeAll(measured.results, measured.core)) : 0;
}

int Bench(const Options& options, char** argv, InstructionCounter* counter, const demo::Interrupt& interrupt) {
  Service service;
  if (!service.running()) return Failed(absl::UnavailableError("the service can't listen on loopback"));
  Channels channels(&service);
  Meter meter(&channels, counter, &interrupt, options.seed);
  if (!options.instructions_to.empty()) {
    const absl::Status status = CountInstructions(options, &meter);
    return status.ok() ? 0 : Failed(status);
  }

  const Plan plan = PlanOf(options);
  std::fprintf(stderr, "recloser_bench: measuring for %s%g s\n", options.bars ? "at most " : "", options.seconds);
  Measured measured;
  absl::Status status = meter.WarmUp(plan);
  const auto run = options.bars ? RunUntilDecided : RunForTime;
  if (status.ok()) status = run(plan, options.seconds, interrupt, &meter, &measured.results);
  if (!status.ok()) return Failed(status);
  if (options.core) measured.core = MeasureCore(kCoreRounds, interrupt);
  measured.instructions =
      interrupt.requested() ? "interrupted before they were counted" : Instructions(options, *counter, argv, &measured.results);
  return Print(options, measured, interrupt.requested());
}

}  // namespace
}  // namespace recloser::bench

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto options = recloser::bench::ParseOptions(argc, argv, &exit_code);
  if (!options.has_value()) return exit_code;
  if (!options->json.empty() && !recloser::demo::IsWritable(options->json)) {
    std::fprintf(stderr, "recloser_bench: --json %s: can't be written\n", options->json.c_str());
    return recloser::demo::kExitBadFlags;
  }
  recloser::bench::InstructionCounter counter(options->dumps);
  static recloser::demo::Interrupt interrupt;
  interrupt.CatchSignals();
  return recloser::bench::Bench(*options, argv, &counter, interrupt);
}
