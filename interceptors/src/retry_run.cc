#include "retry_run.h"

#include <google/protobuf/message_lite.h>

#include <utility>

#include "recloser/channel.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

void RetryRun::Begin(const Action& action) {
  Runtime::Get().Post([self = shared_from_this(), action] { self->Act(action); });
}

void RetryRun::Cancel() {
  Runtime::Get().Post([self = shared_from_this()] { self->OnCancelled(); });
}

void RetryRun::Act(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kSend:
      return Send(action);
    case Action::Kind::kWait:
      return Wait(action.wake);
    case Action::Kind::kCancel:
      return Deliver(CancelledDelivery());
    case Action::Kind::kNone:
      return;
    case Action::Kind::kReject:  // there never was an attempt
      return Deliver(RejectionDelivery(*call_->session().method().breaker, action.rejection));
    case Action::Kind::kDeliver:
      if (has_result_) return Deliver(std::move(result_));
      return std::exchange(call_, nullptr)->DeliverNative();
  }
}

void RetryRun::Wait(Time wake) {
  wait_ = Runtime::Get().WaitUntil(wake, [self = shared_from_this()](bool) {
    self->wait_ = nullptr;
    ClientCall* const call = self->call_;
    if (call == nullptr) return;
    self->Act(call->cancelled() ? call->session().OnCancelled(Now()) : call->session().OnTimer(Now()));
  });
  if (call_->cancelled()) wait_->Cancel();
}

void RetryRun::Send(const Action& action) {
  const int number = call_->session().attempts();
  attempt_ = std::make_unique<ReissuedAttempt>(call_->binding().inner_channel(), call_->method_name(),
                                               [self = shared_from_this()] { self->OnAttemptEnded(); });
  CopySettings(call_->context(), call_->callers_metadata(), number, attempt_->context());
  if (action.deadline != kInfiniteFuture) attempt_->context().set_deadline(TimeLeft(action.deadline, Now()));
  grpc::ByteBuffer request;
  const grpc::Status serialized = call_->Request(&request);
  if (call_->cancelled() || !serialized.ok()) attempt_->Cancel();
  attempt_->Start(request);
}

void RetryRun::OnAttemptEnded() {
  const std::shared_ptr<RetryRun> keep = shared_from_this();
  std::unique_ptr<ReissuedAttempt> attempt = std::move(attempt_);
  const grpc::Status& status = attempt->status();
  const ReceivedMetadata& trailers = attempt->context().GetServerTrailingMetadata();

  EndedAttempt ended(status, trailers);
  AttemptResult& result = ended.result;
  result.has_response = attempt->response().Valid();
  result.cancelled_by_caller = status.error_code() == grpc::StatusCode::CANCELLED && (call_->cancelled() || HasParent(call_->context()));
  std::unique_ptr<google::protobuf::MessageLite> response;
  if (status.ok() && call_->session().method().policy.has_outcome_hook()) response = call_->ParseForHook(attempt->response());
  result.response = response.get();

  has_result_ = true;
  result_ = {status, Copy(attempt->context().GetServerInitialMetadata()), Copy(trailers), std::nullopt};
  if (status.ok() && attempt->response().Valid()) result_.response = attempt->response();
  // A relayed call's first attempt may be what made the channel resolve its service config.
  if (!status.ok() && call_->binding().core_retries(call_->session().method().id)) call_->session().ForbidRetries(RetrySuppressed::kNested);
  const Action action = call_->session().OnAttemptFinished(Now(), result);
  attempt.reset();  // gRPC wants the inner call gone before the outer one completes
  Act(action);
}

void RetryRun::OnCancelled() {
  if (call_ == nullptr) return;
  if (attempt_ != nullptr) return attempt_->Cancel();
  if (wait_ != nullptr) wait_->Cancel();
}

void RetryRun::Deliver(Delivery delivery) {
  NoteAttempts(call_->session().attempts(), &delivery);
  std::exchange(call_, nullptr)->Deliver(std::move(delivery));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
