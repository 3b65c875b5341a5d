#include "demo_services/common/signals.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace recloser::demo {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

void BlockStopSignals() {
  // A shell starts background jobs with SIGINT ignored; an ignored signal never becomes pending, even when blocked.
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int WaitForStopSignal() {
  const sigset_t set = StopSignals();
  int number = 0;
  while (sigwait(&set, &number) != 0) {
  }
  return number;
}

int WaitForStopSignal(std::chrono::nanoseconds timeout) {
  const sigset_t set = StopSignals();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() < 0) left = std::chrono::nanoseconds::zero();
    timespec wait{};
    wait.tv_sec = static_cast<time_t>(left.count() / 1000000000);
    wait.tv_nsec = static_cast<long>(left.count() % 1000000000);
    const int number = sigtimedwait(&set, nullptr, &wait);
    if (number > 0) return number;
    if (left.count() == 0) return 0;
  }
}

}  // namespace recloser::demo
