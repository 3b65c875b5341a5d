// A server-streaming call that may be retried: hijacked at its start, since a failing read reaches the application before any status
// exists, and relayed to the end.
//
//   deciding   attempts are made until one has a first message, or there is no further attempt; the application waits
//   flowing    the attempt with the first message is the one; a message is read when the application asks for one
//   ended      the application gets what is left of the status
//
// Hijacked batches that receive something are held until there is what they ask for. Threads: batches, cancellations and the end of the
// application's context come from any thread, the attempts' events from the runtime's. `mutex_` guards the state and is a leaf, as in
// client_call.h, but for alarms that are set under it; whoever changed the state runs `Pump`, and one thread at a time does what it calls
// for. `session_mutex_` is held while the session is used, and with it the context: both end with `Abandon`, while an attempt may still be
// on its way out.
#ifndef RECLOSER_STREAM_RELAY_H_
#define RECLOSER_STREAM_RELAY_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_interceptor.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "call_metadata.h"
#include "channel_binding.h"
#include "delivery.h"
#include "recloser/core/call_session.h"
#include "stream_attempt.h"
#include "stream_idle_watch.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class StreamRelay final : public std::enable_shared_from_this<StreamRelay>, private StreamAttempt::Owner {
 public:
  using Batch = grpc::experimental::InterceptorBatchMethods;

  StreamRelay(ChannelBinding& binding, grpc::experimental::ClientRpcInfo& info, CallSetup setup);

  /// The call begins. A rejection is the caller's to deliver; then nothing else is called.
  Action Start();
  const MethodContext& method() const { return session_->method(); }
  /// Goes on with the action that `Start` gave. `batch`: the application's first, not hijacked yet.
  void Begin(Batch* batch, const Action& action);
  /// A hijacked batch that receives something; `Proceed` is called when there is what it asks for.
  void Hold(Batch* batch);
  /// The application cancelled. Any number of times.
  void Cancel();
  /// The application's context ends, and with it the call, whatever state that is in.
  void Abandon();

 private:
  enum class Phase { kDeciding, kFlowing, kEnded };
  enum class Step { kNone, kDeliver, kRead, kFinish };
  using Hook = grpc::experimental::InterceptionHookPoints;

  // The attempts.
  void Act(const Action& action);
  void Wait(Time wake);
  void OnWaited();
  void Send(const Action& action);
  void OnStarted() override;
  void OnRead(bool ok) override;
  void OnFinished() override;
  void OnFirstMessage();
  void OnFirstMessageLate(int attempt);
  void OnOperationDone();
  void OnAttemptEnded();
  void OnCancelled();
  void End(Delivery delivery);

  // The application's side.
  void Pump();
  // Under `mutex_`: what the state calls for, which is then noted as under way.
  Step NextOperation();
  Batch* TakeReadyBatch();
  bool IsReady(Batch* batch) const;
  bool IsWanted(Hook hook) const;
  void Deliver(Batch* batch, std::optional<grpc::ByteBuffer> message);

  const std::string method_name_;
  const Time created_;
  const Time callers_deadline_;
  const bool has_parent_;
  grpc::ByteBuffer request_;
  access::Metadata metadata_;
  Delivery last_result_;  // the runtime's thread only

  std::mutex session_mutex_;
  std::optional<CallSession> session_;  // none after `Abandon`; with it go
  ChannelBinding& binding_;             // these two
  grpc::ClientContext& context_;

  std::mutex mutex_;
  Phase phase_ = Phase::kDeciding;
  bool cancelled_ = false;
  bool abandoned_ = false;
  bool pumping_ = false;
  absl::InlinedVector<Batch*, 3> held_;
  std::optional<grpc::ByteBuffer> message_;  // received, not delivered
  std::shared_ptr<class Wait> backoff_;
  /// Headers from kFlowing on, the rest from kEnded on; then it does not change any more and the application's context refers to it.
  Delivery delivery_;

  // Of the attempt under way; guarded by `mutex_` too. Only the runtime's thread ends an attempt.
  std::unique_ptr<StreamAttempt> attempt_;
  std::shared_ptr<StreamRelay> keep_;  // while there is an attempt
  std::shared_ptr<StreamIdleWatch> idle_;
  std::shared_ptr<class Wait> first_message_timeout_;
  int attempt_number_ = 0;
  int operations_ = 0;  // under way
  bool started_ = false;
  bool reading_ = false;
  bool no_more_messages_ = false;
  bool finishing_ = false;
  bool finished_ = false;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_STREAM_RELAY_H_
