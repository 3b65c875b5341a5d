// What an attempt came back with, and what the breaker makes of it.
//
//   AttemptResult result;
//   result.code = absl::StatusCode::kUnavailable;
//   Outcome outcome = Classify(result, {});        // Outcome::kFailure
//
// The table (after gRPC's status code guide): failure = UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL, UNKNOWN,
// DATA_LOSS, RESOURCE_EXHAUSTED; ignored = CANCELLED, UNIMPLEMENTED, a deadline shorter than the service's healthy latency
// (the caller's fault), messages that are too large, rejections made by Recloser itself; everything else: the service answered,
// so success. OK without a message in a unary call is a failure.
//
// Thread safety: values and pure functions.
#ifndef RECLOSER_CORE_OUTCOME_H_
#define RECLOSER_CORE_OUTCOME_H_

#include <functional>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// The three ends of an attempt, as a breaker counts them.
enum class Outcome { kSuccess, kFailure, kIgnored };
absl::string_view OutcomeName(Outcome outcome);  // "success", "failure", "ignored"

/// The upper-case name of gRPC's code, "DEADLINE_EXCEEDED"; "OTHER" for a number that is none of the 17.
absl::string_view CodeName(absl::StatusCode code);

/// Read access to an attempt's trailing metadata, valid only during the call that hands it out.
class Trailers {
 public:
  virtual ~Trailers() = default;
  /// The first value under `key`, or nothing.
  virtual std::optional<absl::string_view> Find(absl::string_view key) const = 0;
};

/// The server's word on retrying (`grpc-retry-pushback-ms`, gRFC A6).
struct Pushback {
  enum class Kind {
    kNone,   // not sent
    kDelay,  // retry after exactly `delay`
    kStop,   // do not retry: negative, unparsable or several values
  };
  Kind kind = Kind::kNone;
  Duration delay = Duration::zero();
};

/// `value` as gRFC A6 reads it: a signed 32-bit number of milliseconds; anything else means "do not retry". The delay is capped at 300 s.
Pushback ParsePushback(absl::string_view value);

/// How one attempt ended. Views and pointers are valid only during the call that takes the result.
struct AttemptResult {
  absl::StatusCode code = absl::StatusCode::kOk;
  absl::string_view message;

  /// A stream: its duration says nothing about latency.
  bool streaming = false;
  /// Unary: the response message arrived. OK without it is a failure.
  bool has_response = true;
  /// The application (or its parent call) cancelled.
  bool cancelled_by_caller = false;
  /// Recloser itself ended the attempt at the policy's attempt timeout, or its deadline was that timeout.
  bool attempt_timed_out = false;
  /// Recloser itself ended the stream at the policy's `stream_idle_timeout`, as DEADLINE_EXCEEDED.
  bool stream_idle = false;
  /// The status was made by a Recloser (this one or one stacked below), not by the service: the rejection trailer is there.
  bool rejected_by_recloser = false;
  Pushback pushback;
  /// How long the attempt was allowed to take, from its start to its deadline.
  Duration allowed = kForever;

  /// For a user's hook: the trailing metadata, and the response message of a successful unary call
  /// (`const google::protobuf::MessageLite*` for protobuf stubs). May be null.
  const Trailers* trailers = nullptr;
  const void* response = nullptr;

  /// What the user's hook made of it, if anything: it overrules the table.
  std::optional<Outcome> outcome_by_hook;
};

/// A user's own classification, with status, trailers and message at hand. Nothing = the table decides. It may throw: then the
/// table decides and the throw is counted.
using OutcomeHook = std::function<std::optional<Outcome>(const AttemptResult&)>;

/// True for gRPC's "message larger than max" RESOURCE_EXHAUSTED, which says nothing about the service's health and is never retried.
bool IsMessageTooLarge(const AttemptResult& result);

/// The table above. `healthy_latency`: the service's usual latency, if known; a DEADLINE_EXCEEDED of an attempt that was allowed
/// less than that is the caller's fault.
Outcome Classify(const AttemptResult& result, std::optional<Duration> healthy_latency);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_OUTCOME_H_
