#include "demo_services/common/interrupt.h"

#include <unistd.h>

#include <thread>

#include "demo_services/common/signals.h"

namespace recloser::demo {

void Interrupt::CatchSignals() {
  BlockStopSignals();
  std::thread([this] {
    WaitForStopSignal();
    Request();
    WaitForStopSignal();
    _exit(kExitInterrupted);
  }).detach();
}

void Interrupt::Request() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    requested_ = true;
  }
  changed_.notify_all();
}

bool Interrupt::requested() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requested_;
}

bool Interrupt::WaitUntil(std::chrono::steady_clock::time_point time) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_until(lock, time, [this] { return requested_; });
}

}  // namespace recloser::demo
