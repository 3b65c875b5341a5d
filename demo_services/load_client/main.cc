// recloser-load-client: calls the echo service at a given rate and tells what came back.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "demo_services/common/flags.h"
#include "demo_services/common/interrupt.h"
#include "demo_services/common/metrics_endpoint.h"
#include "demo_services/load_client/arms.h"
#include "demo_services/load_client/json.h"
#include "demo_services/load_client/options.h"
#include "demo_services/load_client/progress.h"
#include "demo_services/load_client/report.h"
#include "demo_services/load_client/runner.h"
#include "demo_services/load_client/start_time.h"
#include "demo_services/load_client/watcher.h"
#include "recloser/channel.h"
#include "recloser/page/status_page.h"
#include "recloser/prometheus/exporter.h"

namespace recloser::demo {
namespace {

int Complain(const std::string& what) {
  std::cerr << "recloser-load-client: " << what << std::endl;
  return 1;
}

// What the library's own gauges still count.
std::uint32_t InFlight(const PrometheusExporter& exporter) {
  double sum = 0;
  for (const ::prometheus::MetricFamily& family : exporter.Collect()) {
    if (!absl::EndsWith(family.name, "_in_flight")) continue;
    for (const ::prometheus::ClientMetric& metric : family.metric) sum += metric.gauge.value;
  }
  return static_cast<std::uint32_t>(sum);
}

bool WriteFiles(const LoadOptions& options, const v1::LoadReport& report, const Recorder& recorder) {
  if (!options.json_path.empty() && !WriteJsonFile(options.json_path, report)) return false;
  if (options.trace_path.empty()) return true;
  std::ofstream file(options.trace_path, std::ios::trunc | std::ios::binary);
  return recorder.trace().SerializeToOstream(&file) && file.flush();
}

int Main(int argc, char** argv) {
  LoadOptions options;
  if (std::optional<int> exit_code = ParseLoadOptions(argc, argv, &options)) return *exit_code;
  static Interrupt interrupt;
  interrupt.CatchSignals();

  const std::shared_ptr<Registry> registry = Registry::Create({1024, options.seed});
  const std::shared_ptr<PrometheusExporter> exporter = PrometheusExporter::Create(registry, &Now);
  std::unique_ptr<MetricsEndpoint> metrics;
  if (options.metrics != "off") {
    absl::StatusOr<std::unique_ptr<MetricsEndpoint>> endpoint = MetricsEndpoint::Start(options.metrics);
    if (!endpoint.ok()) return Complain(std::string(endpoint.status().message())), kExitBadFlags;
    metrics = *std::move(endpoint);
    metrics->Register(exporter);
  }

  std::unique_ptr<StatusPage> page;
  if (options.page_port.has_value()) {
    StatusPageOptions page_options;
    page_options.port = *options.page_port;
    page_options.title = absl::StrCat("load client, arm ", ArmName(options.arm.arm));
    absl::StatusOr<std::unique_ptr<StatusPage>> started = StatusPage::Start(page_options, registry, &Now);
    if (!started.ok()) return Complain(std::string(started.status().message())), kExitBadFlags;
    page = *std::move(started);
  }

  // Shared with the observer, which lives as long as the channel.
  const auto recorder = std::make_shared<Recorder>(options.slo, !options.trace_path.empty());
  const auto progress = std::make_shared<Progress>(options.progress, recorder);
  const bool has_breaker = HasBreaker(options.arm.arm);
  const auto watcher = std::make_shared<Watcher>(recorder, has_breaker ? "closed" : "",
                                                 [progress](const BreakerTransition& transition) { progress->BreakerChanged(transition); });
  registry->AddObserver(watcher);

  // Never released: gRPC's own threads may hold the last references to calls a moment longer than we can see, and it can't bear that one of
  // its callback threads is the one to release a process's last channel.
  static const auto& channel = *new std::shared_ptr<grpc::ChannelInterface>(CreateArmChannel(options.target, options.arm, registry));
  progress->Ready(metrics != nullptr ? metrics->url() : "", page != nullptr ? page->url() : "");
  SteadyTime start = std::chrono::steady_clock::now();
  if (options.start_on_stdin && !ReadStart(interrupt, &start)) {
    Complain("--start-on-stdin: no time came on stdin");
    return interrupt.requested() ? kExitInterrupted : 1;
  }
  progress->Start(start, [&] { return watcher->breaker_state(); });
  const LoadEnd end = RunLoad(options, PoissonArrivalsOf(options), channel, start, interrupt, recorder.get());
  if (end.not_ended > 0) {
    Complain(std::to_string(end.not_ended) + " calls did not end");
    _exit(1);
  }
  progress->Stop();

  v1::LoadReport report = MakeReport(options, end, *recorder);
  report.set_in_flight_at_end(InFlight(*exporter));
  if (options.progress != ProgressKind::kJsonl) std::cout << FormatReport(report) << std::flush;
  return WriteFiles(options, report, *recorder) ? 0 : Complain("can't write the figures");
}

}  // namespace
}  // namespace recloser::demo

int main(int argc, char** argv) { return recloser::demo::Main(argc, argv); }
