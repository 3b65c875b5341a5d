// Ordered timers on one thread: what a demo server does later, without a thread per call.
//
//   Scheduler scheduler;
//   Scheduler::Id id = scheduler.After(std::chrono::milliseconds(20), [] { Answer(); });
//   scheduler.Cancel(id);
//
// Functions run one after another on the scheduler's thread, in the order of their times (equal times: in the order of the calls); they
// must not block. Thread safety: all functions, from any thread, also from a timer's function.
#ifndef RECLOSER_DEMO_SERVICES_SERVER_SCHEDULER_H_
#define RECLOSER_DEMO_SERVICES_SERVER_SCHEDULER_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "recloser/core/time.h"

namespace recloser::demo {

class Scheduler {
 public:
  /// A timer: its time, and its number among those set.
  using Id = std::pair<Time, std::uint64_t>;

  Scheduler();
  ~Scheduler() { Stop(); }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Drops what has not run, waits for the function that runs; nothing runs after it. Not from a timer's function. Whoever owns what the
  /// functions touch calls it before that dies.
  void Stop();

  /// The steady clock.
  static Time Now();

  /// Runs `function` at `time`; at once, but on the scheduler's thread, when that has passed.
  Id At(Time time, std::function<void()> function);
  /// The same, `delay` from now.
  Id After(Duration delay, std::function<void()> function) { return At(SaturatingAdd(Now(), delay), std::move(function)); }

  /// True: the function will not run. False: it runs, has run, or was cancelled before.
  bool Cancel(const Id& id);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Id, std::function<void()>> timers_;
  std::uint64_t next_number_ = 0;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_SERVER_SCHEDULER_H_
