// What reached an echo service. Lives longer than the service's port.
//
// Thread safety: all functions, from any thread; recording takes no lock.
#ifndef RECLOSER_DEMO_SERVICES_ECHO_STATS_H_
#define RECLOSER_DEMO_SERVICES_ECHO_STATS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "demo_services/echo/call_gate.h"
#include "recloser/demo/v1/echo.pb.h"

namespace recloser::demo {

enum class EchoMethod : std::size_t { kEcho, kIncrement, kServerStream, kClientStream, kBidiStream };
inline constexpr std::array<const char*, 5> kEchoMethodNames = {"Echo", "Increment", "ServerStream", "ClientStream", "BidiStream"};

class EchoStats {
 public:
  /// A call has arrived; returns its number, from 1.
  std::uint64_t Arrived(EchoMethod method, bool is_retry);
  void Ended(EchoMethod method, CallResult result);
  /// Adds 1 to the side-effect counter and returns it.
  std::int64_t Increment() { return counter_.fetch_add(1) + 1; }

  v1::StatsResponse Snapshot() const;

 private:
  struct Counts {
    std::atomic<std::uint64_t> received{0};
    std::array<std::atomic<std::uint64_t>, 3> ended{};  // by CallResult
    std::atomic<std::uint64_t> retries{0};
  };
  std::array<Counts, kEchoMethodNames.size()> counts_;
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::int64_t> counter_{0};
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_ECHO_STATS_H_
