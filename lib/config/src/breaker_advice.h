// What is unwise in a policy's breakers.
#ifndef RECLOSER_CONFIG_SRC_BREAKER_ADVICE_H_
#define RECLOSER_CONFIG_SRC_BREAKER_ADVICE_H_

#include <string>
#include <vector>

#include "recloser/config/policy_advice.h"
#include "recloser/core/policies.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// `where`: of the advice.
void AdviseBreakers(const MethodPolicy& policy, const std::string& where, std::vector<PolicyAdvice>* advice);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_BREAKER_ADVICE_H_
