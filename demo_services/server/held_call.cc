#include "demo_services/server/held_call.h"

namespace recloser::demo {

void HeldCall::Hold(Duration time, std::function<void()> next) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!client_left_ && time > Duration::zero()) {
      next_ = std::move(next);
      ++hold_;
      has_timer_ = time != kForever;
      if (has_timer_) timer_ = scheduler_->After(time, [self = shared_from_this(), hold = hold_] { self->WakeFrom(hold); });
      return;
    }
  }
  if (client_has_left()) {
    ClientLeft();
  } else {
    next();
  }
}

void HeldCall::Wake() {
  std::function<void()> next;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    next = TakeNext();
  }
  if (next != nullptr) next();
}

void HeldCall::WakeFrom(std::uint64_t hold) {
  std::function<void()> next;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (hold == hold_) next = TakeNext();
  }
  if (next != nullptr) next();
}

std::function<void()> HeldCall::TakeNext() {
  if (next_ != nullptr && has_timer_) scheduler_->Cancel(timer_);
  return std::exchange(next_, nullptr);
}

void HeldCall::OnClientLeft() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    client_left_ = true;
    if (TakeNext() == nullptr) return;
  }
  ClientLeft();
}

bool HeldCall::client_has_left() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return client_left_;
}

}  // namespace recloser::demo
