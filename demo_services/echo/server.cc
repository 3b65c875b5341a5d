#include "demo_services/echo/server.h"

#include <utility>

#include "absl/memory/memory.h"
#include "demo_services/echo/service.h"

namespace recloser::demo {

EchoServer::EchoServer(ReservedPort port)
    : port_(std::move(port), {[this] {
                                return std::make_shared<EchoService>(EchoBackend{&scheduler_, &stats_, nullptr});
                              },
                              v1::Echo::service_full_name(), nullptr, nullptr, nullptr}) {}

absl::StatusOr<std::unique_ptr<EchoServer>> EchoServer::Start(const Options& options) {
  absl::StatusOr<ReservedPort> port = ReservedPort::Reserve(options.listen);
  if (!port.ok()) return port.status();
  auto server = absl::WrapUnique(new EchoServer(*std::move(port)));
  if (options.metrics != "off") {
    auto endpoint = MetricsEndpoint::Start(options.metrics);
    if (!endpoint.ok()) return endpoint.status();
    server->metrics_ = std::make_shared<ServerMetrics>([stats = &server->stats_] { return stats->Snapshot(); }, nullptr);
    server->metrics_endpoint_ = *std::move(endpoint);
    server->metrics_endpoint_->Register(server->metrics_);
  }
  if (absl::Status status = server->port_.Start(); !status.ok()) return status;
  return server;
}

void EchoServer::Shutdown(Duration drain) {
  port_.Close(drain);
  metrics_endpoint_ = nullptr;
  scheduler_.Stop();
}

}  // namespace recloser::demo
