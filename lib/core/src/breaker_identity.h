// When may two users share one breaker?
#ifndef RECLOSER_CORE_SRC_BREAKER_IDENTITY_H_
#define RECLOSER_CORE_SRC_BREAKER_IDENTITY_H_

#include "recloser/core/breaker_options.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// True when breakers of these options would decide alike. Custom metrics are compared by pointer. Two hooks can't be compared, so
/// they count as different, unless both are copies of one `Identified` hook.
bool SameBreaker(const BreakerOptions& a, const BreakerOptions& b);

/// True when options of these kinds differ in nothing. What else there is to `BreakerOptions` is not the machine's.
bool SameKind(const BreakerOptions& a, const BreakerOptions& b);

/// `hook` in a form whose copies `SameBreaker` recognises. An empty one stays empty, an identified one what it is.
OutcomeHook Identified(OutcomeHook hook);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_BREAKER_IDENTITY_H_
