// What a server stream costs: on a bare channel, through Recloser, and relayed because it may be retried. Run with
// --benchmark_enable_random_interleaving --benchmark_repetitions=15; a message costs a 999th of the difference between 1000 messages and 1.
#include <benchmark/benchmark.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <utility>

#include "recloser/demo/v1/echo.grpc.pb.h"
#include "recloser/recloser.h"

namespace recloser {
namespace {

using demo::v1::Echo;
using demo::v1::EchoRequest;
using demo::v1::EchoResponse;

/// Sends as many messages as the request has bytes.
class Service final : private Echo::Service {
 public:
  Service() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  grpc::Status ServerStream(grpc::ServerContext*, const EchoRequest* request, grpc::ServerWriter<EchoResponse>* writer) override {
    EchoResponse response;
    response.set_payload(std::string(100, 'x'));
    for (std::size_t i = 0; i < request->payload().size(); ++i) writer->Write(response);
    return grpc::Status::OK;
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

const Service& TheService() {
  static const auto* const service = new Service;
  return *service;
}

void ReadStreams(benchmark::State& state, const std::shared_ptr<grpc::ChannelInterface>& channel) {
  const auto stub = Echo::NewStub(channel);
  EchoRequest request;
  request.set_payload(std::string(static_cast<std::size_t>(state.range(0)), 'x'));
  EchoResponse response;
  for (auto _ : state) {
    grpc::ClientContext context;
    const auto reader = stub->ServerStream(&context, request);
    int messages = 0;
    while (reader->Read(&response)) ++messages;
    if (!reader->Finish().ok() || messages != state.range(0)) return state.SkipWithError("the stream failed");
  }
}

std::shared_ptr<grpc::ChannelInterface> Connect(bool relayed) {
  Policies policies = Policies::Defaults();
  policies.defaults.retry.mode = RetryMode::kAlways;
  policies.defaults.retry.retry_server_streams = relayed;
  return CreateChannel(TheService().target(), grpc::InsecureChannelCredentials(), policies);
}

void Bare(benchmark::State& state) { ReadStreams(state, grpc::CreateChannel(TheService().target(), grpc::InsecureChannelCredentials())); }
void Native(benchmark::State& state) { ReadStreams(state, Connect(/*relayed=*/false)); }
void Relayed(benchmark::State& state) { ReadStreams(state, Connect(/*relayed=*/true)); }

BENCHMARK(Bare)->Arg(1)->Arg(1000)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(Native)->Arg(1)->Arg(1000)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(Relayed)->Arg(1)->Arg(1000)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace recloser
