// The echo service of echo.proto on gRPC's callback API: a call that waits costs no thread.
//
//   Scheduler scheduler;
//   EchoStats stats;
//   EchoService service({&scheduler, &stats});
//
// The service is registered with one grpc::Server; what is to outlive that lies in `EchoBackend`. Thread safety: gRPC's.
#ifndef RECLOSER_DEMO_SERVICES_ECHO_SERVICE_H_
#define RECLOSER_DEMO_SERVICES_ECHO_SERVICE_H_

#include "demo_services/echo/call_gate.h"
#include "demo_services/echo/stats.h"
#include "demo_services/server/scheduler.h"
#include "recloser/demo/v1/echo.grpc.pb.h"

namespace recloser::demo {

/// What an echo service works with; all of it outlives the service's calls.
struct EchoBackend {
  Scheduler* scheduler = nullptr;
  EchoStats* stats = nullptr;
  /// Null: every call goes on at once.
  CallGate* gate = nullptr;
};

class EchoService final : public v1::Echo::CallbackService {
 public:
  explicit EchoService(EchoBackend backend) : backend_(backend) {}

  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext* context, const v1::EchoRequest* request, v1::EchoResponse* response) override;
  grpc::ServerUnaryReactor* Increment(grpc::CallbackServerContext* context, const v1::EchoRequest* request,
                                      v1::EchoResponse* response) override;
  grpc::ServerWriteReactor<v1::EchoResponse>* ServerStream(grpc::CallbackServerContext* context, const v1::EchoRequest* request) override;
  grpc::ServerReadReactor<v1::EchoRequest>* ClientStream(grpc::CallbackServerContext* context, v1::EchoResponse* response) override;
  grpc::ServerBidiReactor<v1::EchoRequest, v1::EchoResponse>* BidiStream(grpc::CallbackServerContext* context) override;
  /// Not counted and not gated.
  grpc::ServerUnaryReactor* Stats(grpc::CallbackServerContext* context, const v1::StatsRequest* request,
                                  v1::StatsResponse* response) override;

 private:
  const EchoBackend backend_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_ECHO_SERVICE_H_
