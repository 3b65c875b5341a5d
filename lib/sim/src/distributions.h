// The distributions of the simulator, on the pinned generator and the pinned mathematics. One draw from the generator each, and monotone in
// it.
//
// Thread safety: values.
#ifndef RECLOSER_SIM_SRC_DISTRIBUTIONS_H_
#define RECLOSER_SIM_SRC_DISTRIBUTIONS_H_

#include "pinned_math.h"
#include "recloser/core/random.h"

namespace recloser::sim {

/// Exponential with mean 1.
inline double DrawExponential(Random* random) { return -Log(1 - random->Uniform()); }

/// Given by its own mean and the standard deviation of its logarithm.
class Lognormal {
 public:
  Lognormal(double mean, double sigma) : median_(mean * Exp(-0.5 * sigma * sigma)), sigma_(sigma) {}

  double Draw(Random* random) const {
    // In the middle of each of the 2^53 steps: never 0, never 1.
    const double p = (static_cast<double>(random->Next() >> 11) + 0.5) * 0x1.0p-53;
    return median_ * Exp(sigma_ * InverseNormal(p));
  }

 private:
  double median_;
  double sigma_;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_DISTRIBUTIONS_H_
