// The offered load over time: pieces on which the rate is a straight line.
//
// Arrivals are a Poisson process of that rate: the next one is where the integral of the rate has grown by an exponentially distributed
// amount, solved exactly on each piece, so that one draw makes one arrival. Thread safety: const members from any thread.
#ifndef RECLOSER_SIM_SRC_LOAD_PROFILE_H_
#define RECLOSER_SIM_SRC_LOAD_PROFILE_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "recloser/core/random.h"
#include "recloser/core/time.h"
#include "recloser/sim/scenario.h"

namespace recloser::sim {

class LoadProfile {
 public:
  /// The load begins at `begin`; the changes count from `origin`; no arrivals from `end` on.
  LoadProfile(const Load& load, Time begin, Time origin, Time end);

  /// Calls per second of all clients together.
  double RateAt(Time t) const;

  /// One client's arrivals, in order.
  class Arrivals {
   public:
    Arrivals(const LoadProfile* profile, Random random);
    /// Nothing after the last one.
    std::optional<Time> Next();

   private:
    const LoadProfile* profile_;
    Random random_;
    std::size_t piece_ = 0;
    double offset_s_ = 0;  // of the latest arrival from the piece's begin
  };

 private:
  struct Piece {
    Time begin;
    double length_s;
    double rate_begin;
    double slope;  // calls per second, per second

    double RateAtOffset(double offset_s) const { return rate_begin + slope * offset_s; }
  };

  void AddPiece(Time begin, Time end, double rate_begin, double rate_end);

  std::vector<Piece> pieces_;
  int clients_;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_LOAD_PROFILE_H_
