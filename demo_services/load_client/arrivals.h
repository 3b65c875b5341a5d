// When calls arrive: a Poisson process, the same for the same seed.
//
//   PoissonArrivals arrivals(200, seed);            // calls per second
//   for (Duration at = arrivals.Next(); at < length; at = arrivals.Next()) ...
//
// Thread safety: none.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_ARRIVALS_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_ARRIVALS_H_

#include <cmath>
#include <cstdint>

#include "recloser/core/random.h"
#include "recloser/core/time.h"

namespace recloser::demo {

class PoissonArrivals {
 public:
  PoissonArrivals(double rate, std::uint64_t seed) : rate_(rate), random_(seed) {}

  /// The next arrival, counted from the start of the load.
  Duration Next() {
    at_seconds_ += -std::log1p(-random_.Uniform()) / rate_;
    return FromSeconds(at_seconds_);
  }

 private:
  double rate_;
  Random random_;
  double at_seconds_ = 0;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_ARRIVALS_H_
