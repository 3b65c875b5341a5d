#include "demo_services/fault/server.h"

#include <utility>

#include "absl/memory/memory.h"
#include "demo_services/echo/service.h"

namespace recloser::demo {

FaultServer::FaultServer(ReservedPort port, ReservedPort control, std::uint64_t seed)
    : engine_(&scheduler_, seed),
      port_(std::move(port), {[this] {
                                return std::make_shared<EchoService>(EchoBackend{&scheduler_, &stats_, &engine_});
                              },
                              v1::Echo::service_full_name(), [this] { return !engine_.Refuses(); },
                              [this](bool cutting) { engine_.set_cutting(cutting); }, [this] { engine_.TellWatchers(); }}),
      control_port_(
          std::move(control),
          {[this] {
             return std::make_shared<FaultControlService>(FaultControlBackend{&scheduler_, &engine_, [this] { return status(); }});
           },
           v1::FaultControl::service_full_name(), nullptr, nullptr, nullptr}) {
  engine_.Watch([this] { port_.Poke(); });
}

absl::StatusOr<std::unique_ptr<FaultServer>> FaultServer::Start(const Options& options) {
  absl::StatusOr<ReservedPort> port = ReservedPort::Reserve(options.listen);
  if (!port.ok()) return port.status();
  absl::StatusOr<ReservedPort> control = ReservedPort::Reserve(options.control);
  if (!control.ok()) return control.status();
  auto server = absl::WrapUnique(new FaultServer(*std::move(port), *std::move(control), options.seed));
  if (options.metrics != "off") {
    auto endpoint = MetricsEndpoint::Start(options.metrics);
    if (!endpoint.ok()) return endpoint.status();
    FaultServer* self = server.get();
    server->metrics_ = std::make_shared<ServerMetrics>([self] { return self->stats(); }, [self] { return self->status(); });
    server->metrics_endpoint_ = *std::move(endpoint);
    server->metrics_endpoint_->Register(server->metrics_);
  }
  if (absl::Status status = server->control_port_.Start(); !status.ok()) return status;
  if (options.plan.has_value()) {
    if (absl::Status status = server->SetPlan(*options.plan); !status.ok()) return status;
  }
  if (absl::Status status = server->port_.Start(); !status.ok()) return status;
  return server;
}

v1::FaultStatus FaultServer::status() {
  v1::FaultStatus status = engine_.Status();
  status.set_port_open(port_.is_open());
  return status;
}

void FaultServer::Shutdown(Duration drain) {
  port_.Close(drain);
  control_port_.Close(Duration::zero());
  metrics_endpoint_ = nullptr;
  scheduler_.Stop();
}

}  // namespace recloser::demo
