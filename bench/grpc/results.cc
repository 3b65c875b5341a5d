#include "results.h"

namespace recloser::bench {
namespace {

std::optional<double> ValueOf(const Round& round, absl::string_view arm, Figure figure) {
  const auto found = round.find(arm);
  return found == round.end() ? std::nullopt : found->second.Get(figure);
}

}  // namespace

const char* Name(Figure figure) {
  switch (figure) {
    case Figure::kLatency:
      return "latency p50";
    case Figure::kThroughput:
      return "throughput";
    case Figure::kCpu:
      return "CPU";
    case Figure::kInstructions:
      return "instructions";
    case Figure::kAllocations:
      return "allocations";
  }
  return "";
}

const char* Unit(Figure figure) {
  switch (figure) {
    case Figure::kLatency:
      return "us";
    case Figure::kThroughput:
      return "calls/s";
    case Figure::kCpu:
      return "us of CPU";
    case Figure::kInstructions:
      return "instructions";
    case Figure::kAllocations:
      return "allocations";
  }
  return "";
}

std::size_t Results::RoundsOf(const Cell& cell) const {
  const auto found = rounds_.find(cell);
  return found == rounds_.end() ? 0 : found->second.size();
}

std::vector<double> Results::Values(const Cell& cell, absl::string_view arm, Figure figure) const {
  std::vector<double> values;
  const auto found = rounds_.find(cell);
  if (found == rounds_.end()) return values;
  for (const Round& round : found->second) {
    if (const auto value = ValueOf(round, arm, figure)) values.push_back(*value);
  }
  return values;
}

std::vector<double> Results::Ratios(const Cell& cell, absl::string_view arm, absl::string_view yardstick, Figure figure) const {
  std::vector<double> ratios;
  const auto found = rounds_.find(cell);
  if (found == rounds_.end()) return ratios;
  for (const Round& round : found->second) {
    const auto value = ValueOf(round, arm, figure);
    const auto base = ValueOf(round, yardstick, figure);
    if (value && base && *base > 0) ratios.push_back(*value / *base);
  }
  return ratios;
}

}  // namespace recloser::bench
