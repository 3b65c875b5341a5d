// A transition as the page's message.
#ifndef RECLOSER_PAGE_SRC_TRANSITION_STATUS_H_
#define RECLOSER_PAGE_SRC_TRANSITION_STATUS_H_

#include "event_log.h"
#include "recloser/core/time.h"
#include "recloser/page/v1/status.pb.h"

namespace recloser::page {

v1::Transition TransitionStatus(const EventLog::Transition& entry, Time now);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_TRANSITION_STATUS_H_
