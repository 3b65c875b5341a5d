// The synchronous API: a thread for every call that is outstanding, kept for later ones.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "demo_services/load_client/call.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::demo {
namespace {

class SyncCaller final : public Caller {
 public:
  SyncCaller(const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended)
      : stub_(v1::Echo::NewStub(channel)), ended_(std::move(ended)) {}

  ~SyncCaller() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Start(std::shared_ptr<Call> call) override {
    bool grow = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back(std::move(call));
      grow = waiting_.size() > idle_;
    }
    if (grow) threads_.emplace_back([this] { Work(); });
    work_.notify_one();
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++idle_;
      work_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      const std::shared_ptr<Call> call = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      ended_(call, stub_->Echo(&call->context, call->request, &call->response));
      lock.lock();
    }
  }

  const std::unique_ptr<v1::Echo::Stub> stub_;
  const CallEnded ended_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<std::shared_ptr<Call>> waiting_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<Caller> MakeSyncCaller(const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended) {
  return std::make_unique<SyncCaller>(channel, std::move(ended));
}

}  // namespace recloser::demo
