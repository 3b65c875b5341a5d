// Durations drawn from the distributions of fault.proto, the same on every machine for the same seed. Thread safety: none.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_DRAWS_H_
#define RECLOSER_DEMO_SERVICES_FAULT_DRAWS_H_

#include "recloser/core/random.h"
#include "recloser/core/time.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

/// A draw, at least 0.
Duration Draw(const v1::Distribution& distribution, Random& random);

/// `length * [1 - jitter, 1 + jitter)`, uniform.
Duration DrawJittered(Duration length, double jitter, Random& random);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_DRAWS_H_
