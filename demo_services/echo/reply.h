// What the echo service answers to a request. Thread safety: pure functions; each context by one thread at a time.
#ifndef RECLOSER_DEMO_SERVICES_ECHO_REPLY_H_
#define RECLOSER_DEMO_SERVICES_ECHO_REPLY_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <cstdint>

#include "recloser/demo/v1/echo.pb.h"

namespace recloser::demo {

/// The largest message a demo server takes and sends, in bytes.
inline constexpr int kMaxMessageBytes = 64 * 1024 * 1024;

/// INVALID_ARGUMENT, naming the field, for a request outside the limits of echo.proto.
grpc::Status CheckRequest(const v1::EchoRequest& request);

/// The header recloser-previous-attempts or grpc-previous-rpc-attempts; 0 when absent or malformed.
std::uint32_t PreviousAttempts(const grpc::ServerContextBase& context);

/// What the server sees of a call as it arrives: the fields of a response that don't depend on the request, without the metadata.
v1::EchoResponse DescribeCall(const grpc::ServerContextBase& context, std::uint64_t sequence);

/// The status that `request` asks for at this attempt.
grpc::Status StatusFor(const v1::EchoRequest& request, std::uint32_t previous_attempts);

/// Fills the response to `request`; `seen` is the call's DescribeCall.
void FillResponse(const v1::EchoRequest& request, const v1::EchoResponse& seen, const grpc::ServerContextBase& context,
                  v1::EchoResponse* response);

void AddHeaders(const v1::EchoRequest& request, grpc::ServerContextBase* context);
void AddTrailers(const v1::EchoRequest& request, const grpc::Status& status, grpc::ServerContextBase* context);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_ECHO_REPLY_H_
