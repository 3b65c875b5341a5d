#include "demo_services/echo/service.h"

#include <algorithm>
#include <memory>

#include "demo_services/echo/call.h"
#include "recloser/config/duration.h"

namespace recloser::demo {
namespace {

class UnaryCall final : public EchoCall<grpc::ServerUnaryReactor> {
 public:
  UnaryCall(const EchoBackend& backend, EchoMethod method, grpc::CallbackServerContext* context, const v1::EchoRequest* request,
            v1::EchoResponse* response)
      : EchoCall(backend, method, context), increments_(method == EchoMethod::kIncrement), request_(*request), response_(response) {}

 private:
  void Admitted() override {
    if (grpc::Status status = CheckRequest(request_); !status.ok()) return End(status);
    if (increments_) counter_ = backend().stats->Increment();
    Headers(request_);
    Hold(FromProto(request_.delay()), [this] {
      FillResponse(request_, seen(), context(), response_);
      response_->set_counter(counter_);
      EndAs(request_, StatusFor(request_, seen().previous_attempts()));
    });
  }

  const bool increments_;
  const v1::EchoRequest& request_;
  v1::EchoResponse* const response_;
  std::int64_t counter_ = 0;
};

class ServerStreamCall final : public EchoCall<grpc::ServerWriteReactor<v1::EchoResponse>> {
 public:
  ServerStreamCall(const EchoBackend& backend, grpc::CallbackServerContext* context, const v1::EchoRequest* request)
      : EchoCall(backend, EchoMethod::kServerStream, context), request_(*request) {}

 private:
  void Admitted() override {
    if (grpc::Status status = CheckRequest(request_); !status.ok()) return End(status);
    status_ = StatusFor(request_, seen().previous_attempts());
    messages_ = status_.ok() ? std::max(request_.messages(), 1u) : request_.fail_after_messages();
    FillResponse(request_, seen(), context(), &response_);
    Headers(request_);
    Hold(FromProto(request_.delay()), [this] { WriteNext(); });
  }

  void WriteNext() {
    if (sent_ == messages_) return EndAs(request_, status_);
    response_.set_message_index(++sent_);
    StartWrite(&response_);
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return ClientLeft();
    Hold(sent_ == messages_ ? Duration::zero() : FromProto(request_.interval()), [this] { WriteNext(); });
  }

  const v1::EchoRequest& request_;
  v1::EchoResponse response_;
  grpc::Status status_;
  std::uint32_t messages_ = 0;
  std::uint32_t sent_ = 0;
};

class ClientStreamCall final : public EchoCall<grpc::ServerReadReactor<v1::EchoRequest>> {
 public:
  ClientStreamCall(const EchoBackend& backend, grpc::CallbackServerContext* context, v1::EchoResponse* response)
      : EchoCall(backend, EchoMethod::kClientStream, context), response_(response) {}

 private:
  void Admitted() override { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) return Hold(FromProto(first_.delay()), [this] { Answer(); });
    if (grpc::Status status = CheckRequest(request_); !status.ok()) return End(status);
    if (++received_ == 1) {
      first_.Swap(&request_);
      status_ = StatusFor(first_, seen().previous_attempts());
      Headers(first_);
    }
    if (!status_.ok() && received_ >= first_.fail_after_messages()) return EndAs(first_, status_);
    StartRead(&request_);
  }

  void Answer() {
    FillResponse(first_, seen(), context(), response_);
    response_->set_message_index(received_);
    EndAs(first_, status_);
  }

  v1::EchoRequest request_;
  v1::EchoRequest first_;
  v1::EchoResponse* const response_;
  grpc::Status status_;
  std::uint32_t received_ = 0;
};

class BidiStreamCall final : public EchoCall<grpc::ServerBidiReactor<v1::EchoRequest, v1::EchoResponse>> {
 public:
  BidiStreamCall(const EchoBackend& backend, grpc::CallbackServerContext* context) : EchoCall(backend, EchoMethod::kBidiStream, context) {}

 private:
  void Admitted() override { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) return EndAs(request_, grpc::Status::OK);
    if (grpc::Status status = CheckRequest(request_); !status.ok()) return End(status);
    if (!sent_headers_) Headers(request_);
    sent_headers_ = true;
    Hold(FromProto(request_.delay()), [this] { Answer(); });
  }

  void Answer() {
    const grpc::Status status = StatusFor(request_, seen().previous_attempts());
    if (!status.ok() && answered_ >= request_.fail_after_messages()) return EndAs(request_, status);
    FillResponse(request_, seen(), context(), &response_);
    response_.set_message_index(++answered_);
    StartWrite(&response_);
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return ClientLeft();
    StartRead(&request_);
  }

  v1::EchoRequest request_;
  v1::EchoResponse response_;
  bool sent_headers_ = false;
  std::uint32_t answered_ = 0;
};

}  // namespace

grpc::ServerUnaryReactor* EchoService::Echo(grpc::CallbackServerContext* context, const v1::EchoRequest* request,
                                            v1::EchoResponse* response) {
  return StartCall(std::make_shared<UnaryCall>(backend_, EchoMethod::kEcho, context, request, response));
}

grpc::ServerUnaryReactor* EchoService::Increment(grpc::CallbackServerContext* context, const v1::EchoRequest* request,
                                                 v1::EchoResponse* response) {
  return StartCall(std::make_shared<UnaryCall>(backend_, EchoMethod::kIncrement, context, request, response));
}

grpc::ServerWriteReactor<v1::EchoResponse>* EchoService::ServerStream(grpc::CallbackServerContext* context,
                                                                      const v1::EchoRequest* request) {
  return StartCall(std::make_shared<ServerStreamCall>(backend_, context, request));
}

grpc::ServerReadReactor<v1::EchoRequest>* EchoService::ClientStream(grpc::CallbackServerContext* context, v1::EchoResponse* response) {
  return StartCall(std::make_shared<ClientStreamCall>(backend_, context, response));
}

grpc::ServerBidiReactor<v1::EchoRequest, v1::EchoResponse>* EchoService::BidiStream(grpc::CallbackServerContext* context) {
  return StartCall(std::make_shared<BidiStreamCall>(backend_, context));
}

grpc::ServerUnaryReactor* EchoService::Stats(grpc::CallbackServerContext* context, const v1::StatsRequest*, v1::StatsResponse* response) {
  *response = backend_.stats->Snapshot();
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

}  // namespace recloser::demo
