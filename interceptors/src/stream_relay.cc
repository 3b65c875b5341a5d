#include "stream_relay.h"

#include <algorithm>
#include <utility>

#include "recloser/channel.h"
#include "response_slot.h"
#include "runtime.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

StreamRelay::StreamRelay(ChannelBinding& binding, grpc::experimental::ClientRpcInfo& info, CallSetup setup)
    : method_name_(info.method()),
      created_(setup.created),
      callers_deadline_(setup.callers_deadline),
      has_parent_(HasParent(*info.client_context())),
      binding_(binding),
      context_(*info.client_context()) {
  session_.emplace(std::move(setup.method), setup.overrides, binding.NextSeed());
}

Action StreamRelay::Start() { return session_->Start(created_, callers_deadline_); }

void StreamRelay::Begin(Batch* batch, const Action& action) {
  request_ = *batch->GetSerializedSendMessage();
  metadata_ = *batch->GetSendInitialMetadata();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancelled_ = cancelled_ || access::Member(access::CancelledEarly{}, context_);
  }
  action.kind == Action::Kind::kWait ? Wait(action.wake) : Send(action);
}

void StreamRelay::Hold(Batch* batch) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.push_back(batch);
  }
  Pump();
}

void StreamRelay::Cancel() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancelled_ = true;
  }
  // Not here: this is under the lock of the application's context.
  Runtime::Get().Post([self = shared_from_this()] { self->OnCancelled(); });
}

void StreamRelay::Abandon() {
  {
    const std::lock_guard<std::mutex> lock(session_mutex_);
    session_.reset();
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    abandoned_ = true;  // also for an attempt that is just being made
    if (attempt_ == nullptr && backoff_ == nullptr) return;
  }
  Runtime::Get().Post([self = shared_from_this()] { self->OnCancelled(); });
}

void StreamRelay::Act(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kSend:
      return Send(action);
    case Action::Kind::kWait:
      return Wait(action.wake);
    case Action::Kind::kCancel:
      return End(CancelledDelivery());
    case Action::Kind::kReject: {  // there never was an attempt
      std::optional<Delivery> rejection;
      {
        const std::lock_guard<std::mutex> lock(session_mutex_);
        if (!session_) return;
        rejection = RejectionDelivery(*session_->method().breaker, action.rejection);
      }
      return End(*std::move(rejection));
    }
    case Action::Kind::kDeliver:
      return End(std::move(last_result_));
    case Action::Kind::kNone:
      return;
  }
}

void StreamRelay::Wait(Time wake) {
  std::shared_ptr<class Wait> wait;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    backoff_ = Runtime::Get().WaitUntil(wake, [self = shared_from_this()](bool) { self->OnWaited(); });
    if (cancelled_ || abandoned_) wait = backoff_;
  }
  if (wait != nullptr) wait->Cancel();
}

void StreamRelay::OnWaited() {
  bool cancelled = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    backoff_ = nullptr;
    cancelled = cancelled_;
  }
  Action action;
  {
    const std::lock_guard<std::mutex> lock(session_mutex_);
    if (!session_) return;
    action = cancelled ? session_->OnCancelled(Now()) : session_->OnTimer(Now());
  }
  Act(action);
}

void StreamRelay::Send(const Action& action) {
  auto made = std::make_unique<StreamAttempt>(static_cast<StreamAttempt::Owner&>(*this), method_name_);
  StreamAttempt& attempt = *made;
  std::shared_ptr<StreamIdleWatch> idle;
  int number = 0;
  {
    const std::lock_guard<std::mutex> lock(session_mutex_);
    if (!session_) return;
    number = session_->attempts();
    CopySettings(context_, metadata_, number, attempt.context());
    const Time now = Now();
    if (session_->deadline() != kInfiniteFuture) attempt.context().set_deadline(TimeLeft(session_->deadline(), now));
    attempt.Prepare(*binding_.inner_channel(), request_);
    if (const auto timeout = session_->method().policy.stream_idle_timeout) {
      idle = StreamIdleWatch::Start(attempt.context().c_call(), *timeout);
      idle->Await(now);
    }
  }
  bool cancelled = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    attempt_ = std::move(made);
    keep_ = shared_from_this();
    idle_ = std::move(idle);
    attempt_number_ = number;
    operations_ = 1;
    started_ = reading_ = no_more_messages_ = finishing_ = finished_ = false;
    if (action.deadline_is_attempt_timeout) {
      first_message_timeout_ = Runtime::Get().WaitUntil(action.deadline, [self = shared_from_this(), number](bool due) {
        if (due) self->OnFirstMessageLate(number);
      });
    }
    cancelled = cancelled_ || abandoned_;
  }
  if (cancelled) attempt.Cancel();
  attempt.Start();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    started_ = true;
  }
  Pump();
}

void StreamRelay::OnStarted() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --operations_;
  }
  OnOperationDone();
}

void StreamRelay::OnRead(bool ok) {
  bool first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --operations_;
    reading_ = false;
    if (idle_ != nullptr) idle_->Rest();
    if (ok) message_.emplace().Swap(&attempt_->message());
    no_more_messages_ = !ok;
    first = ok && phase_ == Phase::kDeciding;
  }
  if (first) OnFirstMessage();
  Pump();
  OnOperationDone();
}

void StreamRelay::OnFinished() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --operations_;
    finished_ = true;
  }
  OnOperationDone();
}

void StreamRelay::OnFirstMessage() {
  {
    const std::lock_guard<std::mutex> lock(session_mutex_);
    if (session_) session_->OnStreamMessage(Now());
  }
  OwnedMetadata headers = Copy(attempt_->context().GetServerInitialMetadata());
  std::shared_ptr<class Wait> timeout;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    delivery_.initial = std::move(headers);
    phase_ = Phase::kFlowing;
    timeout = std::move(first_message_timeout_);
  }
  if (timeout != nullptr) timeout->Cancel();
}

void StreamRelay::OnFirstMessageLate(int attempt) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (attempt_ == nullptr || attempt_number_ != attempt || phase_ != Phase::kDeciding) return;
  }
  attempt_->TimeOut();
}

void StreamRelay::OnOperationDone() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!finished_ || operations_ > 0) return;
  }
  OnAttemptEnded();
}

void StreamRelay::OnAttemptEnded() {
  std::unique_ptr<StreamAttempt> attempt;
  std::shared_ptr<StreamRelay> keep;
  std::shared_ptr<StreamIdleWatch> idle;
  std::shared_ptr<class Wait> timeout;
  bool cancelled = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    attempt = std::move(attempt_);
    keep = std::move(keep_);
    idle = std::move(idle_);
    timeout = std::move(first_message_timeout_);
    finished_ = false;
    cancelled = cancelled_;
  }
  if (idle != nullptr) idle->Stop();
  if (timeout != nullptr) timeout->Cancel();

  const grpc::Status& status = attempt->status();
  const ReceivedMetadata& trailers = attempt->context().GetServerTrailingMetadata();
  EndedAttempt ended(status, trailers);
  AttemptResult& result = ended.result;
  result.cancelled_by_caller = status.error_code() == grpc::StatusCode::CANCELLED && (cancelled || has_parent_);
  result.stream_idle = status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED && idle != nullptr && idle->fired();
  Action action;
  {
    const std::lock_guard<std::mutex> lock(session_mutex_);
    if (!session_) return;
    // The first attempt may be what made the channel resolve its service config.
    if (!status.ok() && binding_.core_retries(session_->method().id)) session_->ForbidRetries(RetrySuppressed::kNested);
    action = session_->OnAttemptFinished(Now(), result);
  }
  last_result_ = {result.stream_idle ? idle->status() : status, Copy(attempt->context().GetServerInitialMetadata()), Copy(trailers),
                  std::nullopt};
  attempt.reset();  // gRPC wants the inner call gone before the outer one completes
  Act(action);
}

void StreamRelay::OnCancelled() {
  std::shared_ptr<class Wait> wait;
  StreamAttempt* attempt = nullptr;  // ended on this thread only; another one may just be beginning the first
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    wait = backoff_;
    attempt = attempt_.get();
  }
  if (attempt != nullptr) attempt->Cancel();
  if (wait != nullptr) wait->Cancel();
  Pump();
}

void StreamRelay::End(Delivery delivery) {
  int attempts = 0;
  {
    const std::lock_guard<std::mutex> lock(session_mutex_);
    if (session_) attempts = session_->attempts();
  }
  NoteAttempts(attempts, &delivery);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // The headers of a stream that flows may just be being delivered.
    if (phase_ == Phase::kDeciding) delivery_.initial = std::move(delivery.initial);
    delivery_.status = std::move(delivery.status);
    delivery_.trailing = std::move(delivery.trailing);
    phase_ = Phase::kEnded;
  }
  Pump();
}

void StreamRelay::Pump() {
  const std::shared_ptr<StreamRelay> keep = shared_from_this();  // the call may end with what is delivered here
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(pumping_, true)) return;
  }
  while (true) {
    Step step = Step::kNone;
    Batch* batch = nullptr;
    std::optional<grpc::ByteBuffer> message;
    StreamAttempt* attempt = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      batch = TakeReadyBatch();
      step = batch != nullptr ? Step::kDeliver : NextOperation();
      attempt = attempt_.get();
      if (batch != nullptr && batch->QueryInterceptionHookPoint(Hook::PRE_RECV_MESSAGE)) message = std::exchange(message_, std::nullopt);
      if (step == Step::kNone) pumping_ = false;
    }
    switch (step) {
      case Step::kNone:
        return;
      case Step::kDeliver:
        Deliver(batch, std::move(message));
        break;
      case Step::kRead:
        attempt->Read();
        break;
      case Step::kFinish:
        attempt->Finish();
        break;
    }
  }
}

StreamRelay::Step StreamRelay::NextOperation() {
  if (attempt_ == nullptr || !started_ || finished_) return Step::kNone;
  const bool flowing = phase_ == Phase::kFlowing;
  // The first message is read unasked: it decides.
  const bool asked = !flowing || IsWanted(Hook::PRE_RECV_MESSAGE);
  if (asked && !abandoned_ && !reading_ && !no_more_messages_ && !message_.has_value()) {
    reading_ = true;
    ++operations_;
    if (flowing && idle_ != nullptr) idle_->Await(Now());
    return Step::kRead;
  }
  const bool ends = no_more_messages_ || abandoned_ || (flowing && IsWanted(Hook::PRE_RECV_STATUS));
  if (!ends || finishing_) return Step::kNone;
  finishing_ = true;
  ++operations_;
  return Step::kFinish;
}

StreamRelay::Batch* StreamRelay::TakeReadyBatch() {
  // The status last: it may end the application's interest in everything else.
  auto found = held_.end();
  for (auto it = held_.begin(); it != held_.end(); ++it) {
    if (!IsReady(*it)) continue;
    found = it;
    if (!(*it)->QueryInterceptionHookPoint(Hook::PRE_RECV_STATUS)) break;
  }
  if (found == held_.end()) return nullptr;
  Batch* const batch = *found;
  held_.erase(found);
  return batch;
}

bool StreamRelay::IsReady(Batch* batch) const {
  if (phase_ == Phase::kDeciding) return false;
  if (phase_ == Phase::kEnded) return true;
  if (batch->QueryInterceptionHookPoint(Hook::PRE_RECV_STATUS)) return false;
  return !batch->QueryInterceptionHookPoint(Hook::PRE_RECV_MESSAGE) || message_.has_value() || no_more_messages_;
}

bool StreamRelay::IsWanted(Hook hook) const {
  return std::any_of(held_.begin(), held_.end(), [hook](Batch* batch) { return batch->QueryInterceptionHookPoint(hook); });
}

void StreamRelay::Deliver(Batch* batch, std::optional<grpc::ByteBuffer> message) {
  if (batch->QueryInterceptionHookPoint(Hook::PRE_RECV_INITIAL_METADATA)) Refer(delivery_.initial, *batch->GetRecvInitialMetadata());
  if (batch->QueryInterceptionHookPoint(Hook::PRE_RECV_MESSAGE)) {
    message.has_value() ? ResponseSlot::ReceiveBuffer(batch).Swap(&*message) : batch->FailHijackedRecvMessage();
  }
  if (batch->QueryInterceptionHookPoint(Hook::PRE_RECV_STATUS)) {
    *batch->GetRecvStatus() = delivery_.status;
    Refer(delivery_.trailing, *batch->GetRecvTrailingMetadata());
  }
  batch->Proceed();
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
