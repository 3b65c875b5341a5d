#include "frame_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "frame_tracker.h"

namespace recloser::testing {

FrameServer::FrameServer(Script script, std::string greeting, int greeted)
    : script_(std::move(script)),
      greeting_(std::move(greeting)),
      greeted_(greeted),
      listener_(ListenOnLoopback(&port_)),
      target_(LoopbackTarget(port_)),
      thread_([this] { Run(); }) {}

FrameServer::~FrameServer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  waker_.Wake();
  thread_.join();
  close(listener_);
}

int FrameServer::requests() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

void FrameServer::Run() {
  std::list<Connection> open;
  for (int accepted = 0;;) {
    std::vector<pollfd> polled = {{waker_.socket(), POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Connection& connection : open) polled.push_back({connection.socket, POLLIN, 0});
    poll(polled.data(), polled.size(), -1);
    waker_.Clear();
    std::size_t i = 2;
    for (Connection& connection : open) {
      if (polled[i++].revents != 0) Read(connection);
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (Connection& connection : open) {
        if (stop_ || connection.closed) CloseSocket(connection.socket, false);
      }
      if (stop_) return;
    }
    open.remove_if([](const Connection& connection) { return connection.closed; });
    for (int socket = AcceptOne(listener_); socket >= 0; socket = AcceptOne(listener_)) {
      Send(open.emplace_back(Connection{socket, "", false, false}), accepted++ < greeted_ ? greeting_ : Settings());
    }
  }
}

void FrameServer::Read(Connection& connection) {
  char bytes[16384];
  const ssize_t n = recv(connection.socket, bytes, sizeof(bytes), 0);
  if (n <= 0) {
    connection.closed = n == 0 || (errno != EAGAIN && errno != EINTR);
    return;
  }
  std::string& received = connection.received;
  received.append(bytes, static_cast<std::size_t>(n));
  if (!connection.preface_seen) {
    if (received.size() < kPrefaceSize) return;
    received.erase(0, kPrefaceSize);
    connection.preface_seen = true;
  }
  while (received.size() >= 9 && !connection.closed) {
    const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(received[i]); };
    const std::size_t length = static_cast<std::size_t>(at(0) << 16 | at(1) << 8 | at(2));
    if (received.size() < 9 + length) return;
    const auto type = static_cast<FrameType>(at(3));
    const std::uint8_t flags = at(4);
    const std::uint32_t stream = (at(5) & 0x7fu) << 24 | at(6) << 16 | at(7) << 8 | at(8);
    const std::string payload = received.substr(9, length);
    received.erase(0, 9 + length);
    OnFrame(connection, type, flags, stream, payload);
  }
}

void FrameServer::OnFrame(Connection& connection, FrameType type, std::uint8_t flags, std::uint32_t stream, const std::string& payload) {
  if (type == FrameType::kSettings && (flags & kAck) == 0) return Send(connection, Frame(type, kAck, 0, ""));
  if (type == FrameType::kPing && (flags & kAck) == 0) return Send(connection, Frame(type, kAck, 0, payload));
  if ((type != FrameType::kHeaders && type != FrameType::kData) || (flags & kEndStream) == 0) return;
  int request = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    request = requests_++;
  }
  const Answer answer = script_(request, stream);
  Send(connection, answer.bytes);
  connection.closed = connection.closed || answer.close;
}

// Answers are small; what does not fit into the socket's buffer ends the connection.
void FrameServer::Send(Connection& connection, const std::string& bytes) {
  const ssize_t n = send(connection.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (n != static_cast<ssize_t>(bytes.size())) connection.closed = true;
}

}  // namespace recloser::testing
