// The callback API, unary: a function, and a reactor.
#include <grpcpp/support/client_callback.h>

#include <utility>

#include "demo_services/load_client/call.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::demo {
namespace {

class FunctionCaller final : public Caller {
 public:
  FunctionCaller(const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended)
      : stub_(v1::Echo::NewStub(channel)), ended_(std::move(ended)) {}

  void Start(std::shared_ptr<Call> call) override {
    Call& c = *call;
    stub_->async()->Echo(&c.context, &c.request, &c.response,
                         [this, call = std::move(call)](const grpc::Status& status) { ended_(call, status); });
  }

 private:
  const std::unique_ptr<v1::Echo::Stub> stub_;
  const CallEnded ended_;
};

class Reactor final : public grpc::ClientUnaryReactor {
 public:
  Reactor(std::shared_ptr<Call> call, const CallEnded& ended) : call_(std::move(call)), ended_(ended) {}
  void OnDone(const grpc::Status& status) override {
    const std::unique_ptr<Reactor> self(this);
    ended_(call_, status);
  }

 private:
  const std::shared_ptr<Call> call_;
  const CallEnded& ended_;
};

class ReactorCaller final : public Caller {
 public:
  ReactorCaller(const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended)
      : stub_(v1::Echo::NewStub(channel)), ended_(std::move(ended)) {}

  void Start(std::shared_ptr<Call> call) override {
    Call& c = *call;
    auto* reactor = new Reactor(std::move(call), ended_);  // deletes itself in OnDone
    stub_->async()->Echo(&c.context, &c.request, &c.response, reactor);
    reactor->StartCall();
  }

 private:
  const std::unique_ptr<v1::Echo::Stub> stub_;
  const CallEnded ended_;
};

}  // namespace

std::unique_ptr<Caller> MakeCallbackCaller(Api api, const std::shared_ptr<grpc::ChannelInterface>& channel, CallEnded ended) {
  if (api == Api::kReactor) return std::make_unique<ReactorCaller>(channel, std::move(ended));
  return std::make_unique<FunctionCaller>(channel, std::move(ended));
}

}  // namespace recloser::demo
