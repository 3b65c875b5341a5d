// The completion queue form: one thread, which makes the next call when one has ended.
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_unary_call.h>

#include <array>
#include <memory>

#include "make_callers.h"
#include "one_call.h"

namespace recloser::bench {
namespace {

class QueueCaller final : public Caller {
 public:
  ~QueueCaller() override { queue_.Shutdown(); }

  Calls Make(const Work& work) override {
    Calls calls;
    calls.latencies_ns.reserve(static_cast<std::size_t>(work.calls));
    int left = work.calls;
    int in_flight = 0;
    for (; in_flight < work.concurrency && left > 0; ++in_flight, --left) Begin(&slots_[static_cast<std::size_t>(in_flight)], work);
    void* tag = nullptr;
    bool ok = false;
    while (in_flight > 0 && queue_.Next(&tag, &ok)) {
      auto* const slot = static_cast<Slot*>(tag);
      slot->reader.reset();
      slot->call.End(work, &calls);
      if (left > 0) {
        Begin(slot, work);
        --left;
      } else {
        --in_flight;
      }
    }
    return calls;
  }

 private:
  struct Slot {
    OneCall call;
    std::unique_ptr<grpc::ClientAsyncResponseReader<demo::v1::EchoResponse>> reader;
  };

  void Begin(Slot* slot, const Work& work) {
    slot->call.Begin(work);
    slot->reader = work.stub->AsyncEcho(&*slot->call.context, work.request, &queue_);
    slot->reader->Finish(&slot->call.response, &slot->call.status, slot);
  }

  grpc::CompletionQueue queue_;
  std::array<Slot, kMaxConcurrency> slots_;
};

}  // namespace

std::unique_ptr<Caller> MakeQueueCaller() { return std::make_unique<QueueCaller>(); }

}  // namespace recloser::bench
