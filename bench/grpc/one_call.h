// One call's objects and its stopwatch, common to all forms.
#ifndef RECLOSER_BENCH_GRPC_ONE_CALL_H_
#define RECLOSER_BENCH_GRPC_ONE_CALL_H_

#include <grpcpp/client_context.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "callers.h"

namespace recloser::bench {

struct OneCall {
  std::optional<grpc::ClientContext> context;
  demo::v1::EchoResponse response;
  grpc::Status status;
  std::chrono::steady_clock::time_point started;

  void Begin(const Work& work) {
    started = std::chrono::steady_clock::now();
    context.emplace();
    if (work.with_deadline) context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  }

  void End(const Work& work, Calls* calls) {
    calls->latencies_ns.push_back((std::chrono::steady_clock::now() - started).count());
    if (!status.ok() || response.payload() != work.request.payload()) {
      ++calls->failed;
      calls->last_failure = status;
    }
    context.reset();
  }
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_ONE_CALL_H_
