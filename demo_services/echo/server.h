// The echo server: the echo service on a port of its own, with health service, reflection and a metrics page.
//
//   absl::StatusOr<std::unique_ptr<EchoServer>> server = EchoServer::Start({});
//   auto channel = grpc::CreateChannel((*server)->address(), grpc::InsecureChannelCredentials());
//
// Thread safety: Shutdown is for the owner, the rest for any thread.
#ifndef RECLOSER_DEMO_SERVICES_ECHO_SERVER_H_
#define RECLOSER_DEMO_SERVICES_ECHO_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "demo_services/common/metrics_endpoint.h"
#include "demo_services/echo/stats.h"
#include "demo_services/server/metrics.h"
#include "demo_services/server/scheduler.h"
#include "demo_services/server/service_port.h"

namespace recloser::demo {

class EchoServer {
 public:
  struct Options {
    /// "host:port"; port 0: any free one.
    std::string listen = "127.0.0.1:0";
    /// The metrics page; "off": none.
    std::string metrics = "off";
  };

  /// UNAVAILABLE, in one line, when a port is taken.
  static absl::StatusOr<std::unique_ptr<EchoServer>> Start(const Options& options);
  ~EchoServer() { Shutdown(Duration::zero()); }

  /// Lets calls end for up to `drain`, then cancels them. Returns when all have ended.
  void Shutdown(Duration drain);

  const std::string& address() const { return port_.address(); }
  /// Empty without a page.
  std::string metrics_url() const { return metrics_endpoint_ == nullptr ? "" : metrics_endpoint_->url(); }
  v1::StatsResponse stats() const { return stats_.Snapshot(); }

 private:
  explicit EchoServer(ReservedPort port);

  Scheduler scheduler_;
  EchoStats stats_;
  ServicePort port_;
  std::shared_ptr<ServerMetrics> metrics_;
  std::unique_ptr<MetricsEndpoint> metrics_endpoint_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_ECHO_SERVER_H_
