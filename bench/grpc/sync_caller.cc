// The blocking form: a thread for each call at a time.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "make_callers.h"
#include "one_call.h"

namespace recloser::bench {
namespace {

class SyncCaller final : public Caller {
 public:
  ~SyncCaller() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Calls Make(const Work& work) override {
    left_ = work.calls;
    if (work.concurrency == 1) return Share(work);
    while (threads_.size() < static_cast<std::size_t>(work.concurrency)) {
      threads_.emplace_back([this, number = static_cast<int>(threads_.size())] { Serve(number); });
    }
    std::unique_lock<std::mutex> lock(mutex_);
    work_ = &work;
    result_ = {};
    busy_ = wanted_ = work.concurrency;
    ++round_;
    begin_.notify_all();
    end_.wait(lock, [this] { return busy_ == 0; });
    return std::move(result_);
  }

 private:
  /// Calls until none is left.
  Calls Share(const Work& work) {
    Calls calls;
    calls.latencies_ns.reserve(static_cast<std::size_t>(work.calls));
    OneCall call;
    while (left_.fetch_sub(1, std::memory_order_relaxed) > 0) {
      call.Begin(work);
      call.status = work.stub->Echo(&*call.context, work.request, &call.response);
      call.End(work, &calls);
    }
    return calls;
  }

  void Serve(int number) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (std::uint64_t done = 0;;) {
      begin_.wait(lock, [&] { return ending_ || round_ != done; });
      if (ending_) return;
      done = round_;
      if (number >= wanted_) continue;
      const Work& work = *work_;
      lock.unlock();
      Calls mine = Share(work);
      lock.lock();
      result_.latencies_ns.insert(result_.latencies_ns.end(), mine.latencies_ns.begin(), mine.latencies_ns.end());
      result_.failed += mine.failed;
      if (mine.failed > 0) result_.last_failure = mine.last_failure;
      if (--busy_ == 0) end_.notify_one();
    }
  }

  std::atomic<int> left_{0};
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const Work* work_ = nullptr;
  std::uint64_t round_ = 0;
  int wanted_ = 0;
  int busy_ = 0;
  bool ending_ = false;
  Calls result_;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Caller> MakeSyncCaller() { return std::make_unique<SyncCaller>(); }

}  // namespace recloser::bench
