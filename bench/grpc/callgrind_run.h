// Instructions where the processor's counters can't be had: the program runs itself under valgrind's callgrind, which counts them.
//
// Under it threads take turns and everything is some 50 times slower; instructions per call are nearly the same, except for what happens
// by time and not by call. Rounds and interleaving are as always. Thread safety: none.
#ifndef RECLOSER_BENCH_GRPC_CALLGRIND_RUN_H_
#define RECLOSER_BENCH_GRPC_CALLGRIND_RUN_H_

#include "absl/status/status.h"
#include "demo_services/common/interrupt.h"
#include "meter.h"
#include "options.h"
#include "results.h"

namespace recloser::bench {

/// The part of a plan that is worth its time: healthy calls, one at a time.
Plan CountedPlan(Plan plan);

/// The child: counts for some rounds and writes what it counted to `options.instructions_to`.
absl::Status CountInstructions(const Options& options, Meter* meter);

/// The parent: runs the child with the options of this process and adds its rounds. NOT_FOUND when there is no valgrind.
absl::Status CountInChild(const Options& options, char** argv, Results* results);

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_CALLGRIND_RUN_H_
