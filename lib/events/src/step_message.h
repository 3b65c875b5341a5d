// What goes into a breaker and what it says, as messages and back. Thread safety: pure.
#ifndef RECLOSER_EVENTS_SRC_STEP_MESSAGE_H_
#define RECLOSER_EVENTS_SRC_STEP_MESSAGE_H_

#include "absl/status/statusor.h"
#include "recloser/core/breaker.h"
#include "recloser/core/outcome.h"
#include "recloser/events/v1/trace.pb.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

namespace v1 = events::v1;

void ToMessage(const AttemptInfo& info, const Admission& admission, v1::Acquire* to);
AttemptInfo InfoFromMessage(const v1::Acquire& from);

/// Neither the status's message nor the trailers nor the response are kept, only what the outcome table reads of them.
void ToMessage(const Permit& permit, const AttemptResult& result, Outcome outcome, v1::Result* to);
AttemptResult ResultFromMessage(const v1::Result& from);

/// What `TakeOver` reads.
void ToMessage(const BreakerSnapshot& before, v1::TakenOver* to);
/// INVALID_ARGUMENT when there is no such state.
absl::StatusOr<BreakerSnapshot> SnapshotFromMessage(const v1::TakenOver& from);

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_STEP_MESSAGE_H_
