// recloser-fault-server: see --help.
#include "demo_services/common/flags.h"
#include "demo_services/fault/plan.h"
#include "demo_services/fault/server.h"
#include "demo_services/server/serve_until_signal.h"

int main(int argc, char** argv) {
  using namespace recloser::demo;
  BlockStopSignals();
  FaultServer::Options options;
  options.metrics = "127.0.0.1:0";
  std::string plan;
  CLI::App app(
      "A gRPC service (recloser.demo.v1.Echo) that fails by a plan, set with --plan or at run time through\n"
      "recloser.demo.v1.FaultControl on the control port. Health service and reflection are on.",
      "recloser-fault-server");
  AddAddress(app, "--listen", &options.listen, false, "Serve here; port 0: any free one");
  AddAddress(app, "--control", &options.control, false, "Serve the control service here");
  AddAddress(app, "--metrics", &options.metrics, true, "Serve the Prometheus page here, or \"off\"");
  app.add_option("--plan", plan, "Fault plan to start with (.json, .txtpb, .textproto, .pbtxt); none: healthy");
  AddSeed(app, "--seed", &options.seed, "Seed for plans that bring none");
  if (const auto exit_status = ParseFlags(app, argc, argv)) return *exit_status;
  if (!plan.empty()) {
    auto read = ReadPlanFile(plan);
    if (!read.ok()) return BadFlags(app, read.status().message());
    options.plan = *std::move(read);
  }

  auto server = FaultServer::Start(options);
  if (!server.ok()) return CannotStart(app, server.status());
  return ServeUntilSignal(
      server->get(), {{"echo", (*server)->address()}, {"control", (*server)->control_address()}, {"metrics", (*server)->metrics_url()}});
}
