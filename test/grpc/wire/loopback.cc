#include "loopback.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace recloser::testing {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int Ready(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

}  // namespace

int ListenOnLoopback(int* port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address = Loopback(*port);
  socklen_t length = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0 || listen(fd, 128) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    std::abort();
  }
  *port = ntohs(address.sin_port);
  return fd;
}

int AcceptOne(int listener) {
  const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  return fd < 0 ? -1 : Ready(fd);
}

int ConnectToLoopback(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return Ready(fd);
  close(fd);
  return -1;
}

void CloseSocket(int socket, bool reset) {
  if (reset) {
    const linger now{1, 0};
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  } else {
    shutdown(socket, SHUT_RDWR);
  }
  close(socket);
}

int PortOf(const std::string& target) { return std::stoi(target.substr(target.rfind(':') + 1)); }

std::string LoopbackTarget(int port) { return "127.0.0.1:" + std::to_string(port); }

Waker::Waker() {
  if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
}

Waker::~Waker() {
  close(ends_[0]);
  close(ends_[1]);
}

void Waker::Wake() {
  const char byte = 0;
  if (write(ends_[1], &byte, 1) < 0 && errno != EAGAIN) std::abort();
}

void Waker::Clear() {
  for (char bytes[64]; read(ends_[0], bytes, sizeof(bytes)) > 0;) {
  }
}

}  // namespace recloser::testing
