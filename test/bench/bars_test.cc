// Bars on numbers made up: met, missed, not decided.
#include "bars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "arms.h"

namespace recloser::bench {
namespace {

struct Case {
  double low;
  double high;
  bool at_most;
  Verdict verdict;
};

TEST(Judge, WantsTheWholeIntervalOnOneSide) {
  const Case cases[] = {
      {0.90, 0.99, true, Verdict::kMet},        {0.90, 1.00, true, Verdict::kMet},         {0.90, 1.01, true, Verdict::kNotDecided},
      {1.00, 1.01, true, Verdict::kNotDecided}, {1.01, 1.10, true, Verdict::kMissed},      {1.01, 1.10, false, Verdict::kMet},
      {1.00, 1.10, false, Verdict::kMet},       {0.99, 1.10, false, Verdict::kNotDecided}, {0.90, 1.00, false, Verdict::kNotDecided},
      {0.90, 0.99, false, Verdict::kMissed},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Judge({(c.low + c.high) / 2, c.low, c.high, 10}, {1.0, c.at_most}), c.verdict) << c.low << " " << c.high << " " << c.at_most;
  }
}

TEST(Judge, OfNothingIsNotMeasured) { EXPECT_EQ(Judge({}, {1.0, true}), Verdict::kNotMeasured); }

/// Rounds in which each arm of a bar is as far from it as told: `better` above 1 is on the good side.
Results RoundsAt(double better, int rounds, double scatter) {
  Results results;
  for (const RatioBar& bar : RatioBars()) {
    for (int i = 0; i < rounds; ++i) {
      const double wobble = 1 + scatter * (i % 2 == 0 ? 1 : -1) * (1 + i % 3);
      const double ratio = (bar.limit.at_most ? bar.limit.value / better : bar.limit.value * better) * wobble;
      Round round;
      round[kBare].Set(bar.figure, 50);
      round[bar.arm].Set(bar.figure, 50 * ratio);
      results.Add(bar.cell, std::move(round));
    }
  }
  for (int i = 0; i < rounds; ++i) {
    Round round;
    round[kRecloser].Set(Figure::kLatency, 3 / better);
    results.Add(RejectionCell(), std::move(round));
  }
  return results;
}

CoreCosts CostsOf(double clock_ns, double whole_ns, double two_threads_ns, double bytes) {
  const auto ten = [](double value) { return std::vector<double>(10, value); };
  CoreCosts core;
  core.operations = {{kClockRead, ten(clock_ns), ten(clock_ns)}, {kPermitAndRecord, ten(whole_ns), ten(two_threads_ns)}};
  core.bytes_per_breaker = bytes;
  return core;
}
const CoreCosts kCheap = CostsOf(20, 60, 62, 4000);

std::vector<Verdict> VerdictsOf(const std::vector<JudgedBar>& bars) {
  std::vector<Verdict> verdicts;
  std::transform(bars.begin(), bars.end(), std::back_inserter(verdicts), [](const JudgedBar& bar) { return bar.verdict; });
  return verdicts;
}

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Bars, AreMetByWhatIsCheaper) {
  const Results results = RoundsAt(1.01, 20, 0);
  const auto bars = JudgeAll(results, kCheap);
  EXPECT_EQ(bars.size(), 23u);
  EXPECT_THAT(VerdictsOf(bars), Each(Verdict::kMet));
  EXPECT_EQ(ExitCode(bars), 0);
  EXPECT_THAT(UndecidedCells(results), IsEmpty());
}

TEST(Bars, AreMissedByWhatIsDearer) {
  const Results results = RoundsAt(0.99, 20, 0);
  const auto bars = JudgeAll(results, CostsOf(20, 90, 120, 9000));
  EXPECT_THAT(VerdictsOf(bars), Each(Verdict::kMissed));
  EXPECT_EQ(ExitCode(bars), kExitMissed);
  EXPECT_THAT(UndecidedCells(results), IsEmpty());  // more rounds would change nothing
}

TEST(Bars, OneThatIsMissedIsEnough) {
  const auto bars = JudgeAll(RoundsAt(1.01, 20, 0), CostsOf(20, 60, 80, 4000));  // two threads by one: 1.33
  const auto verdicts = VerdictsOf(bars);
  EXPECT_EQ(std::count(verdicts.begin(), verdicts.end(), Verdict::kMissed), 1);
  EXPECT_EQ(ExitCode(bars), kExitMissed);
}

TEST(Bars, ScatterAcrossOneLeavesItOpen) {
  const Results results = RoundsAt(1.001, 20, 0.05);
  const auto bars = JudgeAll(results, kCheap);
  EXPECT_THAT(VerdictsOf(bars), Contains(Verdict::kNotDecided));
  EXPECT_EQ(ExitCode(bars), kExitNotDecided);
  EXPECT_EQ(UndecidedCells(results).size(), 6u);  // three forms, one and sixteen at a time
}

TEST(Bars, NothingMeasuredIsNotPassed) {
  const auto bars = JudgeAll(Results(), CoreCosts());
  EXPECT_THAT(VerdictsOf(bars), Each(Verdict::kNotMeasured));
  EXPECT_EQ(ExitCode(bars), kExitNotDecided);
  EXPECT_EQ(UndecidedCells(Results()).size(), 7u);  // and the rejection's
}

TEST(Bars, InstructionsThatNothingCountsAskForNoMoreRounds) {
  Results results;
  const Results all = RoundsAt(1.01, 20, 0);
  for (const auto& [cell, rounds] : all.rounds()) {
    for (const Round& round : rounds) {
      const bool counted =
          std::any_of(round.begin(), round.end(), [](const auto& arm) { return arm.second.Get(Figure::kInstructions).has_value(); });
      if (!counted) results.Add(cell, round);
    }
  }
  EXPECT_THAT(UndecidedCells(results), IsEmpty());
  EXPECT_EQ(ExitCode(JudgeAll(results, kCheap)), kExitNotDecided);
}

TEST(Bars, AreThoseOfTheTable) {
  std::vector<double> limits;
  for (const RatioBar& bar : RatioBars()) limits.push_back(bar.limit.value);
  EXPECT_THAT(limits,
              ElementsAre(1.03, 1.04, 1.14, 0.98, 1.00, 1.08, 0.97, 0.97, 0.92, 1.02, 1.00, 0.97, 1.08, 1.10, 1.20, 0.97, 1.00, 1.10));
}

TEST(CoreCosts, OfABreakerAreWithoutTheClockReads) {
  EXPECT_THAT(kCheap.PermitAndRecordAlone(), Each(20.0));
  EXPECT_THAT(kCheap.TwoThreadsByOne(), Each(testing::DoubleNear(62.0 / 60, 1e-9)));
  EXPECT_THAT(CoreCosts().PermitAndRecordAlone(), IsEmpty());
}

}  // namespace
}  // namespace recloser::bench
