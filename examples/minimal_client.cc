// The smallest protected client: one call, with a deadline, retries and a circuit breaker.
//
//   recloser-echo-server --listen 127.0.0.1:50051     # a service to call
//   minimal_client 127.0.0.1:50051
#include <grpcpp/grpcpp.h>
#include <recloser/recloser.h>

#include <chrono>
#include <iostream>

#include "recloser/demo/v1/echo.grpc.pb.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: minimal_client TARGET\n";
    return 2;
  }
  recloser::Policies policies = recloser::Policies::Defaults();
  policies.defaults.deadline = std::chrono::seconds(1);
  auto channel = recloser::CreateChannel(argv[1], grpc::InsecureChannelCredentials(), policies);
  auto stub = recloser::demo::v1::Echo::NewStub(channel);

  grpc::ClientContext context;
  recloser::demo::v1::EchoRequest request;
  recloser::demo::v1::EchoResponse response;
  request.set_payload("hello");
  const grpc::Status status = stub->Echo(&context, request, &response);
  if (!status.ok()) {
    std::cerr << "failed: " << status.error_message() << '\n';
    return 1;
  }
  std::cout << response.payload() << ", after " << recloser::GetAttempts(context) << " attempt(s)\n";
  return 0;
}
