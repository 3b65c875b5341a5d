// A child process: its lines as they come, its end as it was, and never an orphan.
//
// The child dies with this process (PR_SET_PDEATHSIG), with this object, and does not hear the terminal's Ctrl-C: it is told by us. Thread
// safety: none; start children from the thread that lives longest, for Linux means the death of that thread.
#ifndef RECLOSER_DEMO_SERVICES_COMMON_CHILD_H_
#define RECLOSER_DEMO_SERVICES_COMMON_CHILD_H_

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace recloser::demo {

class Child {
 public:
  using OnLine = std::function<void(const std::string&)>;

  /// Runs `arguments`, the program's path first. `on_line` gets the lines of its stdout, from `Pump`.
  static absl::StatusOr<std::unique_ptr<Child>> Start(std::string name, const std::vector<std::string>& arguments, OnLine on_line);
  /// Kills and reaps what still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// A line to its stdin.
  void Send(const std::string& line);
  /// Nothing when it has ended.
  void Signal(int signal);
  /// SIGKILL, and waits for its end, which is immediate.
  void Kill();
  /// Reads what has come, without waiting, and notices the end.
  void Pump();

  const std::string& name() const { return name_; }
  pid_t pid() const { return pid_; }
  bool running() const { return !wait_status_.has_value(); }
  bool ended_well() const { return wait_status_ == 0; }
  /// "exit status 1", "killed by signal 9 (Killed)", "still running".
  std::string HowItEnded() const;
  /// UNAVAILABLE: "`who` ended too early or badly: killed by signal 9 (Killed); it said:" and the tail of its stderr.
  absl::Status EndedBadly(absl::string_view who) const;
  /// The processor time that it used, once it has ended.
  std::chrono::nanoseconds cpu_time() const { return cpu_time_; }
  /// The last 2000 characters of its stderr.
  const std::string& error_tail() const { return error_tail_; }

 private:
  Child(std::string name, OnLine on_line) : name_(std::move(name)), on_line_(std::move(on_line)) {}
  void ReadAll();
  /// True when it has been reaped.
  bool Reap(int options);
  friend void PumpUntil(const std::vector<Child*>& children, std::chrono::steady_clock::time_point time);

  const std::string name_;
  const OnLine on_line_;
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  std::string unfinished_line_;
  std::string error_tail_;
  std::optional<int> wait_status_;
  std::chrono::nanoseconds cpu_time_{0};
};

/// Pumps `children` until `time`, sleeping in between; returns earlier, after at most 20 ms, so that the caller can look at other things
/// too.
void PumpUntil(const std::vector<Child*>& children, std::chrono::steady_clock::time_point time);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_CHILD_H_
