// Which plain fields of the options are which fields of the schema, told once for both directions: a field has the same name in both.
#ifndef RECLOSER_CONFIG_SRC_POLICY_FIELDS_H_
#define RECLOSER_CONFIG_SRC_POLICY_FIELDS_H_

#include <optional>
#include <variant>
#include <vector>

#include "recloser/core/adaptive_window.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/policies.h"
#include "recloser/core/rating.h"
#include "recloser/core/retry.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// Enumerations have the same numbers in the schema.
template <class Options>
struct PolicyField {
  const char* name;
  std::variant<bool Options::*, int Options::*, double Options::*, Duration Options::*, std::optional<Duration> Options::*,
               RetryMode Options::*, BreakerMode Options::*, BreakerScope Options::*, StandardBreakerOptions::Window Options::*>
      member;
};

/// What is not in these tables is a message, a list or the choice of a breaker, and is converted by hand.
template <class Options>
const std::vector<PolicyField<Options>>& PolicyFields();

template <>
const std::vector<PolicyField<MethodPolicy>>& PolicyFields();
template <>
const std::vector<PolicyField<RetryOptions>>& PolicyFields();
template <>
const std::vector<PolicyField<BackoffOptions>>& PolicyFields();
template <>
const std::vector<PolicyField<RetryBudgetOptions>>& PolicyFields();
template <>
const std::vector<PolicyField<BreakerOptions>>& PolicyFields();
template <>
const std::vector<PolicyField<AdaptiveBreakerOptions>>& PolicyFields();
template <>
const std::vector<PolicyField<StandardBreakerOptions>>& PolicyFields();
template <>
const std::vector<PolicyField<RatingOptions>>& PolicyFields();
template <>
const std::vector<PolicyField<WindowOptions>>& PolicyFields();

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CONFIG_SRC_POLICY_FIELDS_H_
