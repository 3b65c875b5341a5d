// recloser-echo-server: see --help.
#include "demo_services/common/flags.h"
#include "demo_services/echo/server.h"
#include "demo_services/server/serve_until_signal.h"

int main(int argc, char** argv) {
  using namespace recloser::demo;
  BlockStopSignals();
  EchoServer::Options options;
  options.metrics = "127.0.0.1:0";
  CLI::App app("A gRPC service that answers as each request asks (recloser.demo.v1.Echo), with health service and reflection.",
               "recloser-echo-server");
  AddAddress(app, "--listen", &options.listen, false, "Serve here; port 0: any free one");
  AddAddress(app, "--metrics", &options.metrics, true, "Serve the Prometheus page here, or \"off\"");
  if (const auto exit_status = ParseFlags(app, argc, argv)) return *exit_status;

  auto server = EchoServer::Start(options);
  if (!server.ok()) return CannotStart(app, server.status());
  return ServeUntilSignal(server->get(), {{"echo", (*server)->address()}, {"metrics", (*server)->metrics_url()}});
}
