// Figures of runs that were not simulated.
#include "recloser/sim/observed.h"

#include <gtest/gtest.h>

#include <chrono>

namespace recloser::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Refused from 10 s to 12 s.
Scenario Crash() {
  Scenario scenario;
  scenario.warm_up = seconds(5);
  scenario.length = seconds(30);
  Fault fault;
  fault.at = seconds(10);
  fault.length = seconds(2);
  fault.end_jitter = Duration::zero();
  scenario.services.resize(1);
  scenario.services[0].background_errors = 0;
  scenario.services[0].faults = {fault};
  return scenario;
}

TEST(FiguresOf, CallsAreGoodWhenTheyAreOkWithinTheSlo) {
  Observed observed;
  observed.calls = {{seconds(1), seconds(1) + milliseconds(500), true},
                    {seconds(2), seconds(2) + milliseconds(501), true},
                    {seconds(3), seconds(3) + milliseconds(20), false}};
  const Figures figures = FiguresOf(Crash(), observed);
  EXPECT_EQ(figures.calls, 3);
  EXPECT_EQ(figures.good, 1);
  EXPECT_NEAR(figures.p99_s, 0.501, 0.02);
}

TEST(FiguresOf, NothingOfTheWarmUpCounts) {
  Observed observed;
  observed.calls = {{-milliseconds(1), milliseconds(1), true}};
  observed.attempts = {-milliseconds(1)};
  observed.rejections = {-milliseconds(1)};
  observed.excused = {-milliseconds(1)};
  observed.transitions = {{-milliseconds(1), BreakerState::kClosed, BreakerState::kOpen}};
  const Figures figures = FiguresOf(Crash(), observed);
  EXPECT_EQ(figures.calls, 0);
  EXPECT_EQ(figures.attempts, 0);
  EXPECT_EQ(figures.wasted, 0);
  EXPECT_EQ(figures.rejected, 0);
  EXPECT_EQ(figures.transitions, 0);
}

TEST(FiguresOf, AttemptsWithoutAGoodCallAreWastedUnlessAllArmsPayThem) {
  Observed observed;
  observed.calls = {{seconds(1), seconds(1) + milliseconds(60), true}, {seconds(2), seconds(3), false}, {seconds(4), seconds(4), false}};
  observed.attempts = {seconds(1), seconds(1) + milliseconds(40), seconds(2), seconds(4)};
  observed.excused = {seconds(1) + milliseconds(20)};
  const Figures figures = FiguresOf(Crash(), observed);
  EXPECT_EQ(figures.attempts, 4);
  EXPECT_EQ(figures.wasted, 2);
  EXPECT_DOUBLE_EQ(figures.Cost(3), 6);
}

TEST(FiguresOf, RejectionsCountWhatTheServiceCouldHaveDoneInWhateverOrderTheyCome) {
  Observed observed;
  observed.rejections = {seconds(12) + milliseconds(250), seconds(11), seconds(9)};
  const Figures figures = FiguresOf(Crash(), observed);
  EXPECT_EQ(figures.rejected, 3);
  EXPECT_DOUBLE_EQ(figures.good_rejected, 2);
  EXPECT_DOUBLE_EQ(figures.blocking_latency_s.value(), 0.25);
}

TEST(FiguresOf, TheTimeToOpenCountsFromTheFaultsBegin) {
  Observed observed;
  observed.transitions = {{seconds(10) + milliseconds(30), BreakerState::kClosed, BreakerState::kOpen},
                          {seconds(12), BreakerState::kOpen, BreakerState::kHalfOpen},
                          {seconds(12), BreakerState::kHalfOpen, BreakerState::kClosed}};
  const Figures figures = FiguresOf(Crash(), observed);
  EXPECT_EQ(figures.transitions, 3);
  EXPECT_EQ(figures.openings, 1);
  EXPECT_NEAR(figures.time_to_open_s.value(), 0.03, 1e-9);
}

}  // namespace
}  // namespace recloser::sim
