// No signal of the application's is delivered to a thread that is started while this lives.
#ifndef RECLOSER_PAGE_SRC_BLOCKED_SIGNALS_H_
#define RECLOSER_PAGE_SRC_BLOCKED_SIGNALS_H_

#include <csignal>

namespace recloser::page {

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

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_BLOCKED_SIGNALS_H_
