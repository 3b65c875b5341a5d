#include "demo_services/common/interrupt.h"

#include <unistd.h>

#include <thread>

#include "demo_services/common/signals.h"

namespace recloser::demo {
namespace {

// Signals within this time are one; nobody presses Ctrl-C twice so fast.
constexpr auto kOneRequest = std::chrono::milliseconds(200);

}  // namespace

void Interrupt::CatchSignals() {
  BlockStopSignals();
  std::thread([this] {
    WaitForStopSignal();
    Request();
    // timeout(1) and some shells signal the process and then its group: that is one request.
    const auto until = std::chrono::steady_clock::now() + kOneRequest;
    while (std::chrono::steady_clock::now() < until) WaitForStopSignal(until - std::chrono::steady_clock::now());
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
