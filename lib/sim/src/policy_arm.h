// A user's own policies as an arm.
#ifndef RECLOSER_SIM_SRC_POLICY_ARM_H_
#define RECLOSER_SIM_SRC_POLICY_ARM_H_

#include "recloser/core/policies.h"
#include "recloser/sim/arms.h"

namespace recloser::sim {

/// `policies` without the retries or the times that the pattern has not.
Policies PartOf(Policies policies, Pattern pattern);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_POLICY_ARM_H_
