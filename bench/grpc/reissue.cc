#include "reissue.h"

#include <google/protobuf/message_lite.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>

#include <string>
#include <thread>
#include <utility>

namespace recloser::bench {
namespace {

using grpc::experimental::ClientInterceptorFactoryInterface;
using grpc::experimental::ClientRpcInfo;
using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::Interceptor;
using grpc::experimental::InterceptorBatchMethods;

class ReissuedCall;

/// The queue of all inner calls and its thread; as long as its factory.
class Poller {
 public:
  Poller() : thread_([this] { Serve(); }) {}
  ~Poller() {
    queue_.Shutdown();
    thread_.join();
  }
  grpc::CompletionQueue* queue() { return &queue_; }

 private:
  void Serve();

  grpc::CompletionQueue queue_;
  std::thread thread_;
};

class ReissuedCall final : public Interceptor {
 public:
  ReissuedCall(ClientRpcInfo* info, Poller* poller) : info_(*info), poller_(*poller), method_(info->method()) {}

  void Intercept(InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_CANCEL)) {
      if (inner_ != nullptr) inner_->context.TryCancel();
      return;
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) return Hijack(batch);
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_RECV_STATUS)) {
      held_ = batch;
      return Start();
    }
    batch->Proceed();
  }

  /// The inner call has ended.
  void Deliver() {
    *held_->GetRecvStatus() = inner_->status;
    if (inner_->status.ok()) {
      auto* const response = static_cast<google::protobuf::MessageLite*>(held_->GetRecvMessage());
      const grpc::Status parsed = grpc::SerializationTraits<google::protobuf::MessageLite>::Deserialize(&inner_->response, response);
      if (!parsed.ok()) *held_->GetRecvStatus() = parsed;
    } else {
      held_->FailHijackedRecvMessage();
    }
    *held_->GetRecvInitialMetadata() = inner_->context.GetServerInitialMetadata();
    *held_->GetRecvTrailingMetadata() = inner_->context.GetServerTrailingMetadata();
    held_->Proceed();
  }

 private:
  struct Inner {
    explicit Inner(std::shared_ptr<grpc::ChannelInterface> channel) : stub(std::move(channel)) {}
    grpc::ClientContext context;
    grpc::GenericStub stub;
    std::unique_ptr<grpc::ClientAsyncResponseReader<grpc::ByteBuffer>> reader;
    grpc::ByteBuffer response;
    grpc::Status status;
  };

  void Hijack(InterceptorBatchMethods* batch) {
    inner_ = std::make_unique<Inner>(batch->GetInterceptedChannel());
    request_ = *batch->GetSerializedSendMessage();
    for (const auto& [key, value] : *batch->GetSendInitialMetadata()) inner_->context.AddMetadata(key, value);
    inner_->context.set_deadline(info_.client_context()->raw_deadline());
    batch->Hijack();  // comes back with the receiving half
  }

  void Start() {
    inner_->reader = inner_->stub.PrepareUnaryCall(&inner_->context, method_, request_, poller_.queue());
    inner_->reader->StartCall();
    inner_->reader->Finish(&inner_->response, &inner_->status, this);
  }

  ClientRpcInfo& info_;
  Poller& poller_;
  const std::string method_;
  std::unique_ptr<Inner> inner_;
  grpc::ByteBuffer request_;
  InterceptorBatchMethods* held_ = nullptr;
};

void Poller::Serve() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) static_cast<ReissuedCall*>(tag)->Deliver();
}

class ReissuingFactory final : public ClientInterceptorFactoryInterface {
 public:
  Interceptor* CreateClientInterceptor(ClientRpcInfo* info) override { return new ReissuedCall(info, &poller_); }

 private:
  Poller poller_;
};

class IdleInterceptor final : public Interceptor {
 public:
  void Intercept(InterceptorBatchMethods* batch) override { batch->Proceed(); }
};

class IdleFactory final : public ClientInterceptorFactoryInterface {
 public:
  Interceptor* CreateClientInterceptor(ClientRpcInfo*) override { return new IdleInterceptor; }
};

}  // namespace

std::unique_ptr<ClientInterceptorFactoryInterface> MakeReissuingFactory() { return std::make_unique<ReissuingFactory>(); }
std::unique_ptr<ClientInterceptorFactoryInterface> MakeIdleFactory() { return std::make_unique<IdleFactory>(); }

}  // namespace recloser::bench
