#include "meter.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "allocations.h"

namespace recloser::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRejectionsPerCall = 8;

double CpuMicroseconds() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) * 1e6 + static_cast<double>(spent.tv_nsec) * 1e-3;
}

double MedianMicroseconds(std::vector<std::int64_t> latencies_ns) {
  const auto middle = latencies_ns.begin() + static_cast<std::ptrdiff_t>(latencies_ns.size() / 2);
  std::nth_element(latencies_ns.begin(), middle, latencies_ns.end());
  return static_cast<double>(*middle) * 1e-3;
}

std::vector<std::string> ArmsOf(const Plan& plan, const Cell& cell) {
  std::vector<std::string> arms;
  std::copy_if(plan.arms.begin(), plan.arms.end(), std::back_inserter(arms), [&](const std::string& arm) { return IsMeasured(arm, cell); });
  return arms;
}

}  // namespace

absl::Status Meter::WarmUp(const Plan& plan) {
  for (const Cell& cell : plan.cells) {
    for (const std::string& arm : ArmsOf(plan, cell)) {
      if (interrupt_.requested()) return absl::OkStatus();
      Calls calls;
      if (cell.course == Course::kRejected) channels_.OpenBreakers(arm, cell);
      if (absl::Status status = Make(cell, arm, plan.calls_to_warm_up, &calls); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status Meter::Round(const Plan& plan, Results* results) {
  std::vector<Cell> cells = plan.cells;
  std::shuffle(cells.begin(), cells.end(), random_);
  for (const Cell& cell : cells) {
    std::vector<std::string> arms = ArmsOf(plan, cell);
    std::shuffle(arms.begin(), arms.end(), random_);
    bench::Round round;
    for (const std::string& arm : arms) {
      if (interrupt_.requested()) return absl::OkStatus();
      if (absl::Status status = Block(plan, cell, arm, &round[arm]); !status.ok()) return status;
    }
    if (!round.empty()) results->Add(cell, std::move(round));
  }
  return absl::OkStatus();
}

absl::Status Meter::Block(const Plan& plan, const Cell& cell, const std::string& arm, Sample* sample) {
  // What idling let go cold.
  Calls calls;
  if (absl::Status status = Make(cell, arm, 2 * cell.concurrency, &calls); !status.ok()) return status;

  int count = cell.concurrency == 1 ? plan.calls_one_at_a_time : plan.calls_many_at_a_time;
  if (cell.course == Course::kRejected) count *= kRejectionsPerCall;
  instructions_.Begin();
  const std::uint64_t allocations = AllocationCount();
  const double cpu = CpuMicroseconds();
  const Clock::time_point begin = Clock::now();
  const absl::Status status = Make(cell, arm, count, &calls);
  const std::chrono::duration<double> took = Clock::now() - begin;
  const double cpu_spent = CpuMicroseconds() - cpu;
  const std::uint64_t allocated = AllocationCount() - allocations;
  const std::optional<double> executed = instructions_.End();
  if (!status.ok()) return status;

  sample->Set(Figure::kLatency, MedianMicroseconds(std::move(calls.latencies_ns)));
  sample->Set(Figure::kThroughput, count / took.count());
  sample->Set(Figure::kCpu, cpu_spent / count);
  sample->Set(Figure::kAllocations, static_cast<double>(allocated) / count);
  if (executed.has_value()) sample->Set(Figure::kInstructions, *executed / count);
  return absl::OkStatus();
}

absl::Status Meter::Make(const Cell& cell, const std::string& arm, int calls, Calls* made) {
  std::unique_ptr<Caller>& caller = callers_[cell.form];
  if (caller == nullptr) caller = MakeCaller(cell.form);
  Work work;
  work.stub = &channels_.StubFor(arm, cell);
  work.request.set_payload("sixteen bytes ok");
  if (cell.course == Course::kRecovered) work.request.set_code(demo::v1::UNAVAILABLE);
  work.calls = calls;
  work.concurrency = cell.concurrency;
  work.with_deadline = Channels::SetsDeadline(arm);
  *made = caller->Make(work);
  const int failures = cell.course == Course::kRejected ? calls : 0;
  if (made->failed == failures) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(cell.name(), ", ", arm, ": ", made->failed, " of ", calls, " calls failed, expected ", failures,
                                          "; the last one: ", made->last_failure.error_message()));
}

}  // namespace recloser::bench
