#include "ticker.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "blocked_signals.h"

namespace recloser::page {

Ticker::Ticker(Duration interval, std::function<void()> tick) {
  const BlockedSignals blocked;
  thread_ = std::thread([this, interval, tick = std::move(tick)] { Run(interval, tick); });
}

Ticker::~Ticker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  thread_.join();
}

void Ticker::Run(Duration interval, const std::function<void()>& tick) {
  auto next = std::chrono::steady_clock::now();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    lock.unlock();
    tick();
    lock.lock();
    // After a pause of the machine: one tick, not all that were missed.
    next = std::max(next + interval, std::chrono::steady_clock::now());
    stopping_.wait_until(lock, next, [this] { return stop_; });
  }
}

}  // namespace recloser::page
