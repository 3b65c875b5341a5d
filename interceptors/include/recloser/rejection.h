// Telling a breaker's rejection from a failure of the service.
//
//   grpc::Status status = stub->Get(&context, request, &response);
//   if (auto rejection = recloser::GetRejection(context)) Shed(rejection->retry_after);
//
// A rejected call ends with UNAVAILABLE, a message that names the breaker, and the trailers `recloser-rejected-by` and, unless
// the breaker is forced open, `recloser-retry-after-ms`. Thread safety: as ClientContext's getters; call after the call has ended.
#ifndef RECLOSER_REJECTION_H_
#define RECLOSER_REJECTION_H_

#include <grpcpp/client_context.h>

#include <optional>
#include <string>

#include "recloser/core/export.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

inline constexpr char kRejectedByTrailer[] = "recloser-rejected-by";
inline constexpr char kRetryAfterTrailer[] = "recloser-retry-after-ms";
/// On calls that took more than one attempt: how many.
inline constexpr char kAttemptsTrailer[] = "recloser-attempts";
/// Sent to the server with each attempt but the first: how many came before. gRFC A6's `grpc-previous-rpc-attempts` is set too, but
/// gRPC's core removes it on its way unless the core's own retries are off (`ChannelOptions::disable_core_retries`) or the request is
/// larger than its retry buffer (256 KiB).
inline constexpr char kPreviousAttemptsHeader[] = "recloser-previous-attempts";

struct CallRejection {
  std::string breaker;   // "target package.Service/Method"
  Duration retry_after;  // to the breaker's next probe; kForever while forced open
};

/// Nothing when the call was not rejected.
std::optional<CallRejection> GetRejection(const grpc::ClientContext& context);

/// How many attempts the finished call took; 0 when a breaker rejected it.
int GetAttempts(const grpc::ClientContext& context);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_REJECTION_H_
