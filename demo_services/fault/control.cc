#include "demo_services/fault/control.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "demo_services/server/held_call.h"
#include "recloser/config/duration.h"
#include "recloser/core/validation.h"

namespace recloser::demo {
namespace {

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

grpc::Status BadArgument(const absl::Status& status) { return {grpc::StatusCode::INVALID_ARGUMENT, std::string(status.message())}; }

class WatchCall final : public HeldReactor<grpc::ServerWriteReactor<v1::FaultStatus>> {
 public:
  WatchCall(const FaultControlBackend& backend, const v1::WatchStatusRequest& request)
      : HeldReactor(backend.scheduler),
        backend_(backend),
        interval_(request.has_interval() ? FromProto(request.interval()) : std::chrono::seconds(1)) {}

 private:
  void Begin() override {
    Validator v("");
    v.InRange("interval", interval_, std::chrono::milliseconds(10), std::chrono::hours(1));
    if (!v.status().ok()) return Finish(BadArgument(v.status()));
    watcher_ = backend_.engine->Watch([weak = weak_from_this()] {
      const std::shared_ptr<HeldCall> call = weak.lock();
      if (call == nullptr) return;
      static_cast<WatchCall&>(*call).changed_ = true;
      call->Wake();
    });
    Write();
  }

  void Write() {
    changed_ = false;
    status_ = backend_.status();
    StartWrite(&status_);
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return ClientLeft();
    const std::shared_ptr<HeldCall> alive = shared_from_this();
    Hold(interval_, [this] { Write(); });
    // A change while the call was busy woke nobody.
    if (changed_) Wake();
  }

  void ClientLeft() override {
    backend_.engine->Unwatch(watcher_);
    Finish(grpc::Status::CANCELLED);
  }

  const FaultControlBackend backend_;
  const Duration interval_;
  v1::FaultStatus status_;
  std::uint64_t watcher_ = 0;
  std::atomic<bool> changed_{false};
};

}  // namespace

grpc::ServerUnaryReactor* FaultControlService::AnswerStatus(grpc::CallbackServerContext* context, v1::FaultStatus* response) {
  *response = backend_.status();
  return Answer(context, grpc::Status::OK);
}

grpc::ServerUnaryReactor* FaultControlService::SetPlan(grpc::CallbackServerContext* context, const v1::SetPlanRequest* request,
                                                       v1::FaultStatus* response) {
  if (const absl::Status status = backend_.engine->SetPlan(request->plan()); !status.ok()) return Answer(context, BadArgument(status));
  return AnswerStatus(context, response);
}

grpc::ServerUnaryReactor* FaultControlService::GetStatus(grpc::CallbackServerContext* context, const v1::GetStatusRequest*,
                                                         v1::FaultStatus* response) {
  return AnswerStatus(context, response);
}

grpc::ServerUnaryReactor* FaultControlService::Reset(grpc::CallbackServerContext* context, const v1::ResetRequest*,
                                                     v1::FaultStatus* response) {
  backend_.engine->Reset();
  return AnswerStatus(context, response);
}

grpc::ServerWriteReactor<v1::FaultStatus>* FaultControlService::WatchStatus(grpc::CallbackServerContext*,
                                                                            const v1::WatchStatusRequest* request) {
  return StartCall(std::make_shared<WatchCall>(backend_, *request));
}

}  // namespace recloser::demo
