// The arms of an evaluation: which breaker guards the calls, and which other patterns are with it.
//
//   const Arm* ours = FindArm("adaptive");
//   Policies policies = PoliciesOf(*ours, Pattern::kScenario, scenario.calls);
//
// Thread safety: values and pure functions.
#ifndef RECLOSER_SIM_ARMS_H_
#define RECLOSER_SIM_ARMS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/policies.h"
#include "recloser/sim/scenario.h"

namespace recloser::sim {

struct Arm {
  std::string name;  // "adaptive", "standard-c20-w1s"
  std::string title;
  BreakerOptions breaker;
  /// A user's own: these hold, timeouts and retries included, as far as the pattern has them. Default: none.
  std::optional<Policies> policies = std::nullopt;
};

/// The patterns that are combined.
enum class Pattern {
  kScenario,  // breaker and timeout, and retries where the scenario has attempts: what the bars judge
  kBreaker,
  kBreakerRetry,
  kBreakerTimeout,
  kAll,
};
inline constexpr int kPatterns = 5;
absl::string_view PatternName(Pattern pattern);  // "scenario", "breaker", "breaker+retry", "breaker+timeout", "all"

/// No breaker.
Arm NoBreakerArm();
/// Ours, with everything but the cost at its default.
Arm AdaptiveArm(double wasted_attempt_cost);
/// The standard breaker on the grid {count window 20, 100; time window 1 s, 10 s} x wait {0.5, 1, 2, 5, 10 s}: failures >= 50 %,
/// slow (> 0.5 s) >= 80 %, 10 calls in half-open.
std::vector<Arm> StandardGrid();
/// {half-open 1, 3, 10} x {slow 50 %, 80 %} x the same windows x the same waits and 0.1 and 0.25 s.
std::vector<Arm> WideGrid();
/// `threshold`, `threshold-cleared`, `sre`, `pid`: other people's rules (lib/sim/src/baselines).
std::vector<Arm> BaselineArms();
/// The standard breaker as Resilience4j has it when nothing is set: 100 calls, 60 s. Among the arms of `FindArm` only.
Arm StandardDefaultsArm();
/// Ours with one part taken out each.
std::vector<Arm> AblationArms();

/// A policy file (recloser/config/policies.h) as an arm: the entry of its default name and its retry budget are every caller's. Named like
/// the file, without folders. The errors of `ReadPolicyFile`.
absl::StatusOr<Arm> PolicyFileArm(const std::string& path);

/// All but the wide grid: none, ours (cost 3, 1, 10, 30), the standard grid, the baselines, the ablations.
std::vector<Arm> DefaultArms();
/// Any of all arms; null when there is none of that name.
const Arm* FindArm(absl::string_view name);

/// The policies of every caller in a scenario.
Policies PoliciesOf(const Arm& arm, Pattern pattern, const Calls& calls);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_ARMS_H_
