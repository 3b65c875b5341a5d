#include "demo_services/common/metrics_endpoint.h"

#include <exception>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace recloser::demo {

absl::StatusOr<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Start(const std::string& address) {
  try {
    auto exposer = std::make_unique<::prometheus::Exposer>(address);
    const std::string host = address.substr(0, address.rfind(':'));
    std::string url = absl::StrCat("http://", host, ":", exposer->GetListeningPorts().at(0), "/metrics");
    return absl::WrapUnique(new MetricsEndpoint(std::move(exposer), std::move(url)));
  } catch (const std::exception& error) {  // how prometheus-cpp's web server reports that it can't listen
    return absl::UnavailableError(absl::StrCat("cannot serve metrics on ", address, ": ", error.what()));
  }
}

}  // namespace recloser::demo
