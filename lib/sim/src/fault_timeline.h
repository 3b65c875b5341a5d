// What is wrong with each server when: a service's faults with their jitters drawn, cut into pieces in which nothing begins or ends.
//
// Thread safety: none; a timeline is read forwards in time.
#ifndef RECLOSER_SIM_SRC_FAULT_TIMELINE_H_
#define RECLOSER_SIM_SRC_FAULT_TIMELINE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "recloser/core/random.h"
#include "recloser/core/time.h"
#include "recloser/sim/conditions.h"
#include "recloser/sim/scenario.h"

namespace recloser::sim {

/// One fault, or one period of flapping, with its times drawn.
struct FaultInterval {
  Time begin;
  Time end;
  Fault::Kind kind;
  const Fault* fault;
};

/// A service's intervals in the order of the file; `origin`: the end of the warm-up. The faults must outlive them.
std::vector<FaultInterval> DrawIntervals(const std::vector<Fault>& faults, Time origin, Random* random);

/// From the begin of the first to the end of the last one that is not a recovery. Nothing without faults.
struct FaultSpan {
  Time begin;
  Time end;
};
std::optional<FaultSpan> SpanOf(const std::vector<FaultInterval>& intervals);

class FaultTimeline {
 public:
  /// Of the endpoint of that number.
  FaultTimeline(const std::vector<FaultInterval>& intervals, int endpoint, double background_errors);

  /// `now` must not be earlier than in the call before.
  const Conditions& At(Time now);
  /// The begins of the times in which connections are refused.
  std::vector<Time> Cuts() const;
  /// The begins of the pieces in which nothing begins or ends; the first one is `Time::min()`.
  std::vector<Time> Edges() const;

 private:
  struct Piece {
    Time begin;
    Conditions conditions;
    std::vector<FaultInterval> ramps;  // capacities that change within the piece
  };

  std::vector<Piece> pieces_;
  std::size_t current_ = 0;
  Conditions ramped_;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_FAULT_TIMELINE_H_
