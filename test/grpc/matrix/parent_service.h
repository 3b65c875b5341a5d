// A service whose calls are the parents of others.
#ifndef RECLOSER_TEST_GRPC_MATRIX_PARENT_SERVICE_H_
#define RECLOSER_TEST_GRPC_MATRIX_PARENT_SERVICE_H_

#include <functional>
#include <memory>
#include <mutex>

#include "fixture.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::testing::matrix {

class ParentService final : private demo::v1::Echo::Service {
 public:
  ParentService();
  ~ParentService() override;

  /// Makes a call of this service that lasts as long as `serve` and has `deadline`, or a later one where the call would not reach its
  /// service before; `meanwhile` runs beside it, in the client. Waits for the end of all three. One at a time.
  void Serve(milliseconds deadline, std::function<void(const grpc::ServerContext&)> serve,
             const std::function<void(grpc::ClientContext&)>& meanwhile);
  /// The call has reached the service.
  bool serving() const;

 private:
  /// False when the call ended before it reached the service.
  bool Called(milliseconds deadline, const std::function<void(grpc::ClientContext&)>& meanwhile);

  grpc::Status Echo(grpc::ServerContext* context, const demo::v1::EchoRequest*, demo::v1::EchoResponse*) override;

  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<demo::v1::Echo::Stub> stub_;
  mutable std::mutex mutex_;
  std::function<void(const grpc::ServerContext&)> serve_;  // empty when it has been taken
  bool serving_ = false;
  bool served_ = false;
};

}  // namespace recloser::testing::matrix

#endif  // RECLOSER_TEST_GRPC_MATRIX_PARENT_SERVICE_H_
