#include "bench_run.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "bars.h"

namespace recloser::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFirstLook = 20;

std::size_t FewestRounds(const std::vector<Cell>& cells, const Results& results) {
  std::size_t fewest = results.RoundsOf(cells.front());
  for (const Cell& cell : cells) fewest = std::min(fewest, results.RoundsOf(cell));
  return fewest;
}

}  // namespace

absl::Status RunForTime(const Plan& plan, double seconds, const demo::Interrupt& interrupt, Meter* meter, Results* results) {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  do {
    if (absl::Status status = meter->Round(plan, results); !status.ok()) return status;
  } while (!interrupt.requested() && Clock::now() < end);
  return absl::OkStatus();
}

absl::Status RunUntilDecided(const Plan& plan, double seconds, const demo::Interrupt& interrupt, Meter* meter, Results* results) {
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  Plan left = plan;
  std::size_t look = kFirstLook;
  while (!left.cells.empty()) {
    while (FewestRounds(left.cells, *results) < look) {
      if (interrupt.requested() || Clock::now() >= end) return absl::OkStatus();
      if (absl::Status status = meter->Round(left, results); !status.ok()) return status;
    }
    left.cells = UndecidedCells(*results);
    look *= 2;
  }
  return absl::OkStatus();
}

std::string NoInstructions(const InstructionCounter& counter, const absl::Status& callgrind) {
  return absl::StrCat("not supported here (", counter.problem(), "; callgrind: ", callgrind.message(), ")");
}

}  // namespace recloser::bench
