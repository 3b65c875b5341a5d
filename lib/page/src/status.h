// What the core tells of itself as the page's messages.
//
// Thread safety: pure functions.
#ifndef RECLOSER_PAGE_SRC_STATUS_H_
#define RECLOSER_PAGE_SRC_STATUS_H_

#include <string>

#include "event_log.h"
#include "recloser/core/registry.h"
#include "recloser/core/shared_breaker.h"
#include "recloser/core/time.h"
#include "recloser/page/v1/status.pb.h"

namespace google::protobuf {
class Message;
}

namespace recloser::page {

/// One breaker at `now`, with its transitions in `log`.
v1::Breaker BreakerStatus(const SharedBreaker& breaker, const EventLog& log, Time now);

/// All breakers, budgets and problems; not `listener_errors`, which this may add to.
v1::Status RegistryStatus(Registry& registry, const EventLog& log, Time now);

/// With the fields named as in the schema.
std::string ToJson(const google::protobuf::Message& message);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_STATUS_H_
