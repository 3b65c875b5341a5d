// Options of the core out of a fuzzer's bytes: all valid ones can come, also those at the ends of their ranges.
#ifndef RECLOSER_TEST_FUZZ_CORE_OPTIONS_H_
#define RECLOSER_TEST_FUZZ_CORE_OPTIONS_H_

#include "fuzz_input.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/outcome.h"
#include "recloser/core/policies.h"
#include "recloser/core/time.h"

namespace recloser::fuzz {

/// Valid.
BreakerOptions AnyBreaker(FuzzInput& input);
/// Valid. With any breakers.
Policies AnyPolicies(FuzzInput& input);
AttemptResult AnyResult(FuzzInput& input);
/// Onwards by nothing up to centuries, sometimes back.
Time AnyLater(FuzzInput& input, Time now);

}  // namespace recloser::fuzz

#endif  // RECLOSER_TEST_FUZZ_CORE_OPTIONS_H_
