// Other scenarios than the shipped ones: does a result hold for them too?
//
// Thread safety: pure.
#ifndef RECLOSER_SIM_VARIATIONS_H_
#define RECLOSER_SIM_VARIATIONS_H_

#include <cstdint>
#include <vector>

#include "recloser/sim/scenario.h"

namespace recloser::sim {

/// `scenario` with its rates, service times, fault lengths and jitters each multiplied by a number drawn from [0.5, 1.5] by `seed`. Workers
/// scale with rate and service time, so that the utilisation before the fault is the same.
Scenario Varied(const Scenario& scenario, std::uint64_t seed);

/// Scenarios "H001", "H002", ... drawn at random, for a test on what was never looked at while the model was made:
/// rate 2 to 2,000 calls/s (uniform in its logarithm), service time 2 to 200 ms (likewise), sigma 0.2 to 1, utilisation 30 to 80 % (workers
/// rounded up), background errors 0 to 2 %, one third with 3 attempts; one fault of a kind drawn among refused, blackhole, slow (5 to 50
/// times), errors (20 to 90 %), capacity (10 to 60 %, half of them as workers), flapping (0.5 to 3 s down, 1 to 9 s up) and refused with a
/// cold recovery; 1 to 40 s long.
std::vector<Scenario> HeldOutScenarios(int count, std::uint64_t seed);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_VARIATIONS_H_
