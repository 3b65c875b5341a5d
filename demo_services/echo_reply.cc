#include "demo_services/echo_reply.h"

#include <grpc/grpc.h>
#include <grpcpp/support/slice.h>

#include <chrono>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "demo_services/proto_time.h"

namespace recloser::demo {
namespace {

constexpr Duration kMaxDelay = std::chrono::hours(1);
constexpr std::uint32_t kMaxMessages = 1'000'000;
// Leaves room for the rest of the message.
constexpr std::uint32_t kMaxResponseBytes = kMaxMessageBytes - 64 * 1024;

grpc::Status Invalid(absl::string_view field, absl::string_view value, absl::string_view allowed) {
  return {grpc::StatusCode::INVALID_ARGUMENT, absl::StrCat(field, ": ", value, " is not allowed; must be ", allowed)};
}

bool InRange(const google::protobuf::Duration& d) { return FromProto(d) >= Duration::zero() && FromProto(d) <= kMaxDelay; }

/// gRPC aborts the process on an illegal header that it is asked to send.
bool IsLegal(absl::string_view key, absl::string_view value) {
  const grpc_slice key_slice = grpc_slice_from_static_buffer(key.data(), key.size());
  const grpc_slice value_slice = grpc_slice_from_static_buffer(value.data(), value.size());
  return grpc_header_key_is_legal(key_slice) != 0 && !absl::StartsWith(key, ":") &&
         (absl::EndsWith(key, "-bin") || grpc_header_nonbin_value_is_legal(value_slice) != 0);
}

}  // namespace

grpc::Status CheckRequest(const v1::EchoRequest& request) {
  if (!InRange(request.delay())) return Invalid("delay", request.delay().ShortDebugString(), "from 0s to 1h");
  if (!InRange(request.interval())) return Invalid("interval", request.interval().ShortDebugString(), "from 0s to 1h");
  if (request.response_size() > kMaxResponseBytes) {
    return Invalid("response_size", absl::StrCat(request.response_size()), absl::StrCat("from 0 to ", kMaxResponseBytes));
  }
  if (!v1::Code_IsValid(request.code())) return Invalid("code", absl::StrCat(request.code()), "one of gRPC's status codes");
  if (request.messages() > kMaxMessages) {
    return Invalid("messages", absl::StrCat(request.messages()), absl::StrCat("from 0 to ", kMaxMessages));
  }
  if (!IsLegal("x", request.retry_pushback_ms())) return Invalid("retry_pushback_ms", "the value", "printable ASCII");
  for (const auto* list : {&request.headers(), &request.trailers()}) {
    for (const v1::Metadata& metadata : *list) {
      if (!IsLegal(metadata.key(), metadata.value())) {
        return Invalid(list == &request.headers() ? "headers" : "trailers", metadata.key(), "legal metadata of gRPC");
      }
    }
  }
  return grpc::Status::OK;
}

std::uint32_t PreviousAttempts(const grpc::ServerContextBase& context) {
  const auto found = context.client_metadata().find("grpc-previous-rpc-attempts");
  std::uint32_t attempts = 0;
  if (found == context.client_metadata().end()) return 0;
  return absl::SimpleAtoi(absl::string_view(found->second.data(), found->second.size()), &attempts) ? attempts : 0;
}

v1::EchoResponse DescribeCall(const grpc::ServerContextBase& context, std::uint64_t sequence) {
  v1::EchoResponse seen;
  const grpc::string_ref authority = context.ExperimentalGetAuthority();
  seen.set_authority(authority.data(), authority.size());
  // gRPC hands deadlines out as instants of the system clock; only the difference is told on.
  const auto deadline = context.deadline();
  if (deadline != std::chrono::system_clock::time_point::max()) {
    *seen.mutable_deadline_left() = ToProto(std::chrono::duration_cast<Duration>(deadline - std::chrono::system_clock::now()));
  }
  seen.set_previous_attempts(PreviousAttempts(context));
  seen.set_sequence(sequence);
  seen.set_peer(context.peer());
  return seen;
}

grpc::Status StatusFor(const v1::EchoRequest& request, std::uint32_t previous_attempts) {
  auto code = static_cast<grpc::StatusCode>(request.code());
  if (request.fail_first_attempts() > 0) {
    if (previous_attempts >= request.fail_first_attempts()) return grpc::Status::OK;
    if (code == grpc::StatusCode::OK) code = grpc::StatusCode::UNAVAILABLE;
  }
  if (code == grpc::StatusCode::OK) return grpc::Status::OK;
  return {code, request.message(), request.status_details()};
}

void FillResponse(const v1::EchoRequest& request, const v1::EchoResponse& seen, const grpc::ServerContextBase& context,
                  v1::EchoResponse* response) {
  *response = seen;
  *response->mutable_payload() = request.payload();
  if (request.response_size() > 0) response->mutable_payload()->resize(request.response_size());
  if (!request.echo_metadata()) return;
  for (const auto& [key, value] : context.client_metadata()) {
    v1::Metadata& metadata = *response->add_metadata();
    metadata.set_key(key.data(), key.size());
    metadata.set_value(value.data(), value.size());
  }
}

void AddHeaders(const v1::EchoRequest& request, grpc::ServerContextBase* context) {
  for (const v1::Metadata& header : request.headers()) context->AddInitialMetadata(header.key(), header.value());
}

void AddTrailers(const v1::EchoRequest& request, const grpc::Status& status, grpc::ServerContextBase* context) {
  for (const v1::Metadata& trailer : request.trailers()) context->AddTrailingMetadata(trailer.key(), trailer.value());
  if (!status.ok() && !request.retry_pushback_ms().empty()) {
    context->AddTrailingMetadata("grpc-retry-pushback-ms", request.retry_pushback_ms());
  }
}

}  // namespace recloser::demo
