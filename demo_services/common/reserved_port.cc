#include "demo_services/common/reserved_port.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace recloser::demo {
namespace {

absl::Status CannotListen(absl::string_view address, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", why));
}

int PortOf(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
  // The port lies at the same place in both.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  return ntohs(reinterpret_cast<sockaddr_in*>(&storage)->sin_port);
}

bool Bind(int socket, const addrinfo& info) {
  const int on = 1;
  return setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 && bind(socket, info.ai_addr, info.ai_addrlen) == 0;
}

}  // namespace

absl::StatusOr<ReservedPort> ReservedPort::Reserve(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return CannotListen(address, "no port given");
  const std::string shown_host = address.substr(0, colon);
  std::string host = shown_host;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);

  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found); error != 0) {
    return CannotListen(address, gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return CannotListen(address, std::strerror(errno));
  if (!Bind(socket, *found)) {
    const int error = errno;
    close(socket);
    return CannotListen(address, std::strerror(error));
  }
  return ReservedPort(socket, absl::StrCat(shown_host, ":", PortOf(socket)));
}

ReservedPort::~ReservedPort() {
  if (socket_ >= 0) close(socket_);
}

}  // namespace recloser::demo
