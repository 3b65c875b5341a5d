// A short run of everything: each arm makes its calls rightly in each form over each transport, and the report has a row for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "arms.h"
#include "bench_run.h"
#include "instructions.h"
#include "meter.h"
#include "options.h"
#include "service.h"

namespace recloser::bench {
namespace {

Plan Short(Plan plan) {
  plan.calls_one_at_a_time = 4;
  plan.calls_many_at_a_time = 32;
  plan.calls_to_warm_up = 4;
  return plan;
}

class EveryArm : public testing::Test {
 protected:
  EveryArm() { EXPECT_TRUE(service_.running()); }

  Service service_;
  Channels channels_{&service_};
  InstructionCounter instructions_;
  demo::Interrupt interrupt_;
  Meter meter_{&channels_, &instructions_, &interrupt_, 1};
  Results results_;
};

TEST_F(EveryArm, MakesItsCallsInEveryCell) {
  const Plan plan = Short(PlanOf(Options()));
  ASSERT_EQ(plan.cells.size(), 3u * 3 * 2 + 3 + 3);
  ASSERT_EQ(plan.arms.size(), AllArms().size());
  ASSERT_EQ(meter_.WarmUp(plan), absl::OkStatus());
  ASSERT_EQ(RunForTime(plan, 0, interrupt_, &meter_, &results_), absl::OkStatus());
  for (const Cell& cell : plan.cells) {
    EXPECT_EQ(results_.RoundsOf(cell), 1u) << cell.name();
    for (const std::string& arm : plan.arms) {
      SCOPED_TRACE(cell.name() + ", " + arm);
      for (const Figure figure : {Figure::kLatency, Figure::kThroughput, Figure::kCpu, Figure::kAllocations}) {
        const std::vector<double> values = results_.Values(cell, arm, figure);
        ASSERT_EQ(values.size(), IsMeasured(arm, cell) ? 1u : 0u) << Name(figure);
        for (const double value : values) EXPECT_GT(value, 0) << Name(figure);
      }
    }
  }
  const std::vector<Table> tables = CellTables(results_);
  ASSERT_EQ(tables.size(), plan.cells.size());
  EXPECT_EQ(tables.front().rows.size(), AllArms().size());
}

TEST_F(EveryArm, OfBarsRunsUntilTheTimeIsOver) {
  const Plan plan = Short(PlanOfBars());
  ASSERT_EQ(meter_.WarmUp(plan), absl::OkStatus());
  ASSERT_EQ(RunUntilDecided(plan, 0.1, interrupt_, &meter_, &results_), absl::OkStatus());
  for (const JudgedBar& bar : JudgeAll(results_, CoreCosts())) {
    const bool of_rounds = bar.what.find("latency") == 0;
    EXPECT_EQ(bar.estimate.rounds > 0, of_rounds || bar.what.find("throughput") == 0 || bar.what.find("rejection") == 0) << bar.what;
  }
}

TEST_F(EveryArm, StopsWhenInterrupted) {
  const Plan plan = Short(PlanOfBars());
  interrupt_.Request();
  ASSERT_EQ(meter_.WarmUp(plan), absl::OkStatus());
  ASSERT_EQ(RunUntilDecided(plan, 3600, interrupt_, &meter_, &results_), absl::OkStatus());
  EXPECT_THAT(results_.rounds(), testing::IsEmpty());
}

TEST_F(EveryArm, WhoseCallsGoWrongIsNamed) {
  const Cell cell{Transport::kTcp, Form::kSync, 1, Course::kHealthy};
  channels_.OpenBreakers(kRecloser, cell);
  Plan plan = Short({});
  plan.cells = {cell};
  plan.arms = {kRecloser};
  const absl::Status status = meter_.WarmUp(plan);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("tcp, sync, concurrency 1, recloser: 4 of 4 calls failed"));
}

TEST(CoreCosts, AreMeasured) {
  const CoreCosts core = MeasureCore(2, demo::Interrupt());
  EXPECT_GT(core.bytes_per_breaker, 0);
  for (const char* const name : {kClockRead, kAtomicAdd, kMutex, kPermitAndRecord}) {
    ASSERT_NE(core.Find(name), nullptr) << name;
    EXPECT_EQ(core.Find(name)->one_thread.size(), 2u);
    EXPECT_GT(core.Find(name)->two_threads.front(), 0);
  }
}

}  // namespace
}  // namespace recloser::bench
