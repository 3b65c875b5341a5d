// Model-based stress of the binding: random calls and faults over real sockets, each judged by an oracle. `--help` says how to ask for it.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "callers.h"
#include "epoch.h"
#include "plan.h"
#include "service.h"
#include "timers.h"

namespace recloser::stress {
namespace {

struct Options {
  std::uint64_t calls = 100'000;
  std::uint64_t seconds = 600;
  std::uint64_t seed = 0;
  std::uint64_t calls_per_epoch = 4000;
  std::uint64_t first_epoch = 0;
};

constexpr char kUsage[] =
    "grpc_stress [--calls N] [--seconds T] [--seed S] [--epoch E] [--calls-per-epoch N]\n"
    "  --calls N            at least so many calls; default 100000\n"
    "  --seconds T          begin nothing new after so long; default 600\n"
    "  --seed S             of everything that is drawn; default: a new one, which is printed\n"
    "  --epoch E            begin with this epoch; to look at one that went wrong, with --calls 1\n"
    "  --calls-per-epoch N  1 to 100000; default 4000\n"
    "Exit status: 0 nothing was wrong, 1 something was, 2 bad options.\n";

/// Empty: the options are good.
std::string Read(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    std::uint64_t* value = nullptr;
    if (name == "--calls") value = &options->calls;
    if (name == "--seconds") value = &options->seconds;
    if (name == "--seed") value = &options->seed;
    if (name == "--epoch") value = &options->first_epoch;
    if (name == "--calls-per-epoch") value = &options->calls_per_epoch;
    if (value == nullptr) return absl::StrCat("unknown option '", name, "'");
    if (i + 1 == argc || !absl::SimpleAtoi(argv[i + 1], value)) return absl::StrCat(name, ": a whole number is needed");
  }
  if (options->calls_per_epoch < 1 || options->calls_per_epoch > 100'000) return "--calls-per-epoch: must be from 1 to 100000";
  return "";
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

int Run(const Options& options) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  const Keeper keeper;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  EpochReport total;
  std::uint64_t epoch = options.first_epoch;
  for (; static_cast<std::uint64_t>(total.calls) < options.calls && elapsed() < static_cast<double>(options.seconds); ++epoch) {
    const EpochPlan plan = DrawEpoch(options.seed, epoch, static_cast<int>(options.calls_per_epoch));
    const EpochReport report = RunEpoch(plan);
    for (std::size_t i = 0; i < report.faults.size() && i < 10; ++i) {
      std::fprintf(stderr, "grpc_stress: epoch %llu: %s\n", static_cast<unsigned long long>(epoch), report.faults[i].c_str());
    }
    if (!report.faults.empty()) {
      std::fprintf(stderr, "grpc_stress: again: grpc_stress --seed %llu --epoch %llu --calls 1 --calls-per-epoch %llu\n",
                   static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(epoch),
                   static_cast<unsigned long long>(options.calls_per_epoch));
    }
    total.Add(report);
  }
  Print(total, epoch - options.first_epoch, elapsed());
  return total.faults.empty() ? 0 : 1;
}

}  // namespace
}  // namespace recloser::stress

int main(int argc, char** argv) {
  recloser::stress::Options options;
  options.seed = std::random_device()();
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::fputs(recloser::stress::kUsage, stdout);
    return 0;
  }
  if (const std::string error = recloser::stress::Read(argc, argv, &options); !error.empty()) {
    std::fprintf(stderr, "grpc_stress: %s\n%s", error.c_str(), recloser::stress::kUsage);
    return 2;
  }
  return recloser::stress::Run(options);
}
