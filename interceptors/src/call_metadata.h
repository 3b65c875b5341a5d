// Metadata: the call options that travel in a context, the headers of gRFC A6, what a caller's context hands to each attempt, and the
// copies of what came back.
#ifndef RECLOSER_CALL_METADATA_H_
#define RECLOSER_CALL_METADATA_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/string_ref.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "grpc_access.h"
#include "recloser/core/call_session.h"
#include "recloser/core/outcome.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// The context's metadata key of `CallOptions`; never leaves the process.
inline constexpr char kCallOptionsKey[] = "recloser-call-options";
/// gRFC A6.
inline constexpr char kGrpcPreviousAttemptsKey[] = "grpc-previous-rpc-attempts";
inline constexpr char kPushbackKey[] = "grpc-retry-pushback-ms";

using ReceivedMetadata = std::multimap<grpc::string_ref, grpc::string_ref>;
/// Received metadata that outlives its call.
using OwnedMetadata = std::vector<std::pair<std::string, std::string>>;

inline absl::string_view View(grpc::string_ref s) { return {s.data(), s.size()}; }

/// Reads the call's options and takes them out of the context; also notes that the call is somebody's retry already. Without gRPC's private
/// members this finds nothing: then the first batch has the metadata.
CallOverrides TakeCallOverrides(grpc::ClientContext& context);
CallOverrides TakeCallOverrides(access::Metadata& metadata);

OwnedMetadata Copy(const ReceivedMetadata& from);
/// Makes `to` refer to `from`, which must outlive it.
void Refer(const OwnedMetadata& from, ReceivedMetadata& to);

/// Everything of `from` that an attempt has to carry: `metadata` (the caller's), credentials, authority, compression, wait_for_ready,
/// parent call; and the headers that number the attempt when it is not the first.
void CopySettings(grpc::ClientContext& from, const access::Metadata& metadata, int attempt, grpc::ClientContext& to);

/// Is the call bound to a server call (`ClientContext::FromServerContext`)? Without gRPC's private members it may be, so the answer is yes.
bool HasParent(grpc::ClientContext& context);

/// The result's facts that stand in the trailing metadata.
void ReadTrailers(const ReceivedMetadata& trailers, AttemptResult& result);

/// For users' hooks.
class TrailersView final : public Trailers {
 public:
  explicit TrailersView(const ReceivedMetadata& map) : map_(map) {}
  std::optional<absl::string_view> Find(absl::string_view key) const override;

 private:
  const ReceivedMetadata& map_;
};

/// How an attempt that the library made ended, as a session takes it. Refers to `trailers`.
class EndedAttempt {
 public:
  EndedAttempt(const grpc::Status& status, const ReceivedMetadata& trailers);
  EndedAttempt(const EndedAttempt&) = delete;
  EndedAttempt& operator=(const EndedAttempt&) = delete;

  AttemptResult result;

 private:
  const std::string message_;  // what `result` refers to
  const TrailersView trailers_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CALL_METADATA_H_
