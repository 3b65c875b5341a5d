// A server that understands just enough HTTP/2 to know when a request is complete, and then sends prepared bytes.
#ifndef RECLOSER_TEST_GRPC_WIRE_FRAME_SERVER_H_
#define RECLOSER_TEST_GRPC_WIRE_FRAME_SERVER_H_

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "frames.h"
#include "loopback.h"

namespace recloser::testing {

/// What a request is answered with.
struct Answer {
  std::string bytes;
  bool close = false;  // the connection, after that
};

class FrameServer {
 public:
  /// `request`: its number over all connections, from 0; `stream`: its stream's.
  using Script = std::function<Answer(int request, std::uint32_t stream)>;

  /// `greeting`: sent to each of the first `greeted` connections; the others get SETTINGS.
  explicit FrameServer(Script script, std::string greeting = Settings(), int greeted = 0);
  ~FrameServer();

  const std::string& target() const { return target_; }
  int requests() const;

 private:
  struct Connection {
    int socket;
    std::string received;
    bool preface_seen = false;
    bool closed = false;
  };

  void Run();
  void Read(Connection& connection);
  void OnFrame(Connection& connection, FrameType type, std::uint8_t flags, std::uint32_t stream, const std::string& payload);
  void Send(Connection& connection, const std::string& bytes);

  const Script script_;
  const std::string greeting_;
  const int greeted_;
  int port_ = 0;
  const int listener_;
  const std::string target_;
  Waker waker_;
  mutable std::mutex mutex_;
  bool stop_ = false;
  int requests_ = 0;
  std::thread thread_;
};

}  // namespace recloser::testing

#endif  // RECLOSER_TEST_GRPC_WIRE_FRAME_SERVER_H_
