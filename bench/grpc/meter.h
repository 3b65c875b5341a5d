// Runs rounds: a short block of calls for each arm and cell, in random order, with counters around each.
#ifndef RECLOSER_BENCH_GRPC_METER_H_
#define RECLOSER_BENCH_GRPC_METER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "arms.h"
#include "callers.h"
#include "cell.h"
#include "demo_services/common/interrupt.h"
#include "instructions.h"
#include "results.h"

namespace recloser::bench {

struct Plan {
  std::vector<Cell> cells;
  std::vector<std::string> arms;  // where they can be measured (`IsMeasured`)
  /// Calls of a block; a rejected one costs so little that there are more of them.
  int calls_one_at_a_time = 64;
  int calls_many_at_a_time = 384;
  int calls_to_warm_up = 200;
};

class Meter {
 public:
  /// What is given must outlive the meter.
  Meter(Channels* channels, InstructionCounter* instructions, const demo::Interrupt* interrupt, std::uint64_t seed)
      : channels_(*channels), instructions_(*instructions), interrupt_(*interrupt), random_(seed) {}

  /// Connects and warms every arm in every cell. Fails, naming both, when a call does not end as it must.
  absl::Status WarmUp(const Plan& plan);
  /// One more round of each cell; a cell in which it was interrupted gets none.
  absl::Status Round(const Plan& plan, Results* results);

 private:
  absl::Status Block(const Plan& plan, const Cell& cell, const std::string& arm, Sample* sample);
  absl::Status Make(const Cell& cell, const std::string& arm, int calls, Calls* made);

  Channels& channels_;
  InstructionCounter& instructions_;
  const demo::Interrupt& interrupt_;
  std::mt19937_64 random_;
  std::map<Form, std::unique_ptr<Caller>> callers_;
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_METER_H_
