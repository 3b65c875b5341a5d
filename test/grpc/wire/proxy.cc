#include "proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace recloser::testing {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

/// What travels in one direction.
struct WireProxy::Half {
  Half(int source, int sink, Toward direction, const std::optional<WireFault>& fault)
      : from(source),
        to(sink),
        toward(direction),
        tracker(direction, fault ? std::optional(fault->at) : std::nullopt, fault ? fault->request : 1),
        holds(fault && fault->at.toward == direction && fault->at.frame != Place::Frame::kByte) {}

  const int from;
  const int to;
  const Toward toward;
  FrameTracker tracker;
  const bool holds;  // bytes wait until the frame that they belong to is known
  std::string pending;
  std::size_t passed = 0;
  std::size_t limit = std::string::npos;  // bytes that may pass at once, once throttled
  bool struck = false;
  bool ended = false;       // the source said so
  bool end_passed = false;  // and the sink knows
  Clock::time_point wait_until;
};

struct WireProxy::Connection {
  Connection(int n, int client, int server, std::optional<WireFault> harm)
      : number(n),
        fault(std::move(harm)),
        halves{Half(client, server, Toward::kServer, fault), Half(server, client, Toward::kClient, fault)} {}

  const int number;
  const std::optional<WireFault> fault;
  Half halves[2];
  bool stalled = false;
  bool closed = false;

  void CloseBoth(bool reset) {
    if (std::exchange(closed, true)) return;
    CloseSocket(halves[0].from, reset);
    CloseSocket(halves[0].to, reset);
  }
};

WireProxy::WireProxy(const std::string& upstream) : upstream_port_(PortOf(upstream)), listener_(ListenOnLoopback(&port_)) {
  target_ = LoopbackTarget(port_);
  thread_ = std::thread([this] { Run(); });
}

WireProxy::~WireProxy() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  waker_.Wake();
  thread_.join();
  if (listener_ >= 0) close(listener_);
}

void WireProxy::SetScript(Script script) {
  const std::lock_guard<std::mutex> lock(mutex_);
  script_ = std::move(script);
}

void WireProxy::Harm(const WireFault& fault, int connections) {
  SetScript([fault, connections](int connection) { return connection < connections ? std::optional(fault) : std::nullopt; });
}

void WireProxy::SetUpstream(const std::string& upstream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  upstream_port_ = PortOf(upstream);
}

void WireProxy::Refuse() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (listener_ >= 0) close(std::exchange(listener_, -1));
  cut_all_ = true;
  waker_.Wake();
}

void WireProxy::Accept() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (listener_ < 0) listener_ = ListenOnLoopback(&port_);
  waker_.Wake();
}

int WireProxy::connections() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(counts_.size());
}

std::size_t WireProxy::passed(int connection, Toward toward) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_.at(static_cast<std::size_t>(connection)).passed[static_cast<int>(toward)];
}

int WireProxy::ends_passed(Toward toward) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::size_t ends = 0;
  for (const Counts& counts : counts_) ends += counts.ends[static_cast<int>(toward)];
  return static_cast<int>(ends);
}

void WireProxy::Run() {
  std::list<Connection> open;
  while (true) {
    std::vector<pollfd> polled;
    std::vector<std::pair<Connection*, Half*>> owners;
    bool waits = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (std::exchange(cut_all_, false) || stop_) {
        for (Connection& connection : open) connection.CloseBoth(false);
        open.clear();
      }
      if (stop_) return;
      polled.push_back({waker_.socket(), POLLIN, 0});
      polled.push_back({listener_, POLLIN, 0});  // -1 is passed over
    }
    for (Connection& connection : open) {
      for (Half& half : connection.halves) {
        // A stalled connection is read no more, but its end is seen.
        polled.push_back({half.from, static_cast<short>(connection.stalled ? POLLRDHUP : half.ended ? 0 : POLLIN), 0});
        owners.emplace_back(&connection, &half);
        waits = waits || (!half.pending.empty() && !connection.stalled);
      }
    }
    poll(polled.data(), polled.size(), waits ? 1 : 1000);
    waker_.Clear();
    for (std::size_t i = 0; i < owners.size(); ++i) {
      const auto [connection, half] = owners[i];
      const short events = polled[i + 2].revents;
      if (connection->closed) continue;
      if ((events & POLLIN) != 0 && !connection->stalled) Read(*connection, *half);
      if ((events & (POLLERR | POLLHUP | POLLRDHUP)) != 0 && (connection->stalled || half->ended)) connection->CloseBoth(true);
      if (!connection->closed) Pump(*connection, *half);
    }
    open.remove_if([](const Connection& connection) { return connection.closed; });
    Take(open);
  }
}

void WireProxy::Take(std::list<Connection>& open) {
  while (true) {
    int client = -1;
    int number = 0;
    int upstream_port = 0;
    std::optional<WireFault> fault;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (listener_ >= 0) client = AcceptOne(listener_);
      if (client < 0) return;
      number = static_cast<int>(counts_.size());
      counts_.emplace_back();
      if (script_) fault = script_(number);
      upstream_port = upstream_port_;
    }
    const int server = ConnectToLoopback(upstream_port);
    if (server < 0) {
      CloseSocket(client, false);
      continue;
    }
    Connection& connection = open.emplace_back(number, client, server, fault);
    for (Half& half : connection.halves) {
      if (!connection.closed) Pump(connection, half);  // a fault before the first byte
    }
    if (connection.closed) open.pop_back();
  }
}

void WireProxy::Read(Connection& connection, Half& half) {
  char bytes[16384];
  const ssize_t n = recv(half.from, bytes, sizeof(bytes), 0);
  if (n > 0) {
    half.pending.append(bytes, static_cast<std::size_t>(n));
    half.tracker.Feed(half.pending, half.passed);
  } else if (n == 0) {
    half.ended = true;
  } else if (errno != EAGAIN && errno != EINTR) {
    connection.CloseBoth(true);
  }
}

void WireProxy::Pump(Connection& connection, Half& half) {
  while (!connection.closed && !connection.stalled && Clock::now() >= half.wait_until) {
    std::size_t end = half.passed + half.pending.size();
    if (half.holds && !half.struck && !half.ended) end = std::min(end, half.tracker.known());
    const auto& place = half.tracker.place();
    const bool near = place && !half.struck && *place <= half.passed + half.pending.size();
    if (near) end = *place;
    const std::size_t allowed = std::min(end - half.passed, half.limit);
    if (!Pass(connection, half, allowed)) return;
    if (half.limit != std::string::npos && !half.pending.empty()) half.wait_until = Clock::now() + connection.fault->time;
    if (place && !half.struck && half.passed == *place) {
      Strike(connection, half);
      continue;
    }
    if (half.ended && half.pending.empty() && !std::exchange(half.end_passed, true)) {
      shutdown(half.to, SHUT_WR);
      if (connection.halves[0].end_passed && connection.halves[1].end_passed) connection.CloseBoth(false);
    }
    if (allowed == 0) return;
  }
}

bool WireProxy::Pass(Connection& connection, Half& half, std::size_t allowed) {
  const std::lock_guard<std::mutex> lock(mutex_);  // who has received something finds it counted
  std::size_t sent = 0;
  while (sent < allowed) {
    const ssize_t n = send(half.to, half.pending.data() + sent, allowed - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EINTR) {
      break;  // again in a millisecond
    } else {
      connection.CloseBoth(true);
      return false;
    }
  }
  half.pending.erase(0, sent);
  half.passed += sent;
  Counts& counts = counts_[static_cast<std::size_t>(connection.number)];
  const int direction = static_cast<int>(half.toward);
  counts.passed[direction] = half.passed;
  const std::vector<std::size_t>& ends = half.tracker.stream_ends();
  counts.ends[direction] = static_cast<std::size_t>(std::count_if(ends.begin(), ends.end(), [&](auto at) { return at <= half.passed; }));
  return sent == allowed;
}

void WireProxy::Strike(Connection& connection, Half& half) {
  half.struck = true;
  switch (connection.fault->action) {
    case WireFault::Action::kCut:
      return connection.CloseBoth(false);
    case WireFault::Action::kReset:
      return connection.CloseBoth(true);
    case WireFault::Action::kTruncate:
      half.pending.clear();
      half.ended = true;
      half.end_passed = true;
      shutdown(half.to, SHUT_WR);
      return;
    case WireFault::Action::kStall:
      connection.stalled = true;
      return;
    case WireFault::Action::kDelay:
      half.wait_until = Clock::now() + connection.fault->time;
      return;
    case WireFault::Action::kThrottle:
      half.limit = connection.fault->bytes;
      return;
  }
}

}  // namespace recloser::testing
