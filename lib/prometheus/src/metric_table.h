// Keys into the table of metrics: what the code says instead of a name.
#ifndef RECLOSER_PROMETHEUS_SRC_METRIC_TABLE_H_
#define RECLOSER_PROMETHEUS_SRC_METRIC_TABLE_H_

#include "recloser/prometheus/metrics.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

enum class MetricKey {
  kCallsStarted,
  kCallsHandled,
  kCallDuration,
  kCallsInFlight,
  kAttemptsStarted,
  kAttemptsHandled,
  kAttemptDuration,
  kAttemptsInFlight,
  kTimeouts,
  kRetries,
  kRetriesSuppressed,
  kRetryBackoff,
  kRetryBudgetTokens,
  kRetryBudgetMaxTokens,
  kBreakerState,
  kBreakerAdmitted,
  kBreakerTransitions,
  kBreakerLastTransition,
  kBreakerTimeInState,
  kBreakerRejected,
  kBreakerPermitsInFlight,
  kBreakerRating,
  kBreakerScore,
  kBreakerWeight,
  kBreakerThreshold,
  kBreakerWindowCalls,
  kBreakerWindowSeconds,
  kBreakerOfferedRate,
  kBreakerProbes,
  kBreakerStaleResults,
  kBreakerOpenDuration,
  kShadowDecisions,
  kShadowResults,
  kConfigInfo,
  kConfigGeneration,
  kConfigReloads,
  kConfigLastReload,
  kClockAnomalies,
  kInvariantViolations,
  kListenerErrors,
  kSeriesDropped,
  kProblems,
};

const MetricInfo& Info(MetricKey key);

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_SRC_METRIC_TABLE_H_
