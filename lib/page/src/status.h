// What the core tells of itself as the page's messages.
//
// Thread safety: pure functions.
#ifndef RECLOSER_PAGE_SRC_STATUS_H_
#define RECLOSER_PAGE_SRC_STATUS_H_

#include <optional>
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

/// Which breakers, and how much of them.
struct StatusSelection {
  /// Without what grows with the number of transitions and options.
  bool brief = false;
  /// Of one breaker only: its target and name with a space between, as in the message.
  std::optional<std::string> breaker;
};

/// One breaker at `now`, with its transitions in `log`.
v1::Breaker BreakerStatus(const SharedBreaker& breaker, const EventLog& log, Time now, bool brief = false);

/// Breakers, budgets and problems; not `listener_errors`, which this may add to.
v1::Status RegistryStatus(Registry& registry, const StatusSelection& selection, const EventLog& log, Time now);

/// With the fields named as in the schema.
std::string ToJson(const google::protobuf::Message& message);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_STATUS_H_
