// What one call wants to be different, set on its context before the call is made:
//
//   grpc::ClientContext context;
//   recloser::CallOptions(&context).NoRetry().AttemptTimeout(std::chrono::milliseconds(50));
//   stub->Get(&context, request, &response);
//
// The settings travel in the context's metadata to the Recloser of the channel, which takes them out: they are never sent on the wire.
// (On a channel without Recloser they would be sent, as one header `recloser-call-options`.) Thread safety: as ClientContext's setters.
#ifndef RECLOSER_CALL_OPTIONS_H_
#define RECLOSER_CALL_OPTIONS_H_

#include <grpcpp/client_context.h>

#include "recloser/core/export.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

class CallOptions {
 public:
  explicit CallOptions(grpc::ClientContext* context) : context_(context) {}

  /// One attempt only.
  CallOptions& NoRetry() { return MaxAttempts(1); }
  /// Attempts of this call, the first included; clamped to 1 to 100. Turns retries on for this call whatever the method's policy says; for
  /// a stream only where that has `retry_server_streams`.
  CallOptions& MaxAttempts(int attempts);
  /// Of each attempt; clamped to 1 ms to 24 h. Of streams only those that may be retried have one, to their first message.
  CallOptions& AttemptTimeout(Duration timeout);
  /// The breaker is neither asked nor told.
  CallOptions& BypassBreaker();

 private:
  grpc::ClientContext* context_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CALL_OPTIONS_H_
