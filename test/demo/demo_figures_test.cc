// How the demo judges: the script of the outage, what the service could do when, the figures of an arm, the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "demo_services/demo/figures.h"
#include "demo_services/demo/script.h"
#include "demo_services/demo/table.h"
#include "demo_services/demo/text.h"
#include "demo_services/fault/plan.h"

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kRate = 200;

SteadyTime At(double second) { return SteadyTime(seconds(1000)) + FromSeconds(second); }

// Healthy for 10 s, dead for 5 s, then from 50 to 250 calls/s during 4 s.
Timeline SomeTimeline() {
  Timeline timeline;
  timeline.stretches = {{At(0), At(10), false, 250, 250},
                        {At(10), At(15), true, 0, 0},
                        {At(15), At(19), false, 50, 250},
                        {At(19), SteadyTime::max(), false, 250, 250}};
  timeline.restarted = At(15);
  return timeline;
}

void AddCall(v1::LoadTrace* trace, double arrival, double latency, int code, bool rejected = false) {
  v1::LoadTrace::Call* call = trace->add_calls();
  call->set_arrival_ns(SteadyNanos(At(arrival)));
  call->set_end_ns(SteadyNanos(At(arrival + latency)));
  call->set_code(static_cast<std::uint32_t>(code));
  call->set_rejected(rejected);
  call->set_sent(true);
}

void AddChange(v1::LoadTrace* trace, double at, const std::string& to) {
  v1::LoadTrace::Change* change = trace->add_changes();
  change->set_at_ns(SteadyNanos(At(at)));
  change->set_to(to);
}

v1::ArmFigures JudgeIt(const v1::LoadTrace& trace, Arm arm = Arm::kRecloser) {
  return Judge(arm, trace, SomeTimeline(), milliseconds(500), kRate);
}

TEST(Timeline, TellsWhatShareOfTheLoadTheServiceCouldAnswer) {
  const Timeline timeline = SomeTimeline();
  EXPECT_EQ(timeline.Answerable(At(5), kRate), 1);
  EXPECT_EQ(timeline.Answerable(At(12), kRate), 0);
  EXPECT_NEAR(timeline.Answerable(At(15), kRate), 0.25, 1e-9);
  EXPECT_NEAR(timeline.Answerable(At(16), kRate), 0.5, 1e-9);
  EXPECT_EQ(timeline.Answerable(At(18.5), kRate), 1);
  EXPECT_EQ(timeline.Answerable(At(1000), kRate), 1);
  EXPECT_TRUE(timeline.IsDead(At(10)));
  EXPECT_FALSE(timeline.IsDead(At(15)));
}

TEST(Figures, GoodputIsWhatCameInTimeOfEverythingThatArrived) {
  v1::LoadTrace trace;
  AddCall(&trace, 1, 0.1, 0);
  AddCall(&trace, 2, 0.6, 0);                             // too late
  AddCall(&trace, 3, 0.1, 14);                            // failed
  trace.add_calls()->set_arrival_ns(SteadyNanos(At(4)));  // not even sent
  const v1::ArmFigures figures = JudgeIt(trace);
  EXPECT_EQ(figures.calls(), 4u);
  EXPECT_EQ(figures.goodput_percent(), 25);
}

TEST(Figures, PercentilesAreThoseOfAllCallsSent) {
  v1::LoadTrace trace;
  for (int i = 100; i >= 1; --i) AddCall(&trace, 1, i / 1000.0, i % 2 == 0 ? 0 : 14);
  const v1::ArmFigures figures = JudgeIt(trace);
  EXPECT_NEAR(figures.p50_ms(), 50, 1e-6);
  EXPECT_NEAR(figures.p99_ms(), 99, 1e-6);
}

TEST(Figures, CountAttemptsThatBeganWhileTheServiceWasDead) {
  v1::LoadTrace trace;
  AddCall(&trace, 9, 0.1, 0);
  AddCall(&trace, 12, 0.1, 14);
  for (const double start : {9.0, 9.999, 10.0, 14.999, 15.0}) trace.add_attempt_starts_ns(SteadyNanos(At(start)));
  for (const Arm arm : {Arm::kNone, Arm::kRecloser}) {
    EXPECT_EQ(JudgeIt(trace, arm).attempts_on_dead_service(), 2u);
    EXPECT_EQ(JudgeIt(trace, arm).attempts_per_call(), 2.5);
  }
}

TEST(Figures, ARefusedCallCountsAsMuchAsTheServiceCouldHaveAnswered) {
  v1::LoadTrace trace;
  AddCall(&trace, 5, 0, 14, true);   // healthy: 1
  AddCall(&trace, 12, 0, 14, true);  // dead: nothing was lost
  AddCall(&trace, 16, 0, 14, true);  // half of the capacity needed
  AddCall(&trace, 6, 0, 14, false);  // failed, not refused
  EXPECT_NEAR(JudgeIt(trace).good_calls_refused(), 1.5, 1e-9);
}

TEST(Figures, ReclosingLastsUntilTheLastClosing) {
  v1::LoadTrace trace;
  AddChange(&trace, 10.1, "open");
  AddChange(&trace, 15.5, "half_open");
  AddChange(&trace, 16, "closed");
  AddChange(&trace, 16.5, "open");
  AddChange(&trace, 17, "half_open");
  AddChange(&trace, 17.25, "closed");
  const v1::ArmFigures figures = JudgeIt(trace);
  EXPECT_TRUE(figures.has_breaker());
  EXPECT_NEAR(figures.reclose_seconds(), 2.25, 1e-9);
}

TEST(Figures, ABreakerThatEndsOpenHasNotReclosed) {
  v1::LoadTrace trace;
  AddChange(&trace, 16, "closed");
  AddChange(&trace, 18, "open");
  EXPECT_FALSE(JudgeIt(trace).has_reclose_seconds());
  EXPECT_FALSE(JudgeIt(trace).closed_at_end());
}

TEST(Figures, ABreakerThatWasClosedBeforeTheRestartTookNoTime) {
  v1::LoadTrace trace;
  AddChange(&trace, 11, "open");
  AddChange(&trace, 12, "closed");
  EXPECT_EQ(JudgeIt(trace).reclose_seconds(), 0);
  EXPECT_EQ(JudgeIt({}).reclose_seconds(), 0);
}

TEST(Figures, ArmsWithoutABreakerHaveNoReclosing) {
  EXPECT_FALSE(JudgeIt({}, Arm::kNone).has_reclose_seconds());
  EXPECT_FALSE(JudgeIt({}, Arm::kNaiveRetry).has_breaker());
}

TEST(Script, ItsPlansAreValidAndAsLongAsItsPhases) {
  for (const double scale : {0.05, 1.0}) {
    const Script script(scale);
    EXPECT_TRUE(CheckPlan(script.FirstPlan()).ok()) << CheckPlan(script.FirstPlan());
    EXPECT_TRUE(CheckPlan(script.RestartPlan()).ok()) << CheckPlan(script.RestartPlan());
    EXPECT_NEAR(ToSeconds(script.length()), 40 * scale, 1e-6);
    EXPECT_EQ(script.PhaseAt(script.kill_at()).name, "dead");
    EXPECT_EQ(script.PhaseAt(script.restart_at()).name, "cold");
    EXPECT_EQ(script.PhaseAt(script.length() * 2).name, "healthy");
  }
}

TEST(Script, ItsTimelineFollowsWhatReallyHappened) {
  // The plan began at 0.01 s, the process died at 20.02 s, its successor was ready at 24.5 s.
  const Timeline timeline = Script(1).TimelineOf(At(0.01), At(20.02), At(24.5));
  EXPECT_EQ(timeline.Answerable(At(5.9), kRate), 1);
  EXPECT_EQ(timeline.Answerable(At(7), kRate), 0);
  EXPECT_FALSE(timeline.IsDead(At(11.005)));
  EXPECT_TRUE(timeline.IsDead(At(11.015)));
  EXPECT_FALSE(timeline.IsDead(At(20.01)));
  EXPECT_TRUE(timeline.IsDead(At(24.4)));
  EXPECT_NEAR(timeline.Answerable(At(24.5), kCapacity), 0.25, 1e-6);
  EXPECT_EQ(timeline.Answerable(At(30.6), kCapacity), 1);
}

TEST(Table, FitsATerminalOfHundredColumnsWhateverTheFigures) {
  v1::DemoReport report;
  report.set_slo_ms(500);
  for (const Arm arm : kArms) {
    v1::ArmFigures* row = report.add_arms();
    row->set_arm(std::string(ArmName(arm)));
    row->set_calls(1234567);
    row->set_goodput_percent(100);
    row->set_p50_ms(12345.6);
    row->set_p99_ms(123456.7);
    row->set_attempts_per_call(100);
    row->set_attempts_on_dead_service(1234567);
    row->set_good_calls_refused(1234567);
    row->set_has_breaker(HasBreaker(arm));
  }
  for (const absl::string_view line : absl::StrSplit(FormatTable(report), '\n')) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Wrap, BreaksAtBlanksAndIndentsWhatFollows) {
  const std::string text = std::string(60, 'a') + " " + std::string(60, 'b');
  EXPECT_EQ(Wrap(text, 4), std::string(60, 'a') + "\n    " + std::string(60, 'b') + "\n");
  EXPECT_EQ(Wrap("short", 4), "short\n");
  EXPECT_EQ(Wrap(std::string(150, 'x'), 0), std::string(100, 'x') + "\n" + std::string(50, 'x') + "\n");
}

}  // namespace
}  // namespace recloser::demo
