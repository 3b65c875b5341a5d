// The bars: what the price may be, and whether it is.
#ifndef RECLOSER_BENCH_GRPC_BARS_H_
#define RECLOSER_BENCH_GRPC_BARS_H_

#include <string>
#include <vector>

#include "cell.h"
#include "core_costs.h"
#include "results.h"
#include "statistics.h"

namespace recloser::bench {

enum class Verdict { kMet, kMissed, kNotDecided, kNotMeasured };
const char* Name(Verdict verdict);  // "met", "MISSED", "not decided", "not measured"

struct Limit {
  double value = 0;
  bool at_most = true;
};

/// Met or missed only when the whole interval is on one side.
Verdict Judge(const Estimate& estimate, const Limit& limit);

/// A bar on a ratio to the bare channel.
struct RatioBar {
  Cell cell;
  std::string arm;
  Figure figure;
  Limit limit;
};
const std::vector<RatioBar>& RatioBars();
/// What they need beside the yardstick.
std::vector<std::string> ArmsOfBars();
/// The rejection of a sync call, whose bar is an absolute time.
Cell RejectionCell();

struct JudgedBar {
  std::string what;
  std::string unit;  // "" of ratios
  Estimate estimate;
  Limit limit;
  Verdict verdict = Verdict::kNotMeasured;
  /// Of ratios, for comparison: to a channel with an interceptor that does nothing, whose calls have a deadline, as the armed ones have.
  Estimate to_grpcs_own;
};
JudgedBar JudgeRatio(const RatioBar& bar, const Results& results);
std::vector<JudgedBar> JudgeAll(const Results& results, const CoreCosts& core);

/// Cells in which a bar is not decided that more rounds could decide.
std::vector<Cell> UndecidedCells(const Results& results);

inline constexpr int kExitMissed = 1;
inline constexpr int kExitNotDecided = 3;
/// 0 when all are met.
int ExitCode(const std::vector<JudgedBar>& bars);

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_BARS_H_
