#include "recloser/events/sinks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "blocked_signals.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

EventLog::Sink StreamSink(std::ostream* stream) {
  return [stream, mutex = std::make_shared<std::mutex>()](absl::string_view line) {
    const std::lock_guard<std::mutex> lock(*mutex);
    *stream << line << '\n';
    stream->flush();
  };
}

class LogFile::Writer {
 public:
  Writer(int file, std::size_t max_waiting) : file_(file), max_waiting_(max_waiting) {}
  ~Writer() { close(file_); }

  void Append(absl::string_view line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiting_lines_ >= max_waiting_) {
      ++lost_;
      return;
    }
    absl::StrAppend(&waiting_, line, "\n");
    ++waiting_lines_;
    work_.notify_one();
  }

  /// Writes until `Stop`, and what waits then.
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      work_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const std::string text = std::exchange(waiting_, {});
      waiting_lines_ = 0;
      writing_ = true;
      lock.unlock();
      const absl::string_view refused = Write(text);
      lock.lock();
      writing_ = false;
      lost_ += static_cast<std::uint64_t>(std::count(refused.begin(), refused.end(), '\n'));
      idle_.notify_all();
    }
  }

  void Stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    work_.notify_one();
  }

  void Flush() {
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [&] { return waiting_.empty() && !writing_; });
  }

  std::uint64_t lost() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lost_;
  }

 private:
  /// What the system refuses of `lines`, whose first may have been written in part.
  absl::string_view Write(absl::string_view lines) {
    if (in_line_ && WriteAll("\n").empty()) in_line_ = false;  // what is there of a lost line is not to spoil the next one
    if (in_line_) return lines;
    const absl::string_view refused = WriteAll(lines);
    in_line_ = !refused.empty() && refused.size() < lines.size() && lines[lines.size() - refused.size() - 1] != '\n';
    return refused;
  }

  absl::string_view WriteAll(absl::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = write(file_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return text;
  }

  const int file_;
  const std::size_t max_waiting_;
  bool in_line_ = false;  // the file ends within a line; of the writing thread
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  // All below: guarded by `mutex_`.
  std::string waiting_;
  std::size_t waiting_lines_ = 0;
  bool writing_ = false;
  bool stopped_ = false;
  std::uint64_t lost_ = 0;
};

absl::StatusOr<std::shared_ptr<LogFile>> LogFile::Open(const std::string& path, const LogFileOptions& options) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (file < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be written"));
  auto writer = std::make_shared<Writer>(file, std::clamp<std::size_t>(options.max_waiting_lines, 1, 1'000'000));
  std::shared_ptr<LogFile> log(new LogFile(writer));
  const BlockedSignals blocked;
  try {
    log->thread_ = std::thread([writer] { writer->Run(); });
  } catch (const std::system_error&) {
    return absl::ResourceExhaustedError(absl::StrCat(path, ": no thread to write it"));
  }
  return log;
}

LogFile::LogFile(std::shared_ptr<Writer> writer) : writer_(std::move(writer)) {}

LogFile::~LogFile() {
  writer_->Stop();
  if (thread_.joinable()) thread_.join();
}

void LogFile::Append(absl::string_view line) { writer_->Append(line); }
void LogFile::Flush() { writer_->Flush(); }
std::uint64_t LogFile::lines_lost() const { return writer_->lost(); }

EventLog::Sink LogFile::sink() {
  return [self = shared_from_this()](absl::string_view line) { self->Append(line); };
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
