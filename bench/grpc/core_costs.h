// What the breaker costs by itself, without gRPC: time beside the cheapest things that threads can share, and memory.
#ifndef RECLOSER_BENCH_GRPC_CORE_COSTS_H_
#define RECLOSER_BENCH_GRPC_CORE_COSTS_H_

#include <map>
#include <string>
#include <vector>

#include "demo_services/common/interrupt.h"

namespace recloser::bench {

inline constexpr char kClockRead[] = "clock read";
inline constexpr char kAtomicAdd[] = "atomic add";
inline constexpr char kMutex[] = "mutex, locked and unlocked";
inline constexpr char kPermitAndRecord[] = "permit + record, with two clock reads";

struct CoreCosts {
  /// Nanoseconds per operation, one value for each round.
  struct Operation {
    std::string name;
    std::vector<double> one_thread;
    std::vector<double> two_threads;  // on one breaker, atomic or mutex
  };
  std::vector<Operation> operations;
  double bytes_per_breaker = 0;  // on the heap, its window filled; 0: not measured

  /// Null when it was not measured.
  const Operation* Find(const std::string& name) const;
  /// Of a healthy attempt, without the two reads of the clock; one value for each round.
  std::vector<double> PermitAndRecordAlone() const;
  /// Two threads' time by one's.
  std::vector<double> TwoThreadsByOne() const;
};

/// Rounds of all operations in turn, until interrupted.
CoreCosts MeasureCore(int rounds, const demo::Interrupt& interrupt);

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_CORE_COSTS_H_
