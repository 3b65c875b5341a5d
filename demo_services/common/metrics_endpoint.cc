#include "demo_services/common/metrics_endpoint.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <future>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace recloser::demo {
namespace {

/// Opens a connection and drops it.
void Knock(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return;
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket >= 0) {
    static_cast<void>(connect(socket, found->ai_addr, found->ai_addrlen));
    close(socket);
  }
  freeaddrinfo(found);
}

}  // namespace

MetricsEndpoint::MetricsEndpoint(std::unique_ptr<::prometheus::Exposer> exposer, std::string host, std::string port)
    : exposer_(std::move(exposer)),
      host_(std::move(host)),
      port_(std::move(port)),
      url_(absl::StrCat("http://", host_, ":", port_, "/metrics")) {}

MetricsEndpoint::~MetricsEndpoint() {
  // The web server (civetweb) waits for connections up to 2 s before it sees that it is to stop: give it one.
  std::future<void> stopped = std::async(std::launch::async, [this] { exposer_ = nullptr; });
  while (stopped.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) Knock(host_, port_);
}

absl::StatusOr<std::unique_ptr<MetricsEndpoint>> MetricsEndpoint::Start(const std::string& address) {
  try {
    auto exposer = std::make_unique<::prometheus::Exposer>(address);
    const int port = exposer->GetListeningPorts().at(0);
    return absl::WrapUnique(new MetricsEndpoint(std::move(exposer), address.substr(0, address.rfind(':')), absl::StrCat(port)));
  } catch (const std::exception& error) {  // how prometheus-cpp's web server reports that it can't listen
    return absl::UnavailableError(absl::StrCat("cannot serve metrics on ", address, ": ", error.what()));
  }
}

}  // namespace recloser::demo
