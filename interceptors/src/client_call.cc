#include "client_call.h"

#include <google/protobuf/message_lite.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "recloser/channel.h"
#include "recloser/rejection.h"
#include "response_slot.h"
#include "retry_run.h"
#include "stream_relay.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using google::protobuf::MessageLite;
using grpc::experimental::ClientRpcInfo;

}  // namespace

ClientCall::ClientCall(ChannelBinding& binding, ClientRpcInfo& info, CallSetup setup)
    : binding_(binding),
      info_(info),
      setup_(std::move(setup)),
      decorator_(std::move(setup_.decorator)),
      unary_(info.type() == ClientRpcInfo::Type::UNARY) {
  if (!setup_.method) return;
  session_.emplace(*setup_.method, setup_.overrides, binding_.NextSeed());
  if (unary_ && session_->may_retry() && session_->method().full_name.empty()) method_name_ = info.method();
}

ClientCall::~ClientCall() {
  DisarmAlarms();
  if (stream_ != nullptr) stream_->Abandon();
}

void ClientCall::Intercept(Batch* batch) {
  // A cancellation's batch aborts in every getter.
  if (batch->QueryInterceptionHookPoint(Hook::PRE_SEND_CANCEL)) return OnCancel();
  switch (path_) {
    case Path::kUndecided:
      // Only here: a hijacked queue stream names the hook again with each write (gRPC reuses the batch and does not reset it).
      return batch->QueryInterceptionHookPoint(Hook::PRE_SEND_INITIAL_METADATA) ? OnStart(batch) : batch->Proceed();
    case Path::kNative:
      return OnNativeResult(batch);
    case Path::kRelayed:
      return OnRelayedBatch(batch);
    case Path::kStreamRelayed:
      return Receives(batch) ? stream_->Hold(batch) : batch->Proceed();
    case Path::kRefused:
      return OnRefusedBatch(batch);
  }
}

void ClientCall::OnStart(Batch* batch) {
  if (!session_.has_value()) {
    const grpc::Status status(grpc::StatusCode::INVALID_ARGUMENT, absl::StrCat("recloser: ", binding_.policy_error().message()));
    return Refuse(batch, {status, {}, {}, std::nullopt});
  }
  if (!access::kPrivateMembers) RestrictToNative(batch);
  // An observer's own call on the thread that makes all retries: it may be waited for there.
  if (Runtime::IsCurrentThread()) session_->ForbidRetries(RetrySuppressed::kNested);
  if (!unary_ && session_->may_retry()) {
    const bool one_request = info_.type() == ClientRpcInfo::Type::SERVER_STREAMING;
    if (one_request && access::kPrivateMembers && Runtime::Get().usable()) return RelayStream(batch);
    // Other kinds get here where methods beyond a channel's number share one entry.
    one_request ? ForbidUnsupported() : session_->ForbidRetries(RetrySuppressed::kCommitted);
  }
  const bool one_batch = unary_ && batch->GetRecvMessage() != nullptr;
  const bool wants_relay = unary_ && session_->may_retry() && (!one_batch || session_->method().policy.retry.retry_rejections);
  const bool can_relay = wants_relay && ResponseSlot::CanRelay(batch) && Runtime::Get().usable();
  if (wants_relay && !can_relay) ForbidUnsupported();

  const Action action = session_->Start(setup_.created, setup_.callers_deadline);
  if (action.refused) binding_.NoteRefused();
  if (action.kind == Action::Kind::kReject) return Refuse(batch, RejectionDelivery(*session_->method().breaker, action.rejection));
  // A rejection that is to be retried waits before any attempt.
  if (can_relay && (!one_batch || action.kind == Action::Kind::kWait)) return Relay(batch, action);

  if (one_batch && session_->may_retry()) {
    response_ = batch->GetRecvMessage();
    KeepRequest(batch);
  }
  const bool own_deadline = !setup_.native_deadlines && action.deadline < setup_.callers_deadline;  // gRPC has the caller's itself
  const std::optional<Duration> idle_timeout = unary_ ? std::nullopt : session_->method().policy.stream_idle_timeout;
  if ((own_deadline || idle_timeout) && !Runtime::Get().usable()) {
    const grpc::Status status(grpc::StatusCode::FAILED_PRECONDITION,
                              "recloser: deadlines do not work in a forked child of a process that used them");
    return Refuse(batch, {status, {}, {}, std::nullopt});
  }
  if (own_deadline) ArmDeadline(action.deadline);
  if (idle_timeout) idle_ = StreamIdleWatch::Start(context().c_call(), *idle_timeout);
  path_ = Path::kNative;
  batch->Proceed();
}

void ClientCall::RestrictToNative(Batch* batch) {
  // Where the context can be read, the call's options were, when it was created.
  session_.emplace(*setup_.method, TakeCallOverrides(*batch->GetSendInitialMetadata()), binding_.NextSeed());
  if (unary_ && session_->may_retry()) ForbidUnsupported();
}

void ClientCall::Relay(Batch* batch, const Action& action) {
  request_ = *batch->GetSerializedSendMessage();
  metadata_snapshot_ = *batch->GetSendInitialMetadata();
  path_ = Path::kRelayed;
  const auto run = std::make_shared<RetryRun>(*this);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    run_ = run;
    cancelled_ = cancelled_ || access::Member(access::CancelledEarly{}, context());
  }
  batch->Hijack();  // synchronously: comes back with this batch's receiving half, which is then held
  run->Begin(action);
}

void ClientCall::RelayStream(Batch* batch) {
  session_.reset();
  const auto stream = std::make_shared<StreamRelay>(binding_, info_, std::move(setup_));
  const Action action = stream->Start();
  if (action.refused) binding_.NoteRefused();
  if (action.kind == Action::Kind::kReject) return Refuse(batch, RejectionDelivery(*stream->method().breaker, action.rejection));
  path_ = Path::kStreamRelayed;
  bool cancelled = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stream_ = stream;
    cancelled = cancelled_;
  }
  if (cancelled) stream->Cancel();
  stream->Begin(batch, action);
  // Last: from then on the application may end the call, this object with it.
  batch->Hijack();
}

void ClientCall::KeepRequest(Batch* batch) {
  // A blocking caller's message outlives its call and is serialized only for a retry. A queue's is serialized already (there is no object);
  // a callback's may be freed as soon as the call has begun, so its bytes are kept, by reference.
  if (!setup_.callback_api) blocking_request_ = batch->GetSendMessage();
  if (blocking_request_ == nullptr) request_ = *batch->GetSerializedSendMessage();
  if (binding_.others_behind()) metadata_snapshot_ = *batch->GetSendInitialMetadata();
}

void ClientCall::Refuse(Batch* batch, Delivery delivery) {
  path_ = Path::kRefused;
  delivery_ = std::move(delivery);
  batch->Hijack();
}

void ClientCall::OnRefusedBatch(Batch* batch) {
  // A stream's writes have to fail, or the application writes for ever. In a unary call (and a server stream's only message) that would
  // turn the tag's `ok` false, which gRPC itself never does there.
  const bool client_streams = info_.type() == ClientRpcInfo::Type::CLIENT_STREAMING || info_.type() == ClientRpcInfo::Type::BIDI_STREAMING;
  if (client_streams && batch->QueryInterceptionHookPoint(Hook::PRE_SEND_MESSAGE)) batch->FailHijackedSendMessage();
  Fill(batch);
  batch->Proceed();
}

bool ClientCall::Receives(Batch* batch) {
  return batch->QueryInterceptionHookPoint(Hook::PRE_RECV_INITIAL_METADATA) || batch->QueryInterceptionHookPoint(Hook::PRE_RECV_MESSAGE) ||
         batch->QueryInterceptionHookPoint(Hook::PRE_RECV_STATUS);
}

void ClientCall::OnRelayedBatch(Batch* batch) {
  const bool receives = Receives(batch);
  if (receives) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!delivered_) return relayed_batches_.push_back(batch);
  }
  if (receives) Fill(batch);
  batch->Proceed();
}

void ClientCall::OnNativeResult(Batch* batch) {
  if (idle_ != nullptr) WatchIdle(batch);
  if (batch->QueryInterceptionHookPoint(Hook::POST_RECV_MESSAGE) && batch->GetRecvMessage() != nullptr) {
    const auto lock = LockSession();
    response_received_ = true;
    if (!unary_ && !session_->finished()) session_->OnStreamMessage(Now());
  }
  if (batch->QueryInterceptionHookPoint(Hook::POST_RECV_STATUS)) return OnNativeStatus(batch);
  batch->Proceed();
}

void ClientCall::WatchIdle(Batch* batch) {
  if (batch->QueryInterceptionHookPoint(Hook::POST_RECV_MESSAGE)) return idle_->Rest();
  // A client stream asks for its response when gRPC's API does; what counts is when the service owes it.
  const bool asks = info_.type() == ClientRpcInfo::Type::CLIENT_STREAMING ? batch->QueryInterceptionHookPoint(Hook::PRE_SEND_CLOSE)
                                                                          : batch->GetRecvMessage() != nullptr;
  if (asks) idle_->Await(Now());
}

void ClientCall::OnNativeStatus(Batch* batch) {
  DisarmAlarms();
  const grpc::Status& status = *batch->GetRecvStatus();
  AttemptResult result;
  result.code = static_cast<absl::StatusCode>(status.error_code());
  const std::string message = status.error_message();  // a copy, which the view needs
  result.message = message;
  result.streaming = !unary_;
  result.stream_idle = result.code == absl::StatusCode::kDeadlineExceeded && idle_ != nullptr && idle_->fired();
  const bool hooked = session_->method().policy.has_outcome_hook();
  std::optional<TrailersView> view;
  if (!status.ok() || hooked) {
    const ReceivedMetadata& trailers = *batch->GetRecvTrailingMetadata();
    ReadTrailers(trailers, result);
    view.emplace(trailers);
    result.trailers = &*view;
  }
  if (hooked && unary_ && response_received_ && ResponseSlot::Of(batch).kind() == ResponseSlot::Kind::kProtobuf) {
    result.response = batch->GetRecvMessage();
  }
  if (!status.ok() && unary_ && session_->may_retry()) FindObstacles(batch);

  result.cancelled_by_caller = result.code == absl::StatusCode::kCancelled && (cancelled() || HasParent(context()));
  Action action;
  {
    const auto lock = LockSession();
    result.has_response = response_received_;
    action = session_->OnAttemptFinished(Now(), result);
  }
  if (action.kind == Action::Kind::kWait) return BeginRetries(batch, action);
  if (result.stream_idle) *batch->GetRecvStatus() = idle_->status();
  batch->Proceed();
}

void ClientCall::FindObstacles(Batch* batch) {
  const ResponseSlot::Kind kind = ResponseSlot::Of(batch).kind();
  response_is_protobuf_ = kind == ResponseSlot::Kind::kProtobuf;
  // A blocking request is known only as `void*`; gRPC's stubs use protobuf messages on both sides or on neither.
  const bool known = kind != ResponseSlot::Kind::kUnknown && (blocking_request_ == nullptr || response_is_protobuf_);
  if (response_ == nullptr || !known || !Runtime::Get().usable()) return ForbidUnsupported();
  if (binding_.core_retries(session_->method().id)) session_->ForbidRetries(RetrySuppressed::kNested);
}

void ClientCall::ForbidUnsupported() {
  session_->ForbidRetries(RetrySuppressed::kUnsupportedMessage);
  binding_.NoteUnsupportedMessage(session_->method().id);
}

void ClientCall::BeginRetries(Batch* batch, const Action& action) {
  native_batch_ = batch;
  auto run = std::make_shared<RetryRun>(*this);
  bool cancelled = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    run_ = run;
    cancelled = cancelled_;
  }
  run->Begin(action);
  if (cancelled) run->Cancel();
}

void ClientCall::OnCancel() {
  std::shared_ptr<RetryRun> run;
  std::shared_ptr<StreamRelay> stream;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancelled_ = true;
    run = run_;
    stream = stream_;
  }
  if (run != nullptr) run->Cancel();
  if (stream != nullptr) stream->Cancel();
}

bool ClientCall::cancelled() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return cancelled_;
}

grpc::Status ClientCall::Request(grpc::ByteBuffer* bytes) {
  if (blocking_request_ != nullptr) {
    bool own_buffer = false;
    const grpc::Status status =
        grpc::SerializationTraits<MessageLite>::Serialize(*static_cast<const MessageLite*>(blocking_request_), &request_, &own_buffer);
    if (!status.ok()) return status;
    blocking_request_ = nullptr;
  }
  *bytes = request_;
  return grpc::Status::OK;
}

const access::Metadata& ClientCall::callers_metadata() {
  return metadata_snapshot_.has_value() ? *metadata_snapshot_ : access::Member(access::SendInitialMetadata{}, context());
}

std::unique_ptr<MessageLite> ClientCall::ParseForHook(const grpc::ByteBuffer& bytes) const {
  if (!response_is_protobuf_) return nullptr;
  std::unique_ptr<MessageLite> message(static_cast<const MessageLite*>(response_)->New());
  grpc::ByteBuffer copy(bytes);
  if (!grpc::SerializationTraits<MessageLite>::Deserialize(&copy, message.get()).ok()) return nullptr;
  return message;
}

void ClientCall::Deliver(Delivery delivery) {
  delivery_ = std::move(delivery);
  if (native_batch_ != nullptr) {
    Fill(native_batch_);
    return native_batch_->Proceed();
  }
  // One at a time, also those that come meanwhile: the application gets its headers before its status, which ends this object's life.
  while (Batch* const batch = NextHeldBatch()) {
    const bool last = batch->QueryInterceptionHookPoint(Hook::PRE_RECV_STATUS);
    Fill(batch);
    batch->Proceed();
    if (last) return;
  }
}

ClientCall::Batch* ClientCall::NextHeldBatch() {
  const std::lock_guard<std::mutex> lock(mutex_);
  delivered_ = relayed_batches_.empty();
  if (delivered_) return nullptr;
  Batch* const batch = relayed_batches_.front();
  relayed_batches_.erase(relayed_batches_.begin());
  return batch;
}

void ClientCall::DeliverNative() { native_batch_->Proceed(); }

void ClientCall::Fill(Batch* batch) {
  // The held final pass of attempt 1 has all three; a hijacked batch has those that its hooks name.
  const bool native = batch == native_batch_;
  if (native || batch->QueryInterceptionHookPoint(Hook::PRE_RECV_INITIAL_METADATA))
    Refer(delivery_.initial, *batch->GetRecvInitialMetadata());
  if (native || batch->QueryInterceptionHookPoint(Hook::PRE_RECV_MESSAGE)) {
    if (delivery_.response.has_value()) {
      void* const message = native ? response_ : batch->GetRecvMessage();
      const grpc::Status stored = ResponseSlot::Of(batch).Store(*delivery_.response, message);
      if (!stored.ok()) {
        delivery_.status = stored;
        if (!native) batch->FailHijackedRecvMessage();
      } else if (native) {
        ResponseSlot::Announce(batch, message);
      }
    } else if (!native) {
      batch->FailHijackedRecvMessage();
    } else if (response_received_) {  // by attempt 1, before its status: another attempt's status must not come with it
      ResponseSlot::Of(batch).Clear(response_);
      ResponseSlot::Announce(batch, nullptr);
    }
  }
  if (native || batch->QueryInterceptionHookPoint(Hook::PRE_RECV_STATUS)) {
    *batch->GetRecvStatus() = delivery_.status;
    Refer(delivery_.trailing, *batch->GetRecvTrailingMetadata());
  }
}

void ClientCall::ArmDeadline(Time deadline) {
  grpc_call* const call = context().c_call();
  grpc_call_ref(call);
  deadline_ = Runtime::Get().WaitUntil(deadline, [call](bool due) {
    if (due) grpc_call_cancel_with_status(call, GRPC_STATUS_DEADLINE_EXCEEDED, "Deadline Exceeded", nullptr);
    grpc_call_unref(call);
  });
}

void ClientCall::DisarmAlarms() {
  if (deadline_ != nullptr) std::exchange(deadline_, nullptr)->Cancel();
  if (idle_ != nullptr) idle_->Stop();
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
