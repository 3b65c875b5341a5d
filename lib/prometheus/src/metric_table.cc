#include "metric_table.h"

#include <array>
#include <cstddef>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using prometheus::MetricType;

struct Row {
  MetricKey key;
  MetricInfo info;
};

#define LINK_LABELS "target,grpc_service,grpc_method"

constexpr Row kRows[] = {
    {MetricKey::kCallsStarted, {"recloser_calls_started_total", MetricType::Counter, LINK_LABELS, "Calls the application started."}},
    {MetricKey::kCallsHandled,
     {"recloser_calls_handled_total", MetricType::Counter, LINK_LABELS ",grpc_code,origin",
      "Calls that ended, by status code and by who made the status (origin: server, local)."}},
    {MetricKey::kCallDuration,
     {"recloser_call_duration_seconds", MetricType::Histogram, LINK_LABELS, "Duration of calls, all attempts and waits included."}},
    {MetricKey::kCallsInFlight, {"recloser_calls_in_flight", MetricType::Gauge, LINK_LABELS, "Calls that have started and not ended."}},
    {MetricKey::kAttemptsStarted, {"recloser_attempts_started_total", MetricType::Counter, LINK_LABELS, "Attempts put on the wire."}},
    {MetricKey::kAttemptsHandled,
     {"recloser_attempts_handled_total", MetricType::Counter, LINK_LABELS ",grpc_code,outcome",
      "Attempts that ended, by status code and by what they counted as (outcome: success, failure, ignored)."}},
    {MetricKey::kAttemptDuration,
     {"recloser_attempt_duration_seconds", MetricType::Histogram, LINK_LABELS ",outcome",
      "Duration of attempts, by what they counted as (outcome: success, failure, ignored)."}},
    {MetricKey::kAttemptsInFlight,
     {"recloser_attempts_in_flight", MetricType::Gauge, LINK_LABELS, "Attempts that are on the wire and have not ended."}},
    {MetricKey::kTimeouts,
     {"recloser_timeouts_total", MetricType::Counter, LINK_LABELS ",scope,source",
      "Deadlines that passed: of what (scope: call, attempt, stream_idle) and set by whom (source: policy, caller)."}},
    {MetricKey::kRetries,
     {"recloser_retries_total", MetricType::Counter, LINK_LABELS ",reason,result",
      "Retries that ended, by why they were made (reason: code, attempt_timeout, pushback) and how they ended (result: success, "
      "failure)."}},
    {MetricKey::kRetriesSuppressed,
     {"recloser_retries_suppressed_total", MetricType::Counter, LINK_LABELS ",why",
      "Failed calls that got no further attempt (why: budget, deadline, not_retryable, pushback, committed, breaker_open, max_attempts, "
      "nested, unsupported_message, cancelled)."}},
    {MetricKey::kRetryBackoff, {"recloser_retry_backoff_seconds", MetricType::Histogram, LINK_LABELS, "Waits before retries."}},
    {MetricKey::kRetryBudgetTokens,
     {"recloser_retry_budget_tokens", MetricType::Gauge, "target",
      "Tokens in the retry budget; of several channels to one target the emptiest. Retries stop at half of the maximum."}},
    {MetricKey::kRetryBudgetMaxTokens,
     {"recloser_retry_budget_max_tokens", MetricType::Gauge, "target",
      "Size of the retry budget that recloser_retry_budget_tokens shows."}},
    {MetricKey::kBreakerState,
     {"recloser_breaker_state", MetricType::Gauge, LINK_LABELS ",state",
      "1 for the state the breaker is in, 0 for the others (state: closed, open, half_open, forced_open, disabled)."}},
    {MetricKey::kBreakerAdmitted,
     {"recloser_breaker_admitted_ratio", MetricType::Gauge, LINK_LABELS,
      "Share of attempts admitted now: 1 closed, 0 open, between on the ramp."}},
    {MetricKey::kBreakerTransitions,
     {"recloser_breaker_transitions_total", MetricType::Counter, LINK_LABELS ",from,to,reason,mode",
      "Changes of state (from, to: the states; reason: rating, probe, ramp, lease, manual, config; mode: enforce, shadow)."}},
    {MetricKey::kBreakerLastTransition,
     {"recloser_breaker_last_transition_timestamp_seconds", MetricType::Gauge, LINK_LABELS,
      "Unix time of the last change of state; absent before the first."}},
    {MetricKey::kBreakerTimeInState,
     {"recloser_breaker_time_in_state_seconds_total", MetricType::Counter, LINK_LABELS ",state",
      "Time spent in each state, exact (state: closed, open, half_open, forced_open, disabled)."}},
    {MetricKey::kBreakerRejected,
     {"recloser_breaker_rejected_total", MetricType::Counter, LINK_LABELS ",mode",
      "Attempts rejected, or in shadow mode those that would have been (mode: enforce, shadow)."}},
    {MetricKey::kBreakerPermitsInFlight,
     {"recloser_breaker_permits_in_flight", MetricType::Gauge, LINK_LABELS,
      "Permits in flight: those that have not been given back, of streams to the first message."}},
    {MetricKey::kBreakerRating,
     {"recloser_breaker_rating_ratio", MetricType::Gauge, LINK_LABELS,
      "Rating of the link over the window, 1 = healthy; absent while unknown."}},
    {MetricKey::kBreakerScore,
     {"recloser_breaker_metric_score_ratio", MetricType::Gauge, LINK_LABELS ",metric",
      "Mean score of one metric of the rating over the window, 1 = healthy; absent while unknown."}},
    {MetricKey::kBreakerWeight,
     {"recloser_breaker_metric_weight_ratio", MetricType::Gauge, LINK_LABELS ",metric", "Normalised weight of one metric of the rating."}},
    {MetricKey::kBreakerThreshold,
     {"recloser_breaker_threshold_ratio", MetricType::Gauge, LINK_LABELS ",edge",
      "Ratings at which the breaker opens and may close (edge: open, close)."}},
    {MetricKey::kBreakerWindowCalls, {"recloser_breaker_window_calls", MetricType::Gauge, LINK_LABELS, "Attempts in the window."}},
    {MetricKey::kBreakerWindowSeconds,
     {"recloser_breaker_window_seconds", MetricType::Gauge, LINK_LABELS, "Age of the oldest attempt in the window."}},
    {MetricKey::kBreakerOfferedRate,
     {"recloser_breaker_offered_rate", MetricType::Gauge, LINK_LABELS, "Offered load, attempts asked for per second, admitted or not."}},
    {MetricKey::kBreakerProbes,
     {"recloser_breaker_probes_total", MetricType::Counter, LINK_LABELS ",result",
      "Probes that ended (result: success, failure, ignored, lease_expired)."}},
    {MetricKey::kBreakerStaleResults,
     {"recloser_breaker_stale_results_total", MetricType::Counter, LINK_LABELS, "Results of an older generation, which changed nothing."}},
    {MetricKey::kBreakerOpenDuration,
     {"recloser_breaker_open_duration_seconds", MetricType::Histogram, LINK_LABELS, "How long the breaker stayed open each time."}},
    {MetricKey::kShadowDecisions,
     {"recloser_shadow_decisions_total", MetricType::Counter, LINK_LABELS ",agreement",
      "Attempts that a breaker in shadow mode was asked about, by who would have refused (agreement: both_admit, both_reject, "
      "only_shadow_rejects, only_enforced_rejects)."}},
    {MetricKey::kShadowResults,
     {"recloser_shadow_results_total", MetricType::Counter, LINK_LABELS ",decision,result",
      "Attempts that were made and ended, by what the breaker in shadow mode had said (decision: admit, reject) and whether they failed or "
      "were slow (result: good, bad)."}},
    {MetricKey::kConfigInfo,
     {"recloser_config_info", MetricType::Gauge, "source,hash",
      "1 for the policies in use: where they came from and their content's hash."}},
    {MetricKey::kConfigGeneration,
     {"recloser_config_generation", MetricType::Gauge, "source", "1 at the start, one more with each update that was applied."}},
    {MetricKey::kConfigReloads,
     {"recloser_config_reloads_total", MetricType::Counter, "source,result", "Updates of policies (result: applied, unchanged, refused)."}},
    {MetricKey::kConfigLastReload,
     {"recloser_config_last_reload_successful", MetricType::Gauge, "source", "0 while the latest update is one that was refused, else 1."}},
    {MetricKey::kClockAnomalies,
     {"recloser_clock_anomalies_total", MetricType::Counter, LINK_LABELS,
      "Times the clock stepped back by more than a second under the breaker; must stay 0."}},
    {MetricKey::kInvariantViolations,
     {"recloser_invariant_violations_total", MetricType::Counter, LINK_LABELS,
      "Broken invariants of the breaker, each a bug; must stay 0."}},
    {MetricKey::kListenerErrors,
     {"recloser_listener_errors_total", MetricType::Counter, "",
      "Exceptions thrown by observers and hooks of the application; must stay 0."}},
    {MetricKey::kSeriesDropped,
     {"recloser_series_dropped_total", MetricType::Counter, "kind",
      "Methods reported as 'other' and breakers refused because there were too many (kind: method, breaker); must stay 0."}},
    {MetricKey::kProblems,
     {"recloser_problems_total", MetricType::Counter, "kind",
      "Wrong uses noticed (kind: core_retry_policy, unsupported_message, too_many_breakers, too_many_methods, hook_threw)."}},
};

#undef LINK_LABELS

constexpr std::size_t kCount = std::size(kRows);

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (static_cast<std::size_t>(kRows[i].key) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder() && kCount == static_cast<std::size_t>(MetricKey::kProblems) + 1, "one row for each key, in its order");

constexpr std::array<MetricInfo, kCount> Infos() {
  std::array<MetricInfo, kCount> infos{};
  for (std::size_t i = 0; i < kCount; ++i) infos[i] = kRows[i].info;
  return infos;
}
constexpr std::array<MetricInfo, kCount> kInfos = Infos();

}  // namespace

absl::Span<const MetricInfo> PrometheusMetrics() { return kInfos; }

const MetricInfo& Info(MetricKey key) { return kInfos[static_cast<std::size_t>(key)]; }

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
