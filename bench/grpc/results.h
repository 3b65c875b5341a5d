// What rounds measured, and what follows from it.
#ifndef RECLOSER_BENCH_GRPC_RESULTS_H_
#define RECLOSER_BENCH_GRPC_RESULTS_H_

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cell.h"

namespace recloser::bench {

enum class Figure { kLatency, kThroughput, kCpu, kInstructions, kAllocations };
inline constexpr Figure kFigures[] = {Figure::kLatency, Figure::kThroughput, Figure::kCpu, Figure::kInstructions, Figure::kAllocations};
inline constexpr int kFigureCount = 5;
const char* Name(Figure figure);  // "latency p50" ...
const char* Unit(Figure figure);  // "us", "calls/s", ...

/// What a block of calls gave, per call: latency (median) and CPU time in microseconds, calls per second, instructions, allocations.
class Sample {
 public:
  void Set(Figure figure, double value) { values_[static_cast<std::size_t>(figure)] = value; }
  const std::optional<double>& Get(Figure figure) const { return values_[static_cast<std::size_t>(figure)]; }

 private:
  std::array<std::optional<double>, kFigureCount> values_;
};

/// The blocks of one cell that ran beside each other, by arm.
using Round = std::map<std::string, Sample, std::less<>>;

class Results {
 public:
  void Add(const Cell& cell, Round round) { rounds_[cell].push_back(std::move(round)); }
  const std::map<Cell, std::vector<Round>>& rounds() const { return rounds_; }
  std::size_t RoundsOf(const Cell& cell) const;

  /// One value for each round that has it.
  std::vector<double> Values(const Cell& cell, absl::string_view arm, Figure figure) const;
  /// The arm's value by the yardstick's, for each round that has both.
  std::vector<double> Ratios(const Cell& cell, absl::string_view arm, absl::string_view yardstick, Figure figure) const;

 private:
  std::map<Cell, std::vector<Round>> rounds_;
};

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_RESULTS_H_
