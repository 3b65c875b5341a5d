// An existing client whose code names grpc::Channel, protected by changing the line that makes the channel. What is lost against
// protected_client.cc: a deadline of the policies reaches the server as a cancellation.
//
//   protected_grpc_channel_client 127.0.0.1:50051
#include <grpcpp/grpcpp.h>
#include <recloser/recloser.h>

#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "recloser/demo/v1/echo.grpc.pb.h"

namespace {

using recloser::demo::v1::Echo;
using recloser::demo::v1::EchoRequest;
using recloser::demo::v1::EchoResponse;

/// A client of the kind that many code bases have: it keeps the channel and uses what only a grpc::Channel has.
class EchoClient {
 public:
  explicit EchoClient(std::shared_ptr<grpc::Channel> channel) : channel_(std::move(channel)), stub_(Echo::NewStub(channel_)) {}

  std::string LoadBalancingPolicy() const { return channel_->GetLoadBalancingPolicyName(); }

  grpc::Status CallSync(EchoResponse* response) {
    grpc::ClientContext context;
    return stub_->Echo(&context, request_, response);
  }

  grpc::Status CallWithCallback(EchoResponse* response) {
    grpc::ClientContext context;
    std::promise<grpc::Status> done;
    stub_->async()->Echo(&context, &request_, response, [&done](const grpc::Status& status) { done.set_value(status); });
    return done.get_future().get();
  }

  grpc::Status CallOnQueue(EchoResponse* response) {
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    grpc::Status status;
    const auto call = stub_->AsyncEcho(&context, request_, &queue);
    call->Finish(response, &status, &status);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return status;
  }

 private:
  static EchoRequest Hello() {
    EchoRequest request;
    request.set_payload("hello");
    return request;
  }

  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<Echo::Stub> stub_;
  const EchoRequest request_ = Hello();
};

bool Try(const char* style, grpc::Status (EchoClient::*call)(EchoResponse*), EchoClient& client) {
  EchoResponse response;
  const grpc::Status status = (client.*call)(&response);
  std::cout << style << ": " << (status.ok() ? response.payload() : status.error_message()) << '\n';
  return status.ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: protected_grpc_channel_client TARGET\n";
    return 2;
  }
  // before: auto channel = grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials());
  auto channel = recloser::CreateInterceptedChannel(argv[1], grpc::InsecureChannelCredentials(), recloser::Policies::Defaults());
  EchoClient client(channel);

  bool ok = Try("sync", &EchoClient::CallSync, client);
  ok = Try("callback", &EchoClient::CallWithCallback, client) && ok;
  ok = Try("queue", &EchoClient::CallOnQueue, client) && ok;
  std::cout << "load balancing: " << client.LoadBalancingPolicy() << '\n';
  return ok ? 0 : 1;
}
