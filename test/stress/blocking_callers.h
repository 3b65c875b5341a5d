// A few threads for the calls that block one.
#ifndef RECLOSER_TEST_STRESS_BLOCKING_CALLERS_H_
#define RECLOSER_TEST_STRESS_BLOCKING_CALLERS_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace recloser::stress {

class BlockingCallers {
 public:
  explicit BlockingCallers(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Serve(); });
  }
  ~BlockingCallers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void Post(std::function<void()> run) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(std::move(run));
    }
    changed_.notify_one();
  }

 private:
  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      std::function<void()> run = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      run();
      run = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_BLOCKING_CALLERS_H_
