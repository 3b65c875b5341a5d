#include "demo_services/echo/reply.h"

#include <grpc/grpc.h>
#include <grpcpp/support/slice.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "recloser/config/duration.h"
#include "recloser/core/validation.h"

namespace recloser::demo {
namespace {

constexpr Duration kMaxDelay = std::chrono::hours(1);
constexpr std::uint32_t kMaxMessages = 1'000'000;
// Leaves room for the rest of the message.
constexpr std::uint32_t kMaxResponseBytes = kMaxMessageBytes - 64 * 1024;

/// gRPC aborts the process on an illegal header that it is asked to send.
bool IsLegal(absl::string_view key, absl::string_view value) {
  const grpc_slice key_slice = grpc_slice_from_static_buffer(key.data(), key.size());
  const grpc_slice value_slice = grpc_slice_from_static_buffer(value.data(), value.size());
  return grpc_header_key_is_legal(key_slice) != 0 && !absl::StartsWith(key, ":") &&
         (absl::EndsWith(key, "-bin") || grpc_header_nonbin_value_is_legal(value_slice) != 0);
}

}  // namespace

grpc::Status CheckRequest(const v1::EchoRequest& request) {
  Validator v("");
  v.InRange("delay", FromProto(request.delay()), Duration::zero(), kMaxDelay);
  v.InRange("interval", FromProto(request.interval()), Duration::zero(), kMaxDelay);
  v.Require(request.response_size() <= kMaxResponseBytes, "response_size", absl::StrCat(request.response_size()),
            absl::StrCat("must be from 0 to ", kMaxResponseBytes));
  v.Require(v1::Code_IsValid(request.code()), "code", absl::StrCat(request.code()), "must be one of gRPC's status codes");
  v.Require(request.messages() <= kMaxMessages, "messages", absl::StrCat(request.messages()),
            absl::StrCat("must be from 0 to ", kMaxMessages));
  v.Require(IsLegal("x", request.retry_pushback_ms()), "retry_pushback_ms", "this value", "must be printable ASCII");
  for (const v1::Metadata& header : request.headers()) {
    v.Require(IsLegal(header.key(), header.value()), "headers", header.key(), "must be legal metadata of gRPC");
  }
  for (const v1::Metadata& trailer : request.trailers()) {
    v.Require(IsLegal(trailer.key(), trailer.value()), "trailers", trailer.key(), "must be legal metadata of gRPC");
  }
  if (v.status().ok()) return grpc::Status::OK;
  return {grpc::StatusCode::INVALID_ARGUMENT, std::string(v.status().message())};
}

std::uint32_t PreviousAttempts(const grpc::ServerContextBase& context) {
  // gRPC's core takes gRFC A6's header from whoever is not itself, so Recloser sends one of its own too.
  std::uint32_t most = 0;
  for (const char* const header : {"recloser-previous-attempts", "grpc-previous-rpc-attempts"}) {
    const auto found = context.client_metadata().find(header);
    std::uint32_t attempts = 0;
    if (found == context.client_metadata().end()) continue;
    if (absl::SimpleAtoi(absl::string_view(found->second.data(), found->second.size()), &attempts)) most = std::max(most, attempts);
  }
  return most;
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
