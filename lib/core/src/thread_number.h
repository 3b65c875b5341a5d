// Small numbers for threads, so that each finds its own part of what is spread to avoid contention.
//
// A thread has the smallest number that no other living thread has, from its first call to its end: with n threads all numbers are below n.
#ifndef RECLOSER_CORE_SRC_THREAD_NUMBER_H_
#define RECLOSER_CORE_SRC_THREAD_NUMBER_H_

#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// The first call in a thread: not inlined, and remembers `*number` until the thread ends.
unsigned AssignThreadNumber(unsigned* number);

inline constexpr unsigned kNoThreadNumber = ~0u;

/// Of the calling thread. Numbers beyond the first 1024 may be shared.
inline unsigned ThreadNumber() {
  // As a part of the thread's static block: without it, in a shared library, each access would be a call.
  [[gnu::tls_model("initial-exec")]] static thread_local unsigned number = kNoThreadNumber;
  return number != kNoThreadNumber ? number : AssignThreadNumber(&number);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_THREAD_NUMBER_H_
