// The fault server: the echo service behind a fault plan, and the control service on a port of its own that stays open.
//
//   FaultServer::Options options;
//   options.plan = *ReadPlanFile("plans/crash.json");
//   absl::StatusOr<std::unique_ptr<FaultServer>> server = FaultServer::Start(options);
//   auto channel = grpc::CreateChannel((*server)->address(), grpc::InsecureChannelCredentials());
//
// Thread safety: Shutdown is for the owner, the rest for any thread.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_SERVER_H_
#define RECLOSER_DEMO_SERVICES_FAULT_SERVER_H_

#include <grpcpp/server.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "demo_services/common/metrics_endpoint.h"
#include "demo_services/echo/stats.h"
#include "demo_services/fault/control.h"
#include "demo_services/fault/engine.h"
#include "demo_services/server/metrics.h"
#include "demo_services/server/scheduler.h"
#include "demo_services/server/service_port.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

class FaultServer {
 public:
  struct Options {
    /// "host:port"; port 0: any free one.
    std::string listen = "127.0.0.1:0";
    std::string control = "127.0.0.1:0";
    /// The metrics page; "off": none.
    std::string metrics = "off";
    /// Starts with the server. Absent: healthy.
    std::optional<v1::FaultPlan> plan;
    /// For plans that bring no seed.
    std::uint64_t seed = 1;
  };

  /// INVALID_ARGUMENT for a bad plan, UNAVAILABLE when a port is taken; each in one line.
  static absl::StatusOr<std::unique_ptr<FaultServer>> Start(const Options& options);
  ~FaultServer() { Shutdown(Duration::zero()); }

  /// Lets calls end for up to `drain`, then cancels them. Returns when all have ended.
  void Shutdown(Duration drain);

  /// As the control service has them.
  absl::Status SetPlan(const v1::FaultPlan& plan) { return engine_.SetPlan(plan); }
  void Reset() { engine_.Reset(); }
  v1::FaultStatus status();

  const std::string& address() const { return port_.address(); }
  const std::string& control_address() const { return control_port_.address(); }
  /// Empty without a page.
  std::string metrics_url() const { return metrics_endpoint_ == nullptr ? "" : metrics_endpoint_->url(); }
  v1::StatsResponse stats() const { return stats_.Snapshot(); }

 private:
  FaultServer(ReservedPort port, ReservedPort control, std::uint64_t seed);

  Scheduler scheduler_;
  EchoStats stats_;
  FaultEngine engine_;
  ServicePort port_;
  ServicePort control_port_;
  std::shared_ptr<ServerMetrics> metrics_;
  std::unique_ptr<MetricsEndpoint> metrics_endpoint_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_SERVER_H_
