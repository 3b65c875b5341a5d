// Where the lines of an event log go.
//
//   auto log = EventLog::Create((*LogFile::Open("recloser.jsonl"))->sink());
//   auto log = EventLog::Create(StreamSink(&std::cerr));
#ifndef RECLOSER_EVENTS_SINKS_H_
#define RECLOSER_EVENTS_SINKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/events/event_log.h"

namespace recloser {
inline namespace RECLOSER_API {

/// Writes each line to `stream` and flushes it, one at a time. It waits as long as the stream does: for programs that may. `stream` must
/// outlive the sink and not be used by others meanwhile.
EventLog::Sink StreamSink(std::ostream* stream);

struct LogFileOptions {
  /// Lines that wait for the file; those beyond are dropped and counted. Range: 1 to 1e6, clamped. Default 1000.
  std::size_t max_waiting_lines = 1000;
};

/// A file to which lines are appended by a thread of its own, so that a slow disk holds up no call. What rotates logs may truncate the
/// file; when it renames it, lines go on to the renamed one.
///
/// Thread safety: any member from any thread. The last handle's or sink's owner waits until all is written.
class LogFile : public std::enable_shared_from_this<LogFile> {
 public:
  /// Makes the file, for its owner and group to read, when it is not there. The system's error when it can't be written.
  static absl::StatusOr<std::shared_ptr<LogFile>> Open(const std::string& path, const LogFileOptions& options = {});

  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Never waits for the file.
  void Append(absl::string_view line);
  /// Waits until what was appended is written, or could not be.
  void Flush();
  /// Keeps the file open.
  EventLog::Sink sink();

  /// Lines that are not in the file: too many waited, or the system refused them.
  std::uint64_t lines_lost() const;

 private:
  class Writer;
  explicit LogFile(std::shared_ptr<Writer> writer);

  const std::shared_ptr<Writer> writer_;
  std::thread thread_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SINKS_H_
