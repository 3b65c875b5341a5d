// Tables and verdicts of live runs, and which runs are used.
#include "evaluate/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "evaluate/observed_trace.h"

namespace recloser::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

LiveResult Live(const char* arm, int good, const char* invalid) {
  LiveResult result;
  result.spec.arm = arm;
  result.spec.pattern = sim::Pattern::kAll;
  result.figures.calls = 1000;
  result.figures.good = good;
  result.invalid = invalid;
  return result;
}

sim::SimulatedRecord Simulated(const char* arm, int good) {
  sim::RunRecord record;
  record.arm = arm;
  record.pattern = sim::Pattern::kAll;
  record.result.figures.calls = 1000;
  record.result.figures.good = good;
  record.result.figures.wasted = 12345;
  record.result.figures.good_rejected = 12345.6;
  record.result.figures.blocking_latency_s = 10.123;
  record.result.figures.p99_s = 10;
  return {1, record};
}

const std::vector<sim::Arm>& Arms() {
  static const auto* const arms = new std::vector<sim::Arm>{*sim::FindArm("none"), *sim::FindArm("standard-c100-w0.5s")};
  return *arms;
}

TEST(RunsOf, LeavesInvalidRunsOut) {
  LiveResult other_seed = Live("none", 100, "client 400 ms late");
  other_seed.spec.setting.seed = 2;
  sim::SimulatedRecord other_simulated = Simulated("none", 800);
  other_simulated.fault_seed = 2;
  const auto runs = RunsOf(sim::Pattern::kAll, Arms(), {Live("none", 900, ""), other_seed},
                           {Simulated("none", 901), other_simulated, Simulated("standard-c100-w0.5s", 902)});
  ASSERT_THAT(runs, SizeIs(2));
  ASSERT_THAT(runs[0].seeds, SizeIs(2));
  EXPECT_EQ(runs[0].seeds[0].live.value().good, 900);
  EXPECT_EQ(runs[0].seeds[0].simulated.at(0).good, 901);
  EXPECT_FALSE(runs[0].seeds[1].live.has_value());
  EXPECT_EQ(runs[0].seeds[1].simulated.at(0).good, 800);
  ASSERT_THAT(runs[1].seeds, SizeIs(1));
  EXPECT_FALSE(runs[1].seeds[0].live.has_value());
}

TEST(ComparisonTables, FitInto100ColumnsAndShowBothWorlds) {
  auto runs = RunsOf(sim::Pattern::kAll, Arms(), {Live("none", 900, "")}, {Simulated("none", 905), Simulated("standard-c100-w0.5s", 902)});
  const sim::Scenario& scenario = *sim::FindShippedScenario("S1");
  const std::string missing = ComparisonTables(scenario, sim::Pattern::kAll, runs, Compare(runs));
  EXPECT_THAT(missing, HasSubstr("standard-c100-w0.5s       -  90.20      -     -"));
  runs[1].seeds[0].live = runs[1].seeds[0].simulated[0];
  const std::string text = ComparisonTables(scenario, sim::Pattern::kAll, runs, Compare(runs));
  EXPECT_THAT(text, HasSubstr(" 90.00  90.50  -0.50   5.0"));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Verdict, SaysWhatDisagrees) {
  sim::Agreement agreement;
  EXPECT_THAT(Verdict(agreement), HasSubstr("NOT JUDGED"));
  agreement.judged = true;
  agreement.goodput = {{"a", 1, 0}};
  EXPECT_THAT(Verdict(agreement), HasSubstr("agrees"));
  agreement.by_cost = {3, {"a < b"}};
  EXPECT_THAT(Verdict(agreement), HasSubstr("DISAGREES"));
  EXPECT_THAT(Verdict(agreement), HasSubstr("REVERSED: a < b"));
}

TEST(MachineLines, NameEachRunThatWasNotUsed) {
  const std::string text = MachineLines({0.5, 1}, {Live("none", 900, ""), Live("adaptive", 100, "server 300 ms late, limit 250 ms")});
  EXPECT_THAT(text, HasSubstr("0.50 of"));
  EXPECT_THAT(text, HasSubstr("not used: adaptive, all, seed 1: server 300 ms late"));
}

TEST(WhyInvalid, LateProcessesAndCallsThatWereNotSent) {
  demo::v1::ProcessEnd good;
  good.set_lag_p99_ms(1);
  good.set_lag_max_ms(40);
  EXPECT_EQ(WhyInvalid(good, good), "");
  demo::v1::ProcessEnd late = good;
  late.set_lag_max_ms(400);
  EXPECT_THAT(WhyInvalid(late, good), HasSubstr("client 400 ms late"));
  EXPECT_THAT(WhyInvalid(good, late), HasSubstr("server 400 ms late"));
  demo::v1::ProcessEnd busy = good;
  busy.set_late_p99_ms(50);
  EXPECT_THAT(WhyInvalid(busy, good), HasSubstr("arrivals' 99th percentile"));
  demo::v1::ProcessEnd full = good;
  full.set_not_sent(3);
  EXPECT_EQ(WhyInvalid(full, good), "3 calls not sent");
}

TEST(ObservedOf, CountsFromTheOrigin) {
  demo::v1::LoadTrace trace;
  demo::v1::LoadTrace::Call& call = *trace.add_calls();
  call.set_arrival_ns(1'500);
  call.set_end_ns(2'500);
  call.set_sent(true);
  trace.add_calls()->set_arrival_ns(900);  // not sent: not OK
  demo::v1::LoadTrace::Change& change = *trace.add_changes();
  change.set_at_ns(1'100);
  change.set_from("closed");
  change.set_to("half_open");
  trace.add_attempt_starts_ns(1'501);
  trace.add_rejections_ns(1'502);
  trace.add_background_failures_ns(1'503);
  const sim::Observed observed = ObservedOf(trace, demo::SteadyTime(std::chrono::nanoseconds(1'000)));
  ASSERT_THAT(observed.calls, SizeIs(2));
  EXPECT_EQ(observed.calls[0].arrived, Duration(500));
  EXPECT_EQ(observed.calls[0].ended, Duration(1'500));
  EXPECT_TRUE(observed.calls[0].ok);
  EXPECT_EQ(observed.calls[1].arrived, Duration(-100));
  EXPECT_FALSE(observed.calls[1].ok);
  EXPECT_EQ(observed.transitions.at(0).to, BreakerState::kHalfOpen);
  EXPECT_EQ(observed.attempts.at(0), Duration(501));
  EXPECT_EQ(observed.rejections.at(0), Duration(502));
  EXPECT_EQ(observed.excused.at(0), Duration(503));
}

}  // namespace
}  // namespace recloser::tools
