// An existing client, sync, callback and completion queue, protected by changing the line that makes its channel. Its stubs take a
// grpc::ChannelInterface, as every generated NewStub does; code that names grpc::Channel: protected_grpc_channel_client.cc.
//
//   protected_client 127.0.0.1:50051
#include <grpcpp/grpcpp.h>
#include <recloser/recloser.h>

#include <future>
#include <iostream>

#include "recloser/demo/v1/echo.grpc.pb.h"

namespace {

using recloser::demo::v1::Echo;
using recloser::demo::v1::EchoRequest;
using recloser::demo::v1::EchoResponse;

grpc::Status CallSync(Echo::Stub& stub, const EchoRequest& request, EchoResponse* response) {
  grpc::ClientContext context;
  return stub.Echo(&context, request, response);
}

grpc::Status CallWithCallback(Echo::Stub& stub, const EchoRequest& request, EchoResponse* response) {
  grpc::ClientContext context;
  std::promise<grpc::Status> done;
  stub.async()->Echo(&context, &request, response, [&done](const grpc::Status& status) { done.set_value(status); });
  return done.get_future().get();
}

grpc::Status CallOnQueue(Echo::Stub& stub, const EchoRequest& request, EchoResponse* response) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::Status status;
  const auto call = stub.AsyncEcho(&context, request, &queue);
  call->Finish(response, &status, &status);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status;
}

using Call = grpc::Status (*)(Echo::Stub&, const EchoRequest&, EchoResponse*);

bool Try(const char* style, Call call, Echo::Stub& stub) {
  EchoRequest request;
  EchoResponse response;
  request.set_payload("hello");
  const grpc::Status status = call(stub, request, &response);
  std::cout << style << ": " << (status.ok() ? response.payload() : status.error_message()) << '\n';
  return status.ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: protected_client TARGET\n";
    return 2;
  }
  // before: auto channel = grpc::CreateChannel(argv[1], grpc::InsecureChannelCredentials());
  auto channel = recloser::CreateChannel(argv[1], grpc::InsecureChannelCredentials(), recloser::Policies::Defaults());
  const auto stub = Echo::NewStub(channel);

  bool ok = Try("sync", CallSync, *stub);
  ok = Try("callback", CallWithCallback, *stub) && ok;
  ok = Try("queue", CallOnQueue, *stub) && ok;
  return ok ? 0 : 1;
}
