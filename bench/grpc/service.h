// The service that all arms call, in this process: one thread on one completion queue, which is the cheapest and steadiest that gRPC has.
#ifndef RECLOSER_BENCH_GRPC_SERVICE_H_
#define RECLOSER_BENCH_GRPC_SERVICE_H_

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <thread>

#include "cell.h"
#include "demo_services/common/scratch_directory.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::bench {

/// Echoes the payload. A request with `code` UNAVAILABLE fails, with a pushback of 0 ms, unless its metadata say that it is a retry.
class Service {
 public:
  Service();
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// False when it can't listen.
  bool running() const { return server_ != nullptr; }
  /// For CreateChannel; not for kInProcess.
  std::string target(Transport transport) const;
  grpc::Server& server() { return *server_; }

 private:
  class PendingCall;
  void Serve();

  const demo::ScratchDirectory directory_{"recloser-bench"};
  int port_ = 0;
  demo::v1::Echo::WithAsyncMethod_Echo<demo::v1::Echo::Service> echo_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  std::thread thread_;
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_SERVICE_H_
