// A transition as a message. Thread safety: pure.
#ifndef RECLOSER_EVENTS_SRC_TRANSITION_MESSAGE_H_
#define RECLOSER_EVENTS_SRC_TRANSITION_MESSAGE_H_

#include "recloser/core/breaker.h"
#include "recloser/events/v1/event.pb.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

namespace v1 = events::v1;

/// Counts saturate at the message's width; durations become seconds.
void ToMessage(const BreakerTransition& from, v1::Transition* to);

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_TRANSITION_MESSAGE_H_
