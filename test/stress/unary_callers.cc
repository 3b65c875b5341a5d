#include <utility>

#include "callers.h"

namespace recloser::stress {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

Stubs::Stubs(std::shared_ptr<grpc::ChannelInterface> to) : channel(std::move(to)), echo(Echo::NewStub(channel)), generic(channel) {}

PolledQueue::PolledQueue()
    : thread_([this] {
        void* tag = nullptr;
        bool ok = false;
        while (queue_.Next(&tag, &ok)) {
          auto* const operation = static_cast<Operation*>(tag);
          if (operation->Proceed(ok)) delete operation;
        }
      }) {}

PolledQueue::~PolledQueue() {
  queue_.Shutdown();
  thread_.join();
}

namespace {

bool IsEcho(const LiveCall& call) { return call.plan.method == Method::kEcho; }

class QueueCall final : public Operation {
 public:
  explicit QueueCall(std::shared_ptr<LiveCall> call) : call_(std::move(call)) {}
  /// Everything is begun at once: the queue may be shut down right after.
  void Begin(Stubs& stubs, grpc::CompletionQueue* queue) {
    reader_ = IsEcho(*call_) ? stubs.echo->PrepareAsyncEcho(&call_->context, call_->request, queue)
                             : stubs.echo->PrepareAsyncIncrement(&call_->context, call_->request, queue);
    reader_->StartCall();
    const bool headers = call_->plan.api == Api::kQueueTwoBatch;
    batches_ = headers ? 2 : 1;
    if (headers) reader_->ReadInitialMetadata(this);
    reader_->Finish(&call_->response, &call_->status, this);
  }
  bool Proceed(bool ok) override {
    if (--batches_ > 0) return false;
    call_->Finish(ok);
    return true;
  }

 private:
  const std::shared_ptr<LiveCall> call_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<EchoResponse>> reader_;
  int batches_ = 0;
};

class GenericCall final : public Operation {
 public:
  explicit GenericCall(std::shared_ptr<LiveCall> call) : call_(std::move(call)) {}
  void Begin(Stubs& stubs, grpc::CompletionQueue* queue) {
    const grpc::Slice slice(call_->request.SerializeAsString());
    const grpc::ByteBuffer request(&slice, 1);
    // The name is a temporary, as with a literal: gRPC does not copy it.
    const std::string method = std::string("/recloser.demo.v1.Echo/") + MethodName(call_->plan.method);
    reader_ = stubs.generic.PrepareUnaryCall(&call_->context, method, request, queue);
    reader_->StartCall();
    reader_->Finish(&response_, &call_->status, this);
  }
  bool Proceed(bool ok) override {
    if (call_->status.ok()) grpc::SerializationTraits<EchoResponse>::Deserialize(&response_, &call_->response);
    call_->Finish(ok);
    return true;
  }

 private:
  const std::shared_ptr<LiveCall> call_;
  grpc::ByteBuffer response_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader_;
};

void BeginCallback(std::shared_ptr<LiveCall> call, Stubs& stubs) {
  LiveCall& c = *call;
  auto request = std::make_unique<EchoRequest>(c.request);
  // The call's last hold: the context is deleted in the callback.
  auto done = [call = std::move(call)](grpc::Status status) mutable {
    call->status = std::move(status);
    call->Finish();
    call = nullptr;
  };
  if (IsEcho(c)) {
    stubs.echo->async()->Echo(&c.context, request.get(), &c.response, std::move(done));
  } else {
    stubs.echo->async()->Increment(&c.context, request.get(), &c.response, std::move(done));
  }  // and the request goes: gRPC allows it
}

void BeginReactor(std::shared_ptr<LiveCall> call, Stubs& stubs) {
  auto* const reactor = new Reactor<grpc::ClientUnaryReactor>(std::move(call));
  LiveCall& c = reactor->call();
  if (IsEcho(c)) {
    stubs.echo->async()->Echo(&c.context, &c.request, &c.response, reactor);
  } else {
    stubs.echo->async()->Increment(&c.context, &c.request, &c.response, reactor);
  }
  reactor->StartCall();
}

}  // namespace

void BeginUnary(std::shared_ptr<LiveCall> call, Stubs& stubs, grpc::CompletionQueue* queue) {
  switch (call->plan.api) {
    case Api::kSync:
      return CallBlocking(call, stubs);
    case Api::kQueue:
    case Api::kQueueTwoBatch:
      return (new QueueCall(std::move(call)))->Begin(stubs, queue);
    case Api::kGeneric:
      return (new GenericCall(std::move(call)))->Begin(stubs, queue);
    case Api::kCallback:
      return BeginCallback(std::move(call), stubs);
    case Api::kReactor:
      return BeginReactor(std::move(call), stubs);
  }
}

}  // namespace recloser::stress
