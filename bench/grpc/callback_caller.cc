// The callback form: the next call is made from the callback of one that has ended.
#include <array>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "make_callers.h"
#include "one_call.h"

namespace recloser::bench {
namespace {

class CallbackCaller final : public Caller {
 public:
  Calls Make(const Work& work) override {
    calls_ = {};
    calls_.latencies_ns.reserve(static_cast<std::size_t>(work.calls));
    work_ = &work;
    left_ = work.calls;
    in_flight_ = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (; in_flight_ < work.concurrency && left_ > 0; ++in_flight_) --left_;
    }
    const int begun = in_flight_;
    for (int i = 0; i < begun; ++i) Begin(&slots_[static_cast<std::size_t>(i)]);
    std::unique_lock<std::mutex> lock(mutex_);
    all_ended_.wait(lock, [this] { return in_flight_ == 0; });
    return std::move(calls_);
  }

 private:
  void Begin(OneCall* call) {
    call->Begin(*work_);
    work_->stub->async()->Echo(&*call->context, &work_->request, &call->response, [this, call](grpc::Status status) {
      call->status = std::move(status);
      OnEnd(call);
    });
  }

  void OnEnd(OneCall* call) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      call->End(*work_, &calls_);
      if (left_ == 0) {
        if (--in_flight_ == 0) all_ended_.notify_one();
        return;
      }
      --left_;
    }
    Begin(call);
  }

  std::array<OneCall, kMaxConcurrency> slots_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  Calls calls_;
  const Work* work_ = nullptr;
  int left_ = 0;
  int in_flight_ = 0;
};

}  // namespace

std::unique_ptr<Caller> MakeCallbackCaller() { return std::make_unique<CallbackCaller>(); }

std::unique_ptr<Caller> MakeCaller(Form form) {
  switch (form) {
    case Form::kSync:
      return MakeSyncCaller();
    case Form::kQueue:
      return MakeQueueCaller();
    case Form::kCallback:
      return MakeCallbackCaller();
  }
  return nullptr;
}

}  // namespace recloser::bench
