// The control service of fault.proto. Thread safety: gRPC's.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_CONTROL_H_
#define RECLOSER_DEMO_SERVICES_FAULT_CONTROL_H_

#include <functional>

#include "demo_services/fault/engine.h"
#include "demo_services/server/scheduler.h"
#include "recloser/demo/v1/fault.grpc.pb.h"

namespace recloser::demo {

/// What the control service works with; outlives the service's calls.
struct FaultControlBackend {
  Scheduler* scheduler = nullptr;
  FaultEngine* engine = nullptr;
  /// The status of engine and port.
  std::function<v1::FaultStatus()> status;
};

class FaultControlService final : public v1::FaultControl::CallbackService {
 public:
  explicit FaultControlService(FaultControlBackend backend) : backend_(std::move(backend)) {}

  grpc::ServerUnaryReactor* SetPlan(grpc::CallbackServerContext* context, const v1::SetPlanRequest* request,
                                    v1::FaultStatus* response) override;
  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context, const v1::GetStatusRequest* request,
                                      v1::FaultStatus* response) override;
  grpc::ServerUnaryReactor* Reset(grpc::CallbackServerContext* context, const v1::ResetRequest* request,
                                  v1::FaultStatus* response) override;
  grpc::ServerWriteReactor<v1::FaultStatus>* WatchStatus(grpc::CallbackServerContext* context,
                                                         const v1::WatchStatusRequest* request) override;

 private:
  grpc::ServerUnaryReactor* AnswerStatus(grpc::CallbackServerContext* context, v1::FaultStatus* response);

  const FaultControlBackend backend_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_CONTROL_H_
