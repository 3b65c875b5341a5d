// Streams, by the callback API: kStreamMessages messages in each direction that streams.
#include <grpcpp/support/client_callback.h>

#include <utility>

#include "demo_services/load_client/call.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::demo {
namespace {

class ServerStream final : public grpc::ClientReadReactor<v1::EchoResponse> {
 public:
  ServerStream(std::shared_ptr<Call> call, const CallEnded& ended) : call_(std::move(call)), ended_(ended) {
    call_->request.set_messages(kStreamMessages);
  }
  void Start(v1::Echo::Stub& stub) {
    stub.async()->ServerStream(&call_->context, &call_->request, this);
    StartRead(&call_->response);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (ok) StartRead(&call_->response);
  }
  void OnDone(const grpc::Status& status) override {
    const std::unique_ptr<ServerStream> self(this);
    ended_(call_, status);
  }

 private:
  const std::shared_ptr<Call> call_;
  const CallEnded& ended_;
};

// Writes all messages of a stream, one after the other.
template <class Reactor>
class Writing : public Reactor {
 public:
  Writing(std::shared_ptr<Call> call, const CallEnded& ended) : call_(std::move(call)), ended_(ended) {}
  void OnWriteDone(bool ok) final {
    if (ok && written_ < kStreamMessages) Write();
  }
  void OnDone(const grpc::Status& status) final {
    const std::unique_ptr<Writing> self(this);
    ended_(call_, status);
  }

 protected:
  void Write() {
    ++written_;
    grpc::WriteOptions options;
    if (written_ == kStreamMessages) options.set_last_message();
    this->StartWrite(&call().request, options);
  }
  Call& call() { return *call_; }

 private:
  const std::shared_ptr<Call> call_;
  const CallEnded& ended_;
  int written_ = 0;
};

class ClientStream final : public Writing<grpc::ClientWriteReactor<v1::EchoRequest>> {
 public:
  using Writing::Writing;
  void Start(v1::Echo::Stub& stub) {
    stub.async()->ClientStream(&call().context, &call().response, this);
    Write();
    StartCall();
  }
};

// Meanwhile reads all answers.
class BidiStream final : public Writing<grpc::ClientBidiReactor<v1::EchoRequest, v1::EchoResponse>> {
 public:
  using Writing::Writing;
  void Start(v1::Echo::Stub& stub) {
    stub.async()->BidiStream(&call().context, this);
    Write();
    StartRead(&call().response);
    StartCall();
  }
  void OnReadDone(bool ok) override {
    if (ok) StartRead(&call().response);
  }
};

template <class Stream>
class StreamCaller final : public Caller {
 public:
  StreamCaller(const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended)
      : stub_(v1::Echo::NewStub(channel)), ended_(std::move(ended)) {}
  void Start(std::shared_ptr<Call> call) override {
    (new Stream(std::move(call), ended_))->Start(*stub_);  // deletes itself in OnDone
  }

 private:
  const std::unique_ptr<v1::Echo::Stub> stub_;
  const CallEnded ended_;
};

}  // namespace

std::unique_ptr<Caller> MakeStreamCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended) {
  if (api == Api::kServerStream) return std::make_unique<StreamCaller<ServerStream>>(channel, std::move(ended));
  if (api == Api::kClientStream) return std::make_unique<StreamCaller<ClientStream>>(channel, std::move(ended));
  return std::make_unique<StreamCaller<BidiStream>>(channel, std::move(ended));
}

}  // namespace recloser::demo
