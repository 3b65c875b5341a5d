#include "own_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace recloser::page {
namespace {

/// A socket that is connected, or with SOCK_NONBLOCK among `flags` on its way; -1 when there is none to be had.
int Connect(const std::string& address, int port, int flags) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  v4.sin_port = v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  const bool is_v6 = absl::StrContains(address, ':');
  void* const binary = is_v6 ? static_cast<void*>(&v6.sin6_addr) : &v4.sin_addr;
  if (inet_pton(is_v6 ? AF_INET6 : AF_INET, address.c_str(), binary) != 1) return -1;
  const int socket = ::socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  if (socket < 0) return -1;
  const auto* const to = is_v6 ? reinterpret_cast<const sockaddr*>(&v6) : reinterpret_cast<const sockaddr*>(&v4);
  static_cast<void>(connect(socket, to, is_v6 ? sizeof(v6) : sizeof(v4)));  // what fails shows at the first use
  return socket;
}

}  // namespace

void Knock(const std::string& address, int port) {
  const int socket = Connect(address, port, SOCK_NONBLOCK);
  if (socket >= 0) close(socket);
}

void WaitForTurn(const std::string& address, int port) {
  const int socket = Connect(address, port, 0);
  if (socket < 0) return;
  const timeval patience{0, 200000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  constexpr absl::string_view kRequest = "GET / HTTP/1.0\r\n\r\n";
  send(socket, kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
  std::array<char, 64> answer;
  static_cast<void>(recv(socket, answer.data(), answer.size(), 0));
  close(socket);
}

}  // namespace recloser::page
