// The interceptor of one call: a driver of its `CallSession`.
//
// A call takes one of these paths:
//
//   native    attempt 1 is the caller's own call; a retry starts from its held final status
//   relayed   hijacked at the start, all attempts are ours: unary calls that send two batches (callback reactor, ReadInitialMetadata +
//             Finish) and may be retried, since attempt 1's headers would reach the application; calls whose rejection is to be retried
//   stream    a server-streaming call that may be retried: hijacked at the start and relayed to its end (stream_relay.h)
//   refused   hijacked at the start and ended with a status of ours: a rejection, or invalid policies
//
// Threads: `Intercept` comes from gRPC's and the application's threads, for streams concurrently; everything after attempt 1 happens on the
// runtime's thread (retry_run.h). `mutex_` guards what they share. It is a leaf: neither gRPC nor the application's hooks and observers are
// called under it, since a cancellation takes it under the context's own lock and an observer may cancel calls. `session_mutex_` is held
// while the session tells observers: a stream's messages and its end come concurrently.
#ifndef RECLOSER_CLIENT_CALL_H_
#define RECLOSER_CLIENT_CALL_H_

#include <google/protobuf/message_lite.h>
#include <grpc/grpc.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_interceptor.h>
#include <grpcpp/support/status.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "call_metadata.h"
#include "channel_binding.h"
#include "delivery.h"
#include "recloser/core/call_session.h"
#include "runtime.h"
#include "stream_idle_watch.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class RetryRun;
class StreamRelay;

class ClientCall final : public grpc::experimental::Interceptor {
 public:
  ClientCall(ChannelBinding& binding, grpc::experimental::ClientRpcInfo& info, CallSetup setup);
  ~ClientCall() override;

  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override;

  // For RetryRun, on the runtime's thread.
  CallSession& session() { return *session_; }
  ChannelBinding& binding() { return binding_; }
  grpc::ClientContext& context() { return *info_.client_context(); }
  const std::string& method_name() const { return method_name_.empty() ? session_->method().full_name : method_name_; }
  bool cancelled() const;
  /// The request's bytes; a blocking caller's message is serialized only here. Fails when that fails.
  grpc::Status Request(grpc::ByteBuffer* bytes);
  const access::Metadata& callers_metadata();
  /// An object of the response's type for a user's hook; null when it can't be made.
  std::unique_ptr<google::protobuf::MessageLite> ParseForHook(const grpc::ByteBuffer& bytes) const;
  /// Ends the call. Nothing of it may be touched afterwards.
  void Deliver(Delivery delivery);
  /// Ends the call with what attempt 1 got natively. Nothing of it may be touched afterwards.
  void DeliverNative();

 private:
  enum class Path { kUndecided, kNative, kRelayed, kStreamRelayed, kRefused };
  using Batch = grpc::experimental::InterceptorBatchMethods;
  using Hook = grpc::experimental::InterceptionHookPoints;

  void OnStart(Batch* batch);
  /// Without gRPC's private members.
  void RestrictToNative(Batch* batch);
  void Refuse(Batch* batch, Delivery delivery);
  void Relay(Batch* batch, const Action& action);
  void RelayStream(Batch* batch);
  void KeepRequest(Batch* batch);
  /// A hijacked batch's receiving half?
  static bool Receives(Batch* batch);
  void OnRefusedBatch(Batch* batch);
  void OnRelayedBatch(Batch* batch);
  /// A unary call's response and status come in one pass; only a stream's passes come concurrently.
  std::unique_lock<std::mutex> LockSession() {
    return unary_ ? std::unique_lock<std::mutex>() : std::unique_lock<std::mutex>(session_mutex_);
  }
  void OnNativeResult(Batch* batch);
  void OnNativeStatus(Batch* batch);
  void WatchIdle(Batch* batch);
  void OnCancel();
  void BeginRetries(Batch* batch, const Action& action);
  void FindObstacles(Batch* batch);
  void ForbidUnsupported();
  void Fill(Batch* batch);
  /// Null when none is left: from then on batches are not held.
  Batch* NextHeldBatch();
  void ArmDeadline(Time deadline);
  void DisarmAlarms();

  ChannelBinding& binding_;
  grpc::experimental::ClientRpcInfo& info_;
  CallSetup setup_;                              // holds the method that the session refers to
  const std::shared_ptr<const void> decorator_;  // stays when `setup_` goes to a relay
  const bool unary_;
  Path path_ = Path::kUndecided;
  std::optional<CallSession> session_;  // none with invalid policies
  bool response_received_ = false;

  // What a retry needs.
  std::string method_name_;  // where the method's entry has none; gRPC keeps only a pointer, for a generic call not beyond its begin
  const void* blocking_request_ = nullptr;
  grpc::ByteBuffer request_;
  void* response_ = nullptr;
  bool response_is_protobuf_ = false;
  std::optional<access::Metadata> metadata_snapshot_;
  Batch* native_batch_ = nullptr;  // the held final pass of attempt 1

  std::mutex session_mutex_;
  mutable std::mutex mutex_;
  bool cancelled_ = false;
  std::shared_ptr<RetryRun> run_;
  std::shared_ptr<StreamRelay> stream_;
  absl::InlinedVector<Batch*, 2> relayed_batches_;  // held
  bool delivered_ = false;                          // further batches are filled when they come
  Delivery delivery_;                               // received metadata refers to it as long as the context lives

  std::shared_ptr<Wait> deadline_;
  std::shared_ptr<StreamIdleWatch> idle_;  // of a native stream
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CLIENT_CALL_H_
