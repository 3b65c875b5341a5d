#include "recloser/core/outcome.h"

#include <algorithm>
#include <string>

#include "absl/base/attributes.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

absl::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSuccess:
      return "success";
    case Outcome::kFailure:
      return "failure";
    case Outcome::kIgnored:
      break;
  }
  return "ignored";
}

absl::string_view CodeName(absl::StatusCode code) {
  // Not absl::StatusCodeToString: that gives "" for a number that is none of the 17, and allocates.
  switch (code) {
    case absl::StatusCode::kOk:
      return "OK";
    case absl::StatusCode::kCancelled:
      return "CANCELLED";
    case absl::StatusCode::kUnknown:
      return "UNKNOWN";
    case absl::StatusCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case absl::StatusCode::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case absl::StatusCode::kNotFound:
      return "NOT_FOUND";
    case absl::StatusCode::kAlreadyExists:
      return "ALREADY_EXISTS";
    case absl::StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case absl::StatusCode::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case absl::StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case absl::StatusCode::kAborted:
      return "ABORTED";
    case absl::StatusCode::kOutOfRange:
      return "OUT_OF_RANGE";
    case absl::StatusCode::kUnimplemented:
      return "UNIMPLEMENTED";
    case absl::StatusCode::kInternal:
      return "INTERNAL";
    case absl::StatusCode::kUnavailable:
      return "UNAVAILABLE";
    case absl::StatusCode::kDataLoss:
      return "DATA_LOSS";
    case absl::StatusCode::kUnauthenticated:
      return "UNAUTHENTICATED";
    default:
      return "OTHER";
  }
}

Pushback ParsePushback(absl::string_view value) {
  constexpr Duration kLongest = std::chrono::seconds(300);
  Pushback pushback;
  pushback.kind = Pushback::Kind::kStop;
  std::int32_t delay_ms = 0;
  // SimpleAtoi forgives white space and a sign; gRFC A6 and gRPC's core do not.
  const bool digits = std::all_of(value.begin(), value.end(), absl::ascii_isdigit);
  if (!digits || !absl::SimpleAtoi(value, &delay_ms)) return pushback;
  pushback.kind = Pushback::Kind::kDelay;
  pushback.delay = std::min<Duration>(std::chrono::milliseconds(delay_ms), kLongest);
  return pushback;
}

bool IsMessageTooLarge(const AttemptResult& result) {
  if (result.code != absl::StatusCode::kResourceExhausted) return false;
  // gRPC core: "Received message larger than max (5 vs. 4)"; Go adds "after decompression"; Java: "gRPC message exceeds maximum size".
  const std::string message = absl::AsciiStrToLower(result.message);
  return absl::StrContains(message, "larger than max") || absl::StrContains(message, "message exceeds maximum size");
}

Outcome Classify(const AttemptResult& result, std::optional<Duration> healthy_latency) {
  if (result.rejected_by_recloser) return Outcome::kIgnored;
  if (result.outcome_by_hook.has_value()) return *result.outcome_by_hook;
  if (result.cancelled_by_caller) return Outcome::kIgnored;
  switch (result.code) {
    case absl::StatusCode::kOk:
      return result.streaming || result.has_response ? Outcome::kSuccess : Outcome::kFailure;
    case absl::StatusCode::kCancelled:
      // An attempt that Recloser ended at its timeout comes back from the wire as cancelled: it is a missed deadline.
      if (!result.attempt_timed_out) return Outcome::kIgnored;
      ABSL_FALLTHROUGH_INTENDED;
    case absl::StatusCode::kDeadlineExceeded:
      if (result.stream_idle) return Outcome::kFailure;
      return healthy_latency.has_value() && result.allowed < *healthy_latency ? Outcome::kIgnored : Outcome::kFailure;
    case absl::StatusCode::kUnimplemented:
      return Outcome::kIgnored;
    case absl::StatusCode::kResourceExhausted:
      return IsMessageTooLarge(result) ? Outcome::kIgnored : Outcome::kFailure;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnauthenticated:
      return Outcome::kSuccess;
    default:
      // UNAVAILABLE, INTERNAL, UNKNOWN, DATA_LOSS; numbers outside of the 17 are to be read as UNKNOWN (gRPC's status code guide).
      return Outcome::kFailure;
  }
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
