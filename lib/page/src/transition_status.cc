#include "transition_status.h"

#include <string>

#include "recloser/core/breaker.h"
#include "recloser/core/utf8.h"

namespace recloser::page {

v1::Transition TransitionStatus(const EventLog::Transition& entry, Time now) {
  const BreakerTransition& t = entry.transition;
  v1::Transition status;
  status.set_unix_time_seconds(entry.unix_time_seconds);
  status.set_age_seconds(ToSeconds(Elapsed(t.at, now)));
  status.set_from(std::string(StateName(t.from)));
  status.set_to(std::string(StateName(t.to)));
  status.set_reason(std::string(ReasonName(t.reason)));
  status.set_explanation(ToUtf8(Explain(t)));
  status.set_generation(static_cast<double>(t.generation));
  status.set_seconds_in_from(ToSeconds(t.time_in_from));
  status.set_offered_rate(t.offered_rate);
  status.set_admitted_share(t.admitted_share);
  status.set_context_calls(static_cast<double>(t.context_calls));
  status.set_context_failed(static_cast<double>(t.context_failed));
  status.set_context_slow(static_cast<double>(t.context_slow));
  if (t.context_bad) status.set_context_bad(static_cast<double>(*t.context_bad));
  if (t.context_required) status.set_context_required(static_cast<double>(*t.context_required));
  if (t.rating) status.set_rating(*t.rating);
  if (t.open_threshold) status.set_open_threshold(*t.open_threshold);
  if (t.close_threshold) status.set_close_threshold(*t.close_threshold);
  if (t.evidence) status.set_evidence(*t.evidence);
  if (t.evidence_limit) status.set_evidence_limit(*t.evidence_limit);
  if (t.consecutive_bad) status.set_consecutive_bad(static_cast<double>(*t.consecutive_bad));
  if (t.consecutive_bad_limit) status.set_consecutive_bad_limit(static_cast<double>(*t.consecutive_bad_limit));
  if (t.outage) status.set_outage_seconds(ToSeconds(*t.outage));
  if (t.ramp_share) status.set_ramp_share(*t.ramp_share);
  if (t.healthy_latency) status.set_healthy_latency_seconds(ToSeconds(*t.healthy_latency));
  if (t.slow_call_duration) status.set_slow_call_duration_seconds(ToSeconds(*t.slow_call_duration));
  if (t.failure_rate) status.set_failure_rate(*t.failure_rate);
  if (t.failure_rate_threshold) status.set_failure_rate_threshold(*t.failure_rate_threshold);
  if (t.slow_call_rate) status.set_slow_call_rate(*t.slow_call_rate);
  if (t.slow_call_rate_threshold) status.set_slow_call_rate_threshold(*t.slow_call_rate_threshold);
  if (t.wait) status.set_wait_seconds(ToSeconds(*t.wait));
  if (t.lease) status.set_lease_seconds(ToSeconds(*t.lease));
  for (const auto& [metric, score] : t.scores) (*status.mutable_scores())[ToUtf8(metric)] = score;
  return status;
}

}  // namespace recloser::page
