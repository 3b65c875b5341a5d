#include "bars.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "arms.h"

namespace recloser::bench {
namespace {

constexpr double kMostNsPermitAndRecord = 70;
constexpr double kMostNsPermitAndRecordAlone = 25;
constexpr double kMostTwoThreadsByOne = 1.15;
constexpr double kMostUsRejection = 3;
constexpr double kMostBytesPerBreaker = 8 * 1024;

std::vector<RatioBar> MakeRatioBars() {
  struct Row {
    Figure figure;
    int concurrency;
    bool at_most;
    double limits[6];  // sync, cq, callback; then with core's retries off
  };
  const Row rows[] = {{Figure::kLatency, 1, true, {1.03, 1.04, 1.14, 0.98, 1.00, 1.08}},
                      {Figure::kThroughput, 16, false, {0.97, 0.97, 0.92, 1.02, 1.00, 0.97}},
                      {Figure::kInstructions, 1, true, {1.08, 1.10, 1.20, 0.97, 1.00, 1.10}}};
  std::vector<RatioBar> bars;
  for (const Row& row : rows) {
    for (int i = 0; i < 6; ++i) {
      const Cell cell{Transport::kTcp, kForms[i % 3], row.concurrency, Course::kHealthy};
      bars.push_back({cell, i < 3 ? kRecloser : kRecloserCoreOff, row.figure, {row.limits[i], row.at_most}});
    }
  }
  return bars;
}

JudgedBar Judged(std::string what, std::string unit, const Estimate& estimate, const Limit& limit) {
  return {std::move(what), std::move(unit), estimate, limit, Judge(estimate, limit), {}};
}

JudgedBar JudgedTimes(std::string what, std::string unit, std::vector<double> values, double most) {
  return Judged(std::move(what), std::move(unit), EstimateMedian(std::move(values), kBarConfidence), {most, true});
}

}  // namespace

const char* Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMet:
      return "met";
    case Verdict::kMissed:
      return "MISSED";
    case Verdict::kNotDecided:
      return "not decided";
    case Verdict::kNotMeasured:
      return "not measured";
  }
  return "";
}

Verdict Judge(const Estimate& estimate, const Limit& limit) {
  if (estimate.rounds == 0) return Verdict::kNotMeasured;
  const double worst = limit.at_most ? estimate.high : -estimate.low;
  const double best = limit.at_most ? estimate.low : -estimate.high;
  const double bound = limit.at_most ? limit.value : -limit.value;
  if (worst <= bound) return Verdict::kMet;
  return best > bound ? Verdict::kMissed : Verdict::kNotDecided;
}

const std::vector<RatioBar>& RatioBars() {
  static const std::vector<RatioBar> bars = MakeRatioBars();
  return bars;
}

std::vector<std::string> ArmsOfBars() {
  return {kBareAgain, kBareDeadline, kIdleDeadline, kRetryPolicy, kBareCoreOff, kRecloser, kRecloserCoreOff};
}

Cell RejectionCell() { return {Transport::kTcp, Form::kSync, 1, Course::kRejected}; }

JudgedBar JudgeRatio(const RatioBar& bar, const Results& results) {
  const Estimate estimate = EstimateMedian(results.Ratios(bar.cell, bar.arm, kBare, bar.figure), kBarConfidence);
  std::string what = absl::StrCat(Name(bar.figure), ", ", Name(bar.cell.form), ", concurrency ", bar.cell.concurrency,
                                  bar.arm == kRecloserCoreOff ? ", core's retries off" : "");
  JudgedBar judged = Judged(std::move(what), "", estimate, bar.limit);
  judged.to_grpcs_own = EstimateMedian(results.Ratios(bar.cell, bar.arm, kIdleDeadline, bar.figure), kBarConfidence);
  return judged;
}

std::vector<JudgedBar> JudgeAll(const Results& results, const CoreCosts& core) {
  std::vector<JudgedBar> judged;
  for (const RatioBar& bar : RatioBars()) judged.push_back(JudgeRatio(bar, results));
  const CoreCosts::Operation* const whole = core.Find(kPermitAndRecord);
  judged.push_back(
      JudgedTimes(kPermitAndRecord, "ns", whole != nullptr ? whole->one_thread : std::vector<double>(), kMostNsPermitAndRecord));
  judged.push_back(JudgedTimes("permit + record, beyond the clock reads", "ns", core.PermitAndRecordAlone(), kMostNsPermitAndRecordAlone));
  judged.push_back(JudgedTimes("permit + record, two threads by one", "", core.TwoThreadsByOne(), kMostTwoThreadsByOne));
  judged.push_back(JudgedTimes("rejection by an open breaker, sync", "us", results.Values(RejectionCell(), kRecloser, Figure::kLatency),
                               kMostUsRejection));
  std::vector<double> bytes;
  if (core.bytes_per_breaker > 0) bytes.push_back(core.bytes_per_breaker);
  judged.push_back(JudgedTimes("memory of a breaker with its window", "bytes", std::move(bytes), kMostBytesPerBreaker));
  return judged;
}

std::vector<Cell> UndecidedCells(const Results& results) {
  std::vector<Cell> cells;
  const auto add = [&](const Cell& cell) {
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
  };
  for (const RatioBar& bar : RatioBars()) {
    const Verdict verdict = JudgeRatio(bar, results).verdict;
    const bool unknown = verdict == Verdict::kNotMeasured && bar.figure != Figure::kInstructions;  // there may be no counter
    if (verdict == Verdict::kNotDecided || unknown) add(bar.cell);
  }
  if (results.RoundsOf(RejectionCell()) == 0) add(RejectionCell());
  return cells;
}

int ExitCode(const std::vector<JudgedBar>& bars) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(bars.begin(), bars.end(), [&](const JudgedBar& bar) { return bar.verdict == verdict; });
  };
  if (any(Verdict::kMissed)) return kExitMissed;
  return any(Verdict::kNotDecided) || any(Verdict::kNotMeasured) ? kExitNotDecided : 0;
}

}  // namespace recloser::bench
