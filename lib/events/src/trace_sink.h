// Where the records of traced breakers go.
#ifndef RECLOSER_EVENTS_SRC_TRACE_SINK_H_
#define RECLOSER_EVENTS_SRC_TRACE_SINK_H_

#include "recloser/core/export.h"
#include "recloser/events/v1/trace.pb.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

namespace v1 = events::v1;

/// Thread safety: any member from any thread; called under breakers' locks, so it must not use a breaker.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// False: records are not wanted any more.
  virtual bool active() const = 0;
  virtual void Write(const v1::TraceRecord& record) = 0;
};

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_TRACE_SINK_H_
