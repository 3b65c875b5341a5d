#include "step_message.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

static_assert(static_cast<int>(Outcome::kSuccess) == v1::SUCCESS && static_cast<int>(Outcome::kFailure) == v1::FAILURE &&
              static_cast<int>(Outcome::kIgnored) == v1::IGNORED);

void ToMessage(const AttemptInfo& info, const Admission& admission, v1::Acquire* to) {
  to->set_streaming(info.streaming);
  to->set_hypothetical(info.hypothetical);
  if (admission.admitted) {
    to->set_permit(admission.permit.id);
    to->set_generation(admission.permit.generation);
    to->set_probe(admission.permit.probe);
  } else {
    to->mutable_refusal()->set_state(std::string(StateName(admission.rejection.state)));
    to->mutable_refusal()->set_retry_after_seconds(ToSeconds(admission.rejection.retry_after));
  }
}

AttemptInfo InfoFromMessage(const v1::Acquire& from) {
  AttemptInfo info;
  info.streaming = from.streaming();
  info.hypothetical = from.hypothetical();
  return info;
}

void ToMessage(const Permit& permit, const AttemptResult& result, Outcome outcome, v1::Result* to) {
  to->set_permit(permit.id);
  to->set_code(static_cast<std::int32_t>(result.code));
  to->set_streaming(result.streaming);
  to->set_has_response(result.has_response);
  to->set_cancelled_by_caller(result.cancelled_by_caller);
  to->set_attempt_timed_out(result.attempt_timed_out);
  to->set_rejected_by_recloser(result.rejected_by_recloser);
  to->set_message_too_large(IsMessageTooLarge(result));
  if (result.allowed != kForever) to->set_allowed_ns(result.allowed.count());
  if (result.outcome_by_hook.has_value()) to->set_outcome_by_hook(static_cast<v1::Outcome>(*result.outcome_by_hook));
  to->set_outcome(static_cast<v1::Outcome>(outcome));
}

AttemptResult ResultFromMessage(const v1::Result& from) {
  AttemptResult result;
  result.code = static_cast<absl::StatusCode>(from.code());
  if (from.message_too_large()) result.message = "Received message larger than max";
  result.streaming = from.streaming();
  result.has_response = from.has_response();
  result.cancelled_by_caller = from.cancelled_by_caller();
  result.attempt_timed_out = from.attempt_timed_out();
  result.rejected_by_recloser = from.rejected_by_recloser();
  if (from.has_allowed_ns()) result.allowed = Duration(from.allowed_ns());
  if (from.has_outcome_by_hook()) result.outcome_by_hook = static_cast<Outcome>(from.outcome_by_hook());
  return result;
}

void ToMessage(const BreakerSnapshot& before, v1::TakenOver* to) {
  to->set_state(std::string(StateName(before.state)));
  to->set_since_ns(before.since.time_since_epoch().count());
  to->set_offered_rate(before.offered_rate);
  to->set_retry_after_ns(before.retry_after.count());
}

absl::StatusOr<BreakerSnapshot> SnapshotFromMessage(const v1::TakenOver& from) {
  BreakerSnapshot before;
  int state = 0;
  while (state < kBreakerStates && StateName(static_cast<BreakerState>(state)) != from.state()) ++state;
  if (state == kBreakerStates) return absl::InvalidArgumentError(absl::StrCat("take_over.state: there is none \"", from.state(), "\""));
  before.state = static_cast<BreakerState>(state);
  before.since = Time(Duration(from.since_ns()));
  before.offered_rate = from.offered_rate();
  before.retry_after = Duration(from.retry_after_ns());
  return before;
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
