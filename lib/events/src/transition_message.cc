#include "transition_message.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "recloser/core/time.h"
#include "valid_text.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {
namespace {

// A metric's name is a label value: short.
constexpr std::size_t kMaxMetricName = 100;

std::int32_t Narrow(std::int64_t count) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(count, 0, std::numeric_limits<std::int32_t>::max()));
}

/// Exact for whole numbers, unlike `ToSeconds`: people read this.
double Seconds(Duration d) { return static_cast<double>(d.count()) / 1e9; }

void AddDecision(const BreakerTransition& from, v1::Transition* to) {
  const auto count = [&](const std::optional<std::int64_t>& value, void (v1::Transition::*set)(std::int32_t)) {
    if (value.has_value()) (to->*set)(Narrow(*value));
  };
  const auto number = [&](const std::optional<double>& value, void (v1::Transition::*set)(double)) {
    if (value.has_value()) (to->*set)(*value);
  };
  const auto seconds = [&](const std::optional<Duration>& value, void (v1::Transition::*set)(double)) {
    if (value.has_value()) (to->*set)(Seconds(*value));
  };
  count(from.context_bad, &v1::Transition::set_context_bad);
  count(from.context_required, &v1::Transition::set_context_required);
  number(from.rating, &v1::Transition::set_rating);
  number(from.open_threshold, &v1::Transition::set_open_threshold);
  number(from.close_threshold, &v1::Transition::set_close_threshold);
  number(from.evidence, &v1::Transition::set_evidence);
  number(from.evidence_limit, &v1::Transition::set_evidence_limit);
  count(from.consecutive_bad, &v1::Transition::set_consecutive_bad);
  count(from.consecutive_bad_limit, &v1::Transition::set_consecutive_bad_limit);
  seconds(from.outage, &v1::Transition::set_outage_seconds);
  number(from.ramp_share, &v1::Transition::set_ramp_share);
  seconds(from.healthy_latency, &v1::Transition::set_healthy_latency_seconds);
  seconds(from.slow_call_duration, &v1::Transition::set_slow_call_duration_seconds);
  number(from.failure_rate, &v1::Transition::set_failure_rate);
  number(from.failure_rate_threshold, &v1::Transition::set_failure_rate_threshold);
  number(from.slow_call_rate, &v1::Transition::set_slow_call_rate);
  number(from.slow_call_rate_threshold, &v1::Transition::set_slow_call_rate_threshold);
  seconds(from.wait, &v1::Transition::set_wait_seconds);
  seconds(from.lease, &v1::Transition::set_lease_seconds);
}

}  // namespace

void ToMessage(const BreakerTransition& from, v1::Transition* to) {
  to->set_from(std::string(StateName(from.from)));
  to->set_to(std::string(StateName(from.to)));
  to->set_reason(std::string(ReasonName(from.reason)));
  to->set_at_seconds(Seconds(from.at.time_since_epoch()));
  to->set_generation(static_cast<std::uint32_t>(std::min<std::uint64_t>(from.generation, std::numeric_limits<std::uint32_t>::max())));
  to->set_time_in_from_seconds(Seconds(from.time_in_from));
  to->set_offered_rate(from.offered_rate);
  to->set_admitted_share(from.admitted_share);
  to->set_context_calls(Narrow(from.context_calls));
  to->set_context_failed(Narrow(from.context_failed));
  to->set_context_slow(Narrow(from.context_slow));
  for (const auto& [metric, score] : from.scores) {
    v1::MetricScore* const added = to->add_scores();
    added->set_metric(ValidText(metric, kMaxMetricName));
    added->set_score(score);
  }
  AddDecision(from, to);
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
