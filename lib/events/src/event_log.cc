#include "recloser/events/event_log.h"

#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "json.h"
#include "recloser/events/v1/event.pb.h"
#include "transition_message.h"
#include "valid_text.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace v1 = events::v1;
using events_internal::JsonFields;
using events_internal::ToJson;
using events_internal::ToMessage;
using events_internal::ValidText;

constexpr std::size_t kMinLine = std::size_t{8} << 10;
constexpr std::size_t kMaxLine = std::size_t{1} << 20;
// Texts longer than this are nobody's names; sentences are of some 400 bytes.
constexpr std::size_t kLongestText = 4096;
// Four texts of this length fit into the shortest line beside a transition's numbers, even if each byte of them is escaped to six.
constexpr std::size_t kShortestText = 64;

std::int64_t Nanoseconds(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

v1::Event PolicyEvent(const std::string& result, const PolicySourceStatus& status, const std::string& message, std::size_t limit) {
  v1::Event event;
  event.set_event("policy");
  event.set_message(ValidText(message, limit));
  v1::PolicyChange* const change = event.mutable_policy();
  change->set_result(result);
  change->set_origin(ValidText(status.origin.name, limit));
  change->set_hash(ValidText(status.origin.hash, limit));
  change->set_generation(static_cast<std::uint32_t>(std::min<std::uint64_t>(status.generation, std::numeric_limits<std::uint32_t>::max())));
  return event;
}

}  // namespace

std::shared_ptr<EventLog> EventLog::Create(Sink sink, EventLogOptions options) {
  options.max_line_bytes = std::clamp(options.max_line_bytes, kMinLine, kMaxLine);
  return std::shared_ptr<EventLog>(new EventLog(std::move(sink), std::move(options)));
}

EventLog::EventLog(Sink sink, EventLogOptions options) : sink_(std::move(sink)), options_(std::move(options)) {}

template <class Build>
void EventLog::Write(Build&& build) {
  using google::protobuf::util::TimeUtil;
  const std::string time = TimeUtil::ToString(TimeUtil::NanosecondsToTimestamp(Nanoseconds(options_.clock())));
  std::string line;
  for (std::size_t limit = kLongestText; limit >= kShortestText; limit /= 2) {
    v1::Event event = build(limit);
    event.set_time(time);
    line = ToJson(event, JsonFields::kAll);
    if (line.size() <= options_.max_line_bytes) break;
  }
  sink_(line);
}

void EventLog::OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) {
  Write([&](std::size_t limit) {
    v1::Event event;
    event.set_event("transition");
    event.set_target(ValidText(breaker.id().target, limit));
    event.set_service(ValidText(breaker.id().service, limit));
    event.set_method(ValidText(breaker.id().method, limit));
    event.set_mode(std::string(ModeName(breaker.mode())));
    event.set_message(ValidText(Explain(transition), limit));
    ToMessage(transition, event.mutable_transition());
    return event;
  });
}

void EventLog::OnProblem(const Problem& problem) {
  Write([&](std::size_t limit) {
    v1::Event event;
    event.set_event("problem");
    event.set_target(ValidText(problem.target, limit));
    event.set_message(ValidText(problem.detail, limit));
    event.mutable_problem()->set_kind(std::string(ProblemName(problem.kind)));
    return event;
  });
}

void EventLog::Follow(const std::shared_ptr<PolicySource>& source) {
  source->Subscribe(weak_from_this(), [this, weak = std::weak_ptr<PolicySource>(source)](const PolicyVersion& version, Time) {
    const std::shared_ptr<PolicySource> followed = weak.lock();
    if (followed == nullptr) return;
    PolicySourceStatus status = followed->status();
    status.generation = version.generation;
    try {
      Write([&](std::size_t limit) { return PolicyEvent("applied", status, "policies were replaced", limit); });
    } catch (...) {
      // A source's followers must not throw; what a sink throws here is the sink's loss.
    }
  });
}

void EventLog::PolicyRefused(const absl::Status& why) {
  Write([&](std::size_t limit) { return PolicyEvent("refused", {}, why.ToString(), limit); });
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
