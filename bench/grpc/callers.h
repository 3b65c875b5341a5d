// Makes calls in one of gRPC's API forms, several at a time, and notes how long each took.
#ifndef RECLOSER_BENCH_GRPC_CALLERS_H_
#define RECLOSER_BENCH_GRPC_CALLERS_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "cell.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::bench {

struct Work {
  demo::v1::Echo::Stub* stub = nullptr;
  demo::v1::EchoRequest request;
  int calls = 0;
  int concurrency = 1;
  bool with_deadline = false;
};

struct Calls {
  std::vector<std::int64_t> latencies_ns;
  int failed = 0;  // not OK, or the wrong payload
  grpc::Status last_failure;
};

/// Threads and queues live as long as the object. Thread safety: none.
class Caller {
 public:
  virtual ~Caller() = default;
  /// Returns when all calls have ended.
  virtual Calls Make(const Work& work) = 0;
};

std::unique_ptr<Caller> MakeCaller(Form form);

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_CALLERS_H_
