// The clock, which the core may not read.
#ifndef RECLOSER_BENCH_CLOCK_H_
#define RECLOSER_BENCH_CLOCK_H_

#include <chrono>

#include "recloser/core/time.h"

namespace recloser {

inline Time ReadClock() { return FromSteadyClock(std::chrono::steady_clock::now()); }

}  // namespace recloser

#endif  // RECLOSER_BENCH_CLOCK_H_
