// A TCP proxy on a free loopback port that does harm to the connections through it, as a script says.
//
//   WireProxy proxy(server.target());
//   proxy.SetScript([](int connection) { return connection == 0 ? std::optional(WireFault{kInResponseData, WireFault::Action::kReset})
//                                                               : std::nullopt; });
//   proxy.target();  // for the client
//
// One thread carries all connections. Thread safety: all members, from any thread.
#ifndef RECLOSER_TEST_GRPC_WIRE_PROXY_H_
#define RECLOSER_TEST_GRPC_WIRE_PROXY_H_

#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frame_tracker.h"
#include "loopback.h"

namespace recloser::testing {

/// What happens to a connection at a place.
struct WireFault {
  enum class Action {
    kCut,       // closed on both sides
    kReset,     // the same with RST instead of FIN
    kTruncate,  // this direction ends, the other one lives on
    kStall,     // both sides stay open, nothing passes any more
    kDelay,     // this direction goes on after `time`
    kThrottle,  // from here on `bytes` at once, `time` between them
  };
  Place at;
  Action action = Action::kCut;
  std::chrono::milliseconds time{0};
  std::size_t bytes = 1;
  int request = 1;  // of the connection, whose frames the place is about
};

class WireProxy {
 public:
  /// By the connection's number, from 0. Nothing: a healthy connection.
  using Script = std::function<std::optional<WireFault>(int connection)>;

  /// `upstream`: "127.0.0.1:port". Everything passes until there is a script.
  explicit WireProxy(const std::string& upstream);
  ~WireProxy();

  const std::string& target() const { return target_; }
  /// For connections that come from now on.
  void SetScript(Script script);
  /// `fault` on the first `connections` connections.
  void Harm(const WireFault& fault, int connections);
  /// Where connections lead that come from now on.
  void SetUpstream(const std::string& upstream);
  /// Closes the port and cuts all connections; refused ones are not counted.
  void Refuse();
  /// Opens it again.
  void Accept();

  int connections() const;
  /// Bytes that passed on the connection.
  std::size_t passed(int connection, Toward toward) const;
  /// Requests and responses that passed to their last byte, on all connections.
  int ends_passed(Toward toward) const;

 private:
  struct Half;
  struct Connection;
  struct Counts {
    std::size_t passed[2] = {0, 0};
    std::size_t ends[2] = {0, 0};
  };

  void Run();
  void Take(std::list<Connection>& open);
  void Read(Connection& connection, Half& half);
  void Pump(Connection& connection, Half& half);
  bool Pass(Connection& connection, Half& half, std::size_t allowed);
  void Strike(Connection& connection, Half& half);

  int port_ = 0;
  std::string target_;
  Waker waker_;
  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  int upstream_port_;
  int listener_;  // -1: closed
  bool cut_all_ = false;
  bool stop_ = false;
  Script script_;
  std::vector<Counts> counts_;
  std::thread thread_;
};

// Places by their names.
inline constexpr Place AtByte(Toward toward, std::size_t byte) { return {toward, Place::Frame::kByte, Place::Where::kBefore, byte}; }
inline constexpr Place kBeforePreface = AtByte(Toward::kServer, 0);
inline constexpr Place kInPreface = AtByte(Toward::kServer, kPrefaceSize / 2);
inline constexpr Place kAfterPreface = AtByte(Toward::kServer, kPrefaceSize);
inline constexpr Place kInClientSettings{Toward::kServer, Place::Frame::kSettings, Place::Where::kInside};
inline constexpr Place kInServerSettings{Toward::kClient, Place::Frame::kSettings, Place::Where::kInside};
inline constexpr Place kBeforeRequest{Toward::kServer, Place::Frame::kHeaders, Place::Where::kBefore};
inline constexpr Place kInRequestHeaders{Toward::kServer, Place::Frame::kHeaders, Place::Where::kInside};
inline constexpr Place kInRequestData{Toward::kServer, Place::Frame::kData, Place::Where::kInside};
inline constexpr Place kAfterRequest{Toward::kServer, Place::Frame::kEnd, Place::Where::kAfter};
inline constexpr Place kBeforeResponse{Toward::kClient, Place::Frame::kHeaders, Place::Where::kBefore};
inline constexpr Place kInResponseHeaders{Toward::kClient, Place::Frame::kHeaders, Place::Where::kInside};
inline constexpr Place kInResponseData{Toward::kClient, Place::Frame::kData, Place::Where::kInside};
inline constexpr Place kBeforeTrailers{Toward::kClient, Place::Frame::kEnd, Place::Where::kBefore};
inline constexpr Place kInTrailers{Toward::kClient, Place::Frame::kEnd, Place::Where::kInside};
inline constexpr Place kAfterTrailers{Toward::kClient, Place::Frame::kEnd, Place::Where::kAfter};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_PROXY_H_
