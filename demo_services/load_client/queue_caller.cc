// The completion-queue API, one queue and one thread: `Finish` alone, headers first and then `Finish`, and the generic stub.
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <mutex>
#include <thread>
#include <utility>

#include "demo_services/load_client/call.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::demo {
namespace {

constexpr char kEchoMethod[] = "/recloser.demo.v1.Echo/Echo";

// A call on the queue; its address is the tag of both of its batches.
class Operation {
 public:
  explicit Operation(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  virtual ~Operation() = default;

  virtual void Start(v1::Echo::Stub& stub, grpc::GenericStub& generic, grpc::CompletionQueue& queue) = 0;
  /// A batch came back; true when it was the last.
  virtual bool OnBatch() { return true; }

  const std::shared_ptr<Call>& call() const { return call_; }
  const grpc::Status& status() const { return status_; }

 protected:
  const std::shared_ptr<Call> call_;
  grpc::Status status_;
};

class FinishOnly final : public Operation {
 public:
  using Operation::Operation;
  void Start(v1::Echo::Stub& stub, grpc::GenericStub&, grpc::CompletionQueue& queue) override {
    reader_ = stub.AsyncEcho(&call_->context, call_->request, &queue);
    reader_->Finish(&call_->response, &status_, this);
  }

 private:
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::EchoResponse>> reader_;
};

class HeadersFirst final : public Operation {
 public:
  using Operation::Operation;
  void Start(v1::Echo::Stub& stub, grpc::GenericStub&, grpc::CompletionQueue& queue) override {
    const std::lock_guard<std::mutex> lock(starting_);
    reader_ = stub.PrepareAsyncEcho(&call_->context, call_->request, &queue);
    reader_->StartCall();
    reader_->ReadInitialMetadata(this);
  }
  bool OnBatch() override {
    if (finishing_) return true;
    finishing_ = true;
    const std::lock_guard<std::mutex> lock(starting_);
    reader_->Finish(&call_->response, &status_, this);
    return false;
  }

 private:
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::EchoResponse>> reader_;
  bool finishing_ = false;
  // The headers may be here before ReadInitialMetadata has returned; gRPC does not expect Finish before that.
  std::mutex starting_;
};

class Generic final : public Operation {
 public:
  using Operation::Operation;
  void Start(v1::Echo::Stub&, grpc::GenericStub& generic, grpc::CompletionQueue& queue) override {
    const grpc::Slice slice(call_->request.SerializeAsString());
    const grpc::ByteBuffer request(&slice, 1);
    reader_ = generic.PrepareUnaryCall(&call_->context, kEchoMethod, request, &queue);
    reader_->StartCall();
    reader_->Finish(&response_, &status_, this);
  }

 private:
  grpc::ByteBuffer response_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
};

class QueueCaller final : public Caller {
 public:
  QueueCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended)
      : api_(api), stub_(v1::Echo::NewStub(channel)), generic_(channel), ended_(std::move(ended)), thread_([this] { Poll(); }) {}

  ~QueueCaller() override {
    queue_.Shutdown();
    thread_.join();
  }

  void Start(std::shared_ptr<Call> call) override {
    // Owned by the queue from here on: `Poll` deletes it with the last batch.
    Make(std::move(call)).release()->Start(*stub_, generic_, queue_);
  }

 private:
  std::unique_ptr<Operation> Make(std::shared_ptr<Call> call) const {
    if (api_ == Api::kGeneric) return std::make_unique<Generic>(std::move(call));
    if (api_ == Api::kCqTwoBatch) return std::make_unique<HeadersFirst>(std::move(call));
    return std::make_unique<FinishOnly>(std::move(call));
  }

  void Poll() {
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
      auto* operation = static_cast<Operation*>(tag);
      if (!operation->OnBatch()) continue;
      const std::unique_ptr<Operation> ended(operation);
      ended_(ended->call(), ended->status());
    }
  }

  const Api api_;
  const std::unique_ptr<v1::Echo::Stub> stub_;
  grpc::GenericStub generic_;
  const CallEnded ended_;
  grpc::CompletionQueue queue_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Caller> MakeQueueCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended) {
  return std::make_unique<QueueCaller>(api, channel, std::move(ended));
}

}  // namespace recloser::demo
