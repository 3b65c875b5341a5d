// A thread that does something at a steady pace.
#ifndef RECLOSER_PAGE_SRC_TICKER_H_
#define RECLOSER_PAGE_SRC_TICKER_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "recloser/core/time.h"

namespace recloser::page {

class Ticker {
 public:
  /// Calls `tick` every `interval`, at once for the first time, until destroyed. `tick` must not throw. Throws std::system_error when there
  /// is no thread to be had.
  Ticker(Duration interval, std::function<void()> tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void Run(Duration interval, const std::function<void()>& tick);

  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;  // guarded by `mutex_`
  std::thread thread_;
};

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_TICKER_H_
