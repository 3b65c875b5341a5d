// No signal of the application's is delivered to a thread that is started while this lives: signals are for its own threads.
//
// Private to the libraries that start threads; header-only, so that it ties none of them to another.
#ifndef RECLOSER_THREADS_BLOCKED_SIGNALS_H_
#define RECLOSER_THREADS_BLOCKED_SIGNALS_H_

#include <csignal>

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_THREADS_BLOCKED_SIGNALS_H_
