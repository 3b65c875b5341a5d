// A program of somebody else on recloser::grpc and recloser::prometheus: a call to nobody fails, one through a breaker that is forced open
// is rejected, and both are among the metrics.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <recloser/prometheus/exporter.h>
#include <recloser/recloser.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace {

/// True when the breaker rejected the call.
bool CallRejected(grpc::GenericStub* stub, grpc::StatusCode* code) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  grpc::CompletionQueue queue;
  const auto call = stub->PrepareUnaryCall(&context, "/orders.Orders/Get", grpc::ByteBuffer(), &queue);
  call->StartCall();
  grpc::ByteBuffer response;
  grpc::Status status;
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  *code = status.error_code();
  return recloser::GetRejection(context).has_value();
}

}  // namespace

int main() {
  const std::string target = "127.0.0.1:1";  // nobody listens on port 1
  const auto exporter = recloser::PrometheusExporter::Create(recloser::Registry::Global(), &recloser::Now);
  grpc::GenericStub stub(recloser::CreateChannel(target, grpc::InsecureChannelCredentials(), recloser::Policies::Defaults()));

  grpc::StatusCode code = grpc::StatusCode::OK;
  const bool rejected_at_first = CallRejected(&stub, &code);
  const auto breaker = recloser::Registry::Global()->Find(target, "orders.Orders/Get");
  if (code != grpc::StatusCode::UNAVAILABLE || rejected_at_first || breaker == nullptr) {
    std::fprintf(stderr, "a call to nobody ended with code %d\n", code);
    return 1;
  }
  breaker->ForceOpen(recloser::Now());
  if (!CallRejected(&stub, &code)) {
    std::fprintf(stderr, "the breaker did not reject\n");
    return 1;
  }

  const auto families = exporter->Collect();
  const bool counted = std::any_of(families.begin(), families.end(), [](const prometheus::MetricFamily& family) {
    return family.name.rfind("recloser_", 0) == 0 && !family.metric.empty();
  });
  std::printf("rejected, and %s\n", counted ? "counted" : "not counted");
  return counted ? 0 : 1;
}
