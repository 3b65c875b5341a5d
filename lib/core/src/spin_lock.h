// A lock for sections of a few nanoseconds that threads rarely meet in: one atomic exchange to take it, a plain store to let it go.
//
// A thread that is held up inside, which is rare in so short a section, makes the others yield, not spin.
#ifndef RECLOSER_CORE_SRC_SPIN_LOCK_H_
#define RECLOSER_CORE_SRC_SPIN_LOCK_H_

#include <atomic>
#include <thread>

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// A moment of a loop that waits for another thread.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// For `std::lock_guard`.
class SpinLock {
 public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) Wait();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  void Wait() const {
    for (int spins = 0; held_.load(std::memory_order_relaxed); ++spins) {
      spins < kSpins ? Pause() : std::this_thread::yield();
    }
  }

  static constexpr int kSpins = 100;
  std::atomic<bool> held_{false};
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_SPIN_LOCK_H_
