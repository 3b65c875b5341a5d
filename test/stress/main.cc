// Model-based stress of the binding: random calls and faults over real sockets, each judged by an oracle. `--help` says how to ask for it.
#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <future>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "callers.h"
#include "demo_services/common/flags.h"
#include "demo_services/common/interrupt.h"
#include "epoch.h"
#include "plan.h"
#include "service.h"
#include "timers.h"

namespace recloser::stress {
namespace {

constexpr double kSecondsBetweenProgress = 10;

struct Options {
  int calls = 100'000;
  int seconds = 600;
  std::uint64_t seed = 0;
  int calls_per_epoch = 4000;
  std::uint64_t first_epoch = 0;
};

/// Nothing: go on. Else the exit status.
std::optional<int> Read(int argc, char** argv, Options* options) {
  CLI::App app("Model-based stress of the binding: random calls and faults over real sockets, each judged by an oracle.", "grpc_stress");
  app.footer("Exit status: 0 nothing was wrong, 1 something was, 2 bad options, 130 after Ctrl-C, which ends with the epoch.\n");
  demo::AddInteger(app, "--calls", &options->calls, 1, 1'000'000'000, "At least so many calls");
  demo::AddInteger(app, "--seconds", &options->seconds, 1, 86'400, "Begin nothing new after so long");
  demo::AddSeed(app, "--seed", &options->seed, "Of everything that is drawn; without it a new one. It is printed");
  demo::AddSeed(app, "--epoch", &options->first_epoch, "Begin with this epoch; to look at one that went wrong, with --calls 1");
  demo::AddInteger(app, "--calls-per-epoch", &options->calls_per_epoch, 1, 100'000, "Each epoch has policies and channels of its own");
  return demo::ParseFlags(app, argc, argv);
}

/// Keeps gRPC's machinery for callbacks alive: releasing the process's last channel that uses it on one of its own threads can abort, in
/// gRPC itself.
class Keeper {
 public:
  Keeper() : service_(calls_, arrivals_, timers_) {
    stubs_ = std::make_unique<Stubs>(grpc::CreateChannel(service_.target(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    demo::v1::EchoRequest request;
    demo::v1::EchoResponse response;
    std::promise<void> done;
    stubs_->echo->async()->Echo(&context, &request, &response, [&](const grpc::Status&) { done.set_value(); });
    done.get_future().wait();
  }

 private:
  const std::vector<CallPlan> calls_;
  Arrivals arrivals_{0};
  Timers timers_;
  Service service_;
  std::unique_ptr<Stubs> stubs_;
};

void Print(const EpochReport& report, std::uint64_t epochs, double seconds) {
  std::printf("calls by method and API form:\n");
  for (int method = 0; method < kMethods; ++method) {
    std::printf("  %-13s", MethodName(static_cast<Method>(method)));
    for (int api = 0; api < kApis; ++api) {
      const std::int64_t calls = report.by_form[static_cast<std::size_t>(method)][static_cast<std::size_t>(api)];
      if (calls > 0) std::printf(" %s %lld;", ApiName(static_cast<Api>(api)), static_cast<long long>(calls));
    }
    std::printf("\n");
  }
  std::printf("status codes:");
  for (std::size_t code = 0; code < report.by_code.size(); ++code) {
    if (report.by_code[code] > 0) {
      const std::string name(CodeName(static_cast<absl::StatusCode>(code)));
      std::printf(" %s %lld;", name.c_str(), static_cast<long long>(report.by_code[code]));
    }
  }
  const auto line = [](const char* what, std::int64_t count) { std::printf("%-58s%lld\n", what, static_cast<long long>(count)); };
  std::printf("\n");
  line("attempts, as observers and callers count:", report.attempts);
  line("attempts that reached the service:", report.reached);
  line("calls of which every attempt had to reach it, and did:", report.unexcused);
  line("calls whose number of attempts was exactly due:", report.exact);
  line("calls that retries saved:", report.recovered);
  line("calls that breakers rejected:", report.rejected);
  line("calls cancelled:", report.cancelled);
  line("streams dropped without their end:", report.dropped);
  line("the service stopped or came back:", report.restarts);
  line("reloads, channels replaced, breakers set by hand:", report.meddled);
  line("queues shut down under way:", report.queues_shut);
  std::printf("%lld calls in %llu epochs, %.1f s, %.0f calls/s; %zu faults\n", static_cast<long long>(report.calls),
              static_cast<unsigned long long>(epochs), seconds, static_cast<double>(report.calls) / seconds, report.faults.size());
}

int Run(const Options& options, const demo::Interrupt& interrupt) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  const Keeper keeper;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  EpochReport total;
  std::uint64_t epoch = options.first_epoch;
  double told = 0;
  for (; total.calls < options.calls && elapsed() < options.seconds && !interrupt.requested(); ++epoch) {
    const EpochPlan plan = DrawEpoch(options.seed, epoch, options.calls_per_epoch);
    const EpochReport report = RunEpoch(plan);
    for (std::size_t i = 0; i < report.faults.size() && i < 10; ++i) {
      std::fprintf(stderr, "grpc_stress: epoch %llu: %s\n", static_cast<unsigned long long>(epoch), report.faults[i].c_str());
    }
    if (!report.faults.empty()) {
      std::fprintf(stderr, "grpc_stress: again: grpc_stress --seed %llu --epoch %llu --calls 1 --calls-per-epoch %d\n",
                   static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(epoch), options.calls_per_epoch);
    }
    total.Add(report);
    if (elapsed() >= told + kSecondsBetweenProgress) {
      told = elapsed();
      std::fprintf(stderr, "grpc_stress: %lld calls of %d, %.0f s, %zu faults\n", static_cast<long long>(total.calls), options.calls, told,
                   total.faults.size());
    }
  }
  Print(total, epoch - options.first_epoch, elapsed());
  if (!total.faults.empty()) return 1;
  return interrupt.requested() ? demo::kExitInterrupted : 0;
}

}  // namespace
}  // namespace recloser::stress

int main(int argc, char** argv) {
  recloser::stress::Options options;
  options.seed = std::random_device()();
  if (const std::optional<int> exit_code = recloser::stress::Read(argc, argv, &options)) return *exit_code;
  static recloser::demo::Interrupt interrupt;
  interrupt.CatchSignals();
  return recloser::stress::Run(options, interrupt);
}
