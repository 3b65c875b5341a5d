#include "timers.h"

#include <utility>

namespace recloser::stress {

Timers::~Timers() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Timers::After(std::chrono::microseconds delay, std::function<void()> run) {
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto place = waiting_.emplace(std::chrono::steady_clock::now() + delay, std::move(run));
    first = place == waiting_.begin();
  }
  if (first) changed_.notify_one();
}

void Timers::Serve() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ending_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
    } else if (waiting_.begin()->first > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, waiting_.begin()->first);
    } else {
      const auto run = waiting_.extract(waiting_.begin());
      lock.unlock();
      run.mapped()();
      lock.lock();
    }
  }
}

}  // namespace recloser::stress
