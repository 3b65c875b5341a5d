#include <grpcpp/security/credentials.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "demo_services/common/interrupt.h"
#include "demo_services/common/lag_meter.h"
#include "demo_services/load_client/json.h"
#include "demo_services/load_client/runner.h"
#include "demo_services/load_client/start_time.h"
#include "demo_services/load_client/watcher.h"
#include "evaluate/background_failures.h"
#include "evaluate/reconnects.h"
#include "evaluate/roles.h"
#include "lookup.h"
#include "recloser/channel.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/realised.h"

namespace recloser::tools {
namespace {

// More calls than these at once are not sent, which makes the run invalid.
constexpr int kMaxOutstanding = 100'000;
// How long gRPC gives a connection attempt, in spite of the argument's name.
constexpr int kConnectTimeoutMs = 1000;

int Complain(const std::string& what) {
  std::cerr << "evaluate-client: " << what << std::endl;
  return 1;
}

std::shared_ptr<grpc::ChannelInterface> MakeChannel(const std::string& target, const Policies& policies,
                                                    const std::shared_ptr<Registry>& registry,
                                                    const std::shared_ptr<demo::Recorder>& recorder) {
  ChannelOptions options;
  options.arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectBackoffMs);
  options.arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectBackoffMs);
  options.arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectTimeoutMs);
  options.registry = registry;
  options.inside.push_back(std::make_unique<BackgroundFailures>(recorder));
  return CreateChannel(target, grpc::InsecureChannelCredentials(), policies, std::move(options));
}

demo::LoadOptions LoadOptionsOf(const sim::Scenario& scenario) {
  demo::LoadOptions options;
  options.api = demo::Api::kCq;  // its one thread is the cheapest of the asynchronous forms
  options.deadline = scenario.calls.deadline;
  options.slo = scenario.calls.slo;
  options.max_outstanding = kMaxOutstanding;
  return options;
}

/// Of the arrivals: another one for each scenario, or a chance excess would be the same in all of them. FNV-1a.
std::uint64_t ArrivalsSeed(const std::string& scenario, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char c : scenario) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

demo::Arrivals ArrivalsOf(const sim::Scenario& scenario, std::uint64_t seed) {
  return [times = DrawArrivals(scenario, ArrivalsSeed(scenario.id, seed)), next = std::size_t{0}]() mutable {
    return next < times.size() ? std::optional<Duration>(times[next++]) : std::nullopt;
  };
}

bool WriteTrace(const demo::Recorder& recorder, const std::string& path) {
  std::ofstream file(path, std::ios::trunc | std::ios::binary);
  return recorder.trace().SerializeToOstream(&file) && file.flush();
}

}  // namespace

int RunClient(const ClientFlags& flags) {
  static demo::Interrupt interrupt;
  interrupt.CatchSignals();
  const absl::StatusOr<sim::Scenario> scenario = MakeReady(flags.setting);
  if (!scenario.ok()) return Complain(std::string(scenario.status().message()));
  const sim::Arm* const arm = sim::FindArm(flags.arm);
  if (arm == nullptr) return Complain(absl::StrCat("no arm ", flags.arm));

  const std::shared_ptr<Registry> registry = Registry::Create({1024, flags.setting.seed});
  const auto recorder = std::make_shared<demo::Recorder>(scenario->calls.slo, /*trace=*/true);
  registry->AddObserver(std::make_shared<demo::Watcher>(recorder, "", [](const BreakerTransition&) {}));
  const Policies policies = PoliciesOf(*arm, FindPattern(flags.pattern), scenario->calls);
  // Never released, as in the load client: gRPC's own threads may hold calls a moment longer than we can see.
  static const auto& channel = *new std::shared_ptr<grpc::ChannelInterface>(MakeChannel(flags.target, policies, registry, recorder));
  const demo::Arrivals arrivals = ArrivalsOf(*scenario, flags.setting.seed);
  std::cout << "ready" << std::endl;

  demo::SteadyTime start;
  if (!demo::ReadStart(interrupt, &start)) return Complain("no time came on stdin");
  demo::LagMeter meter;
  const demo::LoadEnd load = RunLoad(LoadOptionsOf(*scenario), arrivals, channel, start, interrupt, recorder.get());
  if (load.not_ended > 0) {
    Complain(absl::StrCat(load.not_ended, " calls did not end"));
    _exit(1);
  }
  demo::v1::ProcessEnd end;
  const demo::Lag lag = meter.Stop();
  end.set_lag_p99_ms(1e3 * ToSeconds(lag.p99));
  end.set_lag_max_ms(1e3 * ToSeconds(lag.max));
  end.set_late_p99_ms(1e3 * ToSeconds(load.late_p99));
  end.set_late_max_ms(1e3 * ToSeconds(load.late_max));
  end.set_not_sent(recorder->counts().not_sent);
  std::cout << demo::ToJsonLine(end) << std::endl;
  return WriteTrace(*recorder, flags.trace) ? 0 : Complain(absl::StrCat("can't write ", flags.trace));
}

}  // namespace recloser::tools
