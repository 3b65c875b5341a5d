// A TCP port that stays ours while nobody listens on it.
//
// A socket that is bound but does not listen: connections to the port are refused by the kernel, and neither a client's socket nor a
// system-chosen port of another program can take it. A server of ours can still listen on it, because both sockets have SO_REUSEADDR (Linux
// allows that as long as only one of them listens), while a second server's attempt fails as long as ours listens.
//
// Thread safety: const after Reserve.
#ifndef RECLOSER_DEMO_SERVICES_COMMON_RESERVED_PORT_H_
#define RECLOSER_DEMO_SERVICES_COMMON_RESERVED_PORT_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace recloser::demo {

class ReservedPort {
 public:
  /// `address`: "host:port"; port 0 takes any free one. UNAVAILABLE, naming the address, when it is taken or can't be resolved.
  static absl::StatusOr<ReservedPort> Reserve(const std::string& address);

  ReservedPort(ReservedPort&& other) noexcept : socket_(std::exchange(other.socket_, -1)), address_(std::move(other.address_)) {}
  ReservedPort& operator=(ReservedPort&&) = delete;
  ~ReservedPort();

  /// "127.0.0.1:34567", with the port that was chosen.
  const std::string& address() const { return address_; }

 private:
  ReservedPort(int socket, std::string address) : socket_(socket), address_(std::move(address)) {}

  int socket_;
  std::string address_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_RESERVED_PORT_H_
