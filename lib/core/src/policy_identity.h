// When do two policies say the same?
#ifndef RECLOSER_CORE_SRC_POLICY_IDENTITY_H_
#define RECLOSER_CORE_SRC_POLICY_IDENTITY_H_

#include "recloser/core/policies.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// As `SameBreaker`: metrics and factories by pointer, hooks when both are copies of one identified hook.
bool SamePolicy(const MethodPolicy& a, const MethodPolicy& b);
bool SamePolicies(const Policies& a, const Policies& b);

/// `policies` with hooks whose copies are recognised: methods that share a policy share its hook, and so may share a breaker.
Policies WithIdentifiedHooks(Policies policies);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_POLICY_IDENTITY_H_
