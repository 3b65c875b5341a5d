#include "connectivity_watch.h"

#include <grpc/grpc.h>

#include <utility>

#include "grpc_access.h"
#include "recloser/channel.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

std::shared_ptr<ConnectivityWatch> ConnectivityWatch::Create(grpc::Channel& channel, const std::shared_ptr<Link>& link) {
  if (!access::kPrivateMembers) return nullptr;
  // Others end the process when they are watched.
  if (grpc_channel_support_connectivity_watcher(access::Member(access::CoreChannel{}, channel)) == 0) return nullptr;
  return std::shared_ptr<ConnectivityWatch>(new ConnectivityWatch(channel.weak_from_this(), link));
}

void ConnectivityWatch::OnRefused() {
  if (!refused_.load(std::memory_order_relaxed)) refused_.store(true, std::memory_order_relaxed);
  if (watching_.load(std::memory_order_relaxed) || !Runtime::Get().usable()) return;
  if (!watching_.exchange(true, std::memory_order_acquire)) Begin();
}

void ConnectivityWatch::Begin() {
  const std::shared_ptr<grpc::Channel> channel = channel_.lock();
  if (channel == nullptr) return;
  last_ = channel->GetState(false);
  until_ = SaturatingAdd(Now(), kPeriod);
  Await(*channel);
}

void ConnectivityWatch::Await(grpc::Channel& channel) {
  self_ = shared_from_this();
  // A timespan: no step of the wall clock can stretch it.
  channel.NotifyOnStateChange(last_, TimeLeft(until_, Now()), Runtime::Get().queue(), static_cast<QueueTag*>(this));
}

void ConnectivityWatch::Run(bool) {
  const std::shared_ptr<ConnectivityWatch> self = std::move(self_);
  // The channel may go at any time, here at the latest: then the runtime's thread, which waits for nobody, takes it down.
  const std::shared_ptr<grpc::Channel> channel = channel_.lock();
  if (channel == nullptr) return;
  const grpc_connectivity_state before = std::exchange(last_, channel->GetState(false));
  if (last_ == GRPC_CHANNEL_READY && before != GRPC_CHANNEL_READY) {
    if (const std::shared_ptr<Link> link = link_.lock()) link->FreshEvidence(Now());
  }
  if (Now() >= until_) {
    if (!refused_.exchange(false, std::memory_order_relaxed)) return watching_.store(false, std::memory_order_release);
    until_ = SaturatingAdd(Now(), kPeriod);
  }
  Await(*channel);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
