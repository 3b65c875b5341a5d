// Functions that run at a later instant, on one thread of their own.
#ifndef RECLOSER_TEST_STRESS_TIMERS_H_
#define RECLOSER_TEST_STRESS_TIMERS_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace recloser::stress {

class Timers {
 public:
  Timers() : thread_([this] { Serve(); }) {}
  /// Runs what is due and forgets the rest.
  ~Timers();

  void After(std::chrono::microseconds delay, std::function<void()> run);

 private:
  void Serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_TIMERS_H_
