// A whole run: rounds until the time is over or the bars are decided, then the breaker by itself. Thread safety: none.
#ifndef RECLOSER_BENCH_GRPC_BENCH_RUN_H_
#define RECLOSER_BENCH_GRPC_BENCH_RUN_H_

#include "absl/status/status.h"
#include "demo_services/common/interrupt.h"
#include "instructions.h"
#include "meter.h"
#include "options.h"
#include "report.h"

namespace recloser::bench {

/// Rounds of `plan` for `seconds`; at least one unless interrupted.
absl::Status RunForTime(const Plan& plan, double seconds, const demo::Interrupt& interrupt, Meter* meter, Results* results);

/// Rounds of the bars' cells, those that are decided dropping out, for `seconds` at most. It looks after 20 rounds, 40, 80 and so on:
/// looking after each would find by chance what it looks for.
absl::Status RunUntilDecided(const Plan& plan, double seconds, const demo::Interrupt& interrupt, Meter* meter, Results* results);

/// What to say of instructions that were not counted by anything.
std::string NoInstructions(const InstructionCounter& counter, const absl::Status& callgrind);

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_BENCH_RUN_H_
