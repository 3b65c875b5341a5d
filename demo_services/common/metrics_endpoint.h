// A Prometheus page on its own port.
//
//   absl::StatusOr<std::unique_ptr<MetricsEndpoint>> endpoint = MetricsEndpoint::Start("127.0.0.1:0");
//   (*endpoint)->Register(registry);
//   std::cout << (*endpoint)->url();
//
// Thread safety: all functions, from any thread.
#ifndef RECLOSER_DEMO_SERVICES_COMMON_METRICS_ENDPOINT_H_
#define RECLOSER_DEMO_SERVICES_COMMON_METRICS_ENDPOINT_H_

#include <prometheus/collectable.h>
#include <prometheus/exposer.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace recloser::demo {

class MetricsEndpoint {
 public:
  /// Listens on `address` ("host:port", port 0: any free one). UNAVAILABLE when that is not possible.
  static absl::StatusOr<std::unique_ptr<MetricsEndpoint>> Start(const std::string& address);

  /// Ends at once, not after the web server's next look at the clock.
  ~MetricsEndpoint();
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;

  /// Shows `collectable` on the page as long as it lives.
  void Register(const std::weak_ptr<::prometheus::Collectable>& collectable) { exposer_->RegisterCollectable(collectable); }

  /// "http://127.0.0.1:34569/metrics".
  const std::string& url() const { return url_; }

 private:
  MetricsEndpoint(std::unique_ptr<::prometheus::Exposer> exposer, std::string host, std::string port);

  std::unique_ptr<::prometheus::Exposer> exposer_;
  const std::string host_;
  const std::string port_;
  const std::string url_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_METRICS_ENDPOINT_H_
