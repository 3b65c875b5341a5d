#include "demo_services/server/scheduler.h"

#include <algorithm>

namespace recloser::demo {

Scheduler::Scheduler() : thread_([this] { Run(); }) {}

void Scheduler::Stop() {
  std::map<Id, std::function<void()>> dropped;  // destroyed after the lock, see Cancel
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    dropped.swap(timers_);
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

Time Scheduler::Now() { return FromSteadyClock(std::chrono::steady_clock::now()); }

Scheduler::Id Scheduler::At(Time time, std::function<void()> function) {
  Id id;
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    id = {time, next_number_++};
    if (stopped_) return id;
    timers_.emplace(id, std::move(function));
    first = timers_.begin()->first == id;
  }
  if (first) wake_.notify_one();
  return id;
}

bool Scheduler::Cancel(const Id& id) {
  std::function<void()> dropped;  // destroyed after the lock: it may hold the last reference to something that calls back
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = timers_.find(id);
  if (found == timers_.end()) return false;
  dropped = std::move(found->second);
  timers_.erase(found);
  return true;
}

void Scheduler::Run() {
  // wait_until can't take times near the end of the clock's range: it adds to them.
  constexpr Duration kLongestWait = std::chrono::hours(1);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopped_) {
    if (timers_.empty()) {
      wake_.wait(lock);
      continue;
    }
    const auto next = timers_.begin();
    const Duration wait = SaturatingDifference(next->first.first, Now());
    if (wait > Duration::zero()) {
      wake_.wait_for(lock, std::min(wait, kLongestWait));
      continue;
    }
    std::function<void()> function = std::move(next->second);
    timers_.erase(next);
    lock.unlock();
    function();
    function = nullptr;
    lock.lock();
  }
}

}  // namespace recloser::demo
