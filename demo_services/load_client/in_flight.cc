#include "demo_services/load_client/in_flight.h"

#include <vector>

namespace recloser::demo {

std::shared_ptr<Call> InFlight::Make() {
  std::shared_ptr<Call> call(new Call, [this](Call* gone) { Delete(gone); });
  const std::lock_guard<std::mutex> lock(mutex_);
  calls_.emplace(call.get(), call);
  return call;
}

std::size_t InFlight::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return calls_.size();
}

void InFlight::CancelAll() {
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls.reserve(calls_.size());
    for (const auto& [unused, call] : calls_) calls.push_back(call.lock());
  }
  // Not under the lock: a cancelled call may end inside TryCancel.
  for (const std::shared_ptr<Call>& call : calls) {
    if (call != nullptr) call->context.TryCancel();
  }
}

bool InFlight::WaitUntilEmpty(std::chrono::steady_clock::time_point time) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return empty_.wait_until(lock, time, [this] { return calls_.empty(); });
}

void InFlight::Delete(Call* call) {
  // Before it is counted out: the last call's context may hold the channel.
  delete call;
  const std::lock_guard<std::mutex> lock(mutex_);
  calls_.erase(call);
  if (calls_.empty()) empty_.notify_all();
}

}  // namespace recloser::demo
