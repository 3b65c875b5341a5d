// Tells a channel's open breakers when its connection is back.
//
// gRPC reconnects by itself. The instant at which the channel becomes READY again is evidence that its target lives, often long before the
// next probe is due. Only evidence: the watch never makes the channel connect nor makes a call, the next call of the application probes.
//
// There is one watch at a time, on the runtime's queue, and only while calls are refused: a channel whose breakers are closed costs
// nothing, and one that nobody uses is left alone after one or two of `kPeriod`. It holds neither the channel nor the link.
#ifndef RECLOSER_CONNECTIVITY_WATCH_H_
#define RECLOSER_CONNECTIVITY_WATCH_H_

#include <grpcpp/channel.h>

#include <atomic>
#include <memory>

#include "recloser/core/link.h"
#include "recloser/core/time.h"
#include "runtime.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class ConnectivityWatch final : public QueueTag, public std::enable_shared_from_this<ConnectivityWatch> {
 public:
  /// So long without a refused call, and the watch ends.
  static constexpr Duration kPeriod = std::chrono::seconds(10);

  /// Null for channels that have no connection to watch, such as in-process ones.
  static std::shared_ptr<ConnectivityWatch> Create(grpc::Channel& channel, const std::shared_ptr<Link>& link);

  /// A breaker refused a call, or in shadow mode would have. From any thread; costs two loads while the watch runs.
  void OnRefused();

 private:
  ConnectivityWatch(std::weak_ptr<grpc::Channel> channel, std::weak_ptr<Link> link)
      : channel_(std::move(channel)), link_(std::move(link)) {}
  void Run(bool changed) override;
  void Begin();
  /// Takes note of the channel's state and waits for the next, until `until_`.
  void Await(grpc::Channel& channel);

  const std::weak_ptr<grpc::Channel> channel_;
  const std::weak_ptr<Link> link_;
  std::atomic<bool> refused_{false};   // since `until_` was set
  std::atomic<bool> watching_{false};  // who sets it owns what is below, then the runtime's thread does
  Time until_{};
  grpc_connectivity_state last_ = GRPC_CHANNEL_READY;
  std::shared_ptr<ConnectivityWatch> self_;  // until the event has come
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONNECTIVITY_WATCH_H_
