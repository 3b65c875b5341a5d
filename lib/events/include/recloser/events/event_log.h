// The event log: one line of JSON for each transition of a breaker, each problem and each change of policies.
//
//   absl::StatusOr<std::shared_ptr<LogFile>> file = LogFile::Open("/var/log/orders/recloser.jsonl");
//   if (!file.ok()) return file.status();
//   auto log = EventLog::Create((*file)->sink());
//   recloser::Registry::Global()->AddObserver(log);         // before the channels that it is to see
//
//   {"time":"2026-11-30T15:04:05.250Z","event":"transition","target":"dns:///orders:443","service":"orders.Orders","method":"Get",
//    "mode":"enforce","message":"opened by rating: rating 0.67 (opens at 0.83) over ...","transition":{"from":"closed","to":"open", ...}}
//
// A transition's line holds every number that the decision used and a sentence made of them. The fields are those of the message Event in
// proto/recloser/events/v1/event.proto, by those names, and stay. Whatever names contain is escaped; bytes that are not UTF-8 become '?'. A
// line's length is bounded: names and sentences that are too long are cut.
//
// Threads: a line is made, which takes some fifty microseconds, and given to the sink by the thread that made the transition, which is
// often the one that makes a call; transitions are rare. So a sink must not wait: `LogFile` hands lines to a thread of its own. No lock of
// the library is held meanwhile. Thread safety: any member from any thread.
#ifndef RECLOSER_EVENTS_EVENT_LOG_H_
#define RECLOSER_EVENTS_EVENT_LOG_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/observer.h"
#include "recloser/core/policy_source.h"

namespace recloser {
inline namespace RECLOSER_API {

struct EventLogOptions {
  /// Range: 8 KiB to 1 MiB, clamped. Default 16 KiB.
  std::size_t max_line_bytes = std::size_t{16} << 10;
  /// Of the lines' `time`. Not empty.
  std::function<std::chrono::system_clock::time_point()> clock = &std::chrono::system_clock::now;
};

class EventLog final : public Observer, public std::enable_shared_from_this<EventLog> {
 public:
  /// Takes one line, without its end. Any thread may call it, several at once. What it throws is caught; the registry counts it as an error
  /// of a listener.
  using Sink = std::function<void(absl::string_view line)>;

  /// `sink`: not empty.
  static std::shared_ptr<EventLog> Create(Sink sink, EventLogOptions options = {});

  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) override;
  void OnProblem(const Problem& problem) override;

  /// Logs the source's changes from now on, as long as the log lives.
  void Follow(const std::shared_ptr<PolicySource>& source);
  /// Logs that policies were refused: for `PolicyFileOptions::on_refused`.
  void PolicyRefused(const absl::Status& why);

 private:
  EventLog(Sink sink, EventLogOptions options);
  /// `build(limit)`: the event with texts of at most `limit` bytes.
  template <class Build>
  void Write(Build&& build);

  const Sink sink_;
  const EventLogOptions options_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_EVENTS_EVENT_LOG_H_
