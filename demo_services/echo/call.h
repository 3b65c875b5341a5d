// What all calls of the echo service share: they are counted, pass the gate, and end once.
#ifndef RECLOSER_DEMO_SERVICES_ECHO_CALL_H_
#define RECLOSER_DEMO_SERVICES_ECHO_CALL_H_

#include <grpcpp/server_context.h>

#include <memory>

#include "demo_services/echo/reply.h"
#include "demo_services/echo/service.h"
#include "demo_services/server/held_call.h"

namespace recloser::demo {

template <class Reactor>
class EchoCall : public HeldReactor<Reactor> {
 public:
  EchoCall(const EchoBackend& backend, EchoMethod method, grpc::CallbackServerContext* context)
      : HeldReactor<Reactor>(backend.scheduler), backend_(backend), method_(method), context_(context) {}

 protected:
  /// The call has passed the gate.
  virtual void Admitted() = 0;

  /// Answers and counts. Touch nothing of the call after it.
  void End(const grpc::Status& status) {
    const bool left = this->client_has_left() || context_->IsCancelled();
    const CallResult result = left ? CallResult::kCancelled : status.ok() ? CallResult::kOk : CallResult::kFailed;
    // Before the answer: who sees it also finds it counted.
    if (ticket_ != nullptr) backend_.gate->Leave(ticket_, result);
    backend_.stats->Ended(method_, result);
    this->Finish(status);
  }
  /// The same, with the trailers that `request` asks for.
  void EndAs(const v1::EchoRequest& request, const grpc::Status& status) {
    AddTrailers(request, status, context_);
    End(status);
  }
  void ClientLeft() final { End(grpc::Status::CANCELLED); }

  /// Sends the headers that `request` asks for, now if it wants them first.
  void Headers(const v1::EchoRequest& request) {
    AddHeaders(request, context_);
    if (request.headers_first()) this->StartSendInitialMetadata();
  }

  const EchoBackend& backend() const { return backend_; }
  grpc::CallbackServerContext& context() { return *context_; }
  const v1::EchoResponse& seen() const { return seen_; }

 private:
  void Begin() final {
    const std::uint32_t previous_attempts = PreviousAttempts(*context_);
    seen_ = DescribeCall(*context_, backend_.stats->Arrived(method_, previous_attempts > 0));
    if (backend_.gate == nullptr) return Admitted();
    ticket_ = backend_.gate->Arrive();
    this->HoldUntilWoken([this] { gate_status_.ok() ? Admitted() : End(gate_status_); });
    auto self = std::static_pointer_cast<EchoCall>(this->shared_from_this());
    backend_.gate->Await(ticket_, [self](const grpc::Status& status) {
      self->gate_status_ = status;
      self->Wake();
    });
  }

  const EchoBackend backend_;
  const EchoMethod method_;
  grpc::CallbackServerContext* const context_;
  v1::EchoResponse seen_;
  std::shared_ptr<CallGate::Ticket> ticket_;
  grpc::Status gate_status_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_ECHO_CALL_H_
