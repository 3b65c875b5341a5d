// Ctrl-C, and waiting that it ends.
//
//   static Interrupt interrupt;
//   interrupt.CatchSignals();                       // first thing in main: threads inherit the signal mask
//   while (!interrupt.WaitUntil(next)) ...
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_DEMO_SERVICES_COMMON_INTERRUPT_H_
#define RECLOSER_DEMO_SERVICES_COMMON_INTERRUPT_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace recloser::demo {

/// Exit status of a program that SIGINT ended, as shells have it.
inline constexpr int kExitInterrupted = 130;

class Interrupt {
 public:
  /// From now on SIGINT and SIGTERM call `Request`; the second one, a fifth of a second later or more, exits the process at once with
  /// kExitInterrupted. Call it once, before other threads start, on an object that lives as long as the process.
  void CatchSignals();

  void Request();
  bool requested() const;
  /// True as soon as there is a request; false at `time`.
  bool WaitUntil(std::chrono::steady_clock::time_point time) const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool requested_ = false;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_INTERRUPT_H_
