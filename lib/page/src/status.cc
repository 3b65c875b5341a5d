#include "status.h"

#include <google/protobuf/util/json_util.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "protobuf_versions.h"
#include "recloser/core/utf8.h"
#include "settings.h"
#include "transition_status.h"

namespace recloser::page {
namespace {

void FillRating(const BreakerSnapshot& snapshot, v1::Breaker* status) {
  if (snapshot.rating) status->set_rating(*snapshot.rating);
  if (snapshot.open_threshold) status->set_open_threshold(*snapshot.open_threshold);
  if (snapshot.close_threshold) status->set_close_threshold(*snapshot.close_threshold);
  if (snapshot.evidence) status->set_evidence(*snapshot.evidence);
  if (snapshot.evidence_limit) status->set_evidence_limit(*snapshot.evidence_limit);
  if (snapshot.failure_rate) status->set_failure_rate(*snapshot.failure_rate);
  if (snapshot.slow_call_rate) status->set_slow_call_rate(*snapshot.slow_call_rate);
  for (const auto& [name, weight] : snapshot.weights) {
    v1::Metric& metric = *status->add_metrics();
    metric.set_name(ToUtf8(name));
    metric.set_weight(weight);
    for (const auto& [scored, score] : snapshot.scores) {
      if (scored != name) continue;
      metric.set_score(score);
      metric.set_contribution(weight * score);
    }
  }
}

void FillCounters(const BreakerSnapshot& snapshot, v1::Breaker* status) {
  status->set_rejected(static_cast<double>(snapshot.rejected));
  status->set_stale_results(static_cast<double>(snapshot.stale_results));
  status->set_leases_expired(static_cast<double>(snapshot.leases_expired));
  status->set_clock_anomalies(static_cast<double>(snapshot.clock_anomalies));
  status->set_invariant_violations(static_cast<double>(snapshot.invariant_violations));
  for (int i = 0; i < kProbeResults; ++i) {
    (*status->mutable_probes())[std::string(ProbeResultName(static_cast<ProbeResult>(i)))] =
        static_cast<double>(snapshot.probes[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < kBreakerStates; ++i) {
    (*status->mutable_seconds_by_state())[std::string(StateName(static_cast<BreakerState>(i)))] =
        ToSeconds(snapshot.time_in_state[static_cast<std::size_t>(i)]);
  }
}

v1::Shadow ShadowStatus(const ShadowCounts& counts) {
  v1::Shadow status;
  status.set_explanation(ExplainShadow(counts));
  status.set_both_admit(static_cast<double>(counts.both_admit));
  status.set_both_reject(static_cast<double>(counts.both_reject));
  status.set_only_shadow_rejects(static_cast<double>(counts.only_shadow_rejects));
  status.set_only_enforced_rejects(static_cast<double>(counts.only_enforced_rejects));
  status.set_bad(static_cast<double>(counts.bad));
  status.set_good(static_cast<double>(counts.good));
  status.set_would_save(static_cast<double>(counts.would_save));
  status.set_would_refuse_good(static_cast<double>(counts.would_refuse_good));
  return status;
}

}  // namespace

v1::Breaker BreakerStatus(const SharedBreaker& breaker, const EventLog& log, Time now, bool brief) {
  const BreakerSnapshot snapshot = breaker.Snapshot(now);
  const std::shared_ptr<const BreakerOptions> in_force = breaker.options();
  const BreakerOptions& options = *in_force;
  v1::Breaker status;
  status.set_target(ToUtf8(breaker.id().target));
  status.set_name(ToUtf8(breaker.id().name()));
  status.set_state(std::string(StateName(snapshot.state)));
  status.set_seconds_in_state(ToSeconds(Elapsed(snapshot.since, now)));
  status.set_mode(std::string(ModeName(options.mode)));
  status.set_kind(ToUtf8(KindOf(options)));
  status.set_generation(static_cast<double>(snapshot.generation));
  status.set_admitted_share(snapshot.admitted_share);
  if (snapshot.state == BreakerState::kOpen) status.set_retry_after_seconds(ToSeconds(snapshot.retry_after));
  FillRating(snapshot, &status);
  status.set_window_calls(static_cast<double>(snapshot.window_calls));
  status.set_window_seconds(ToSeconds(snapshot.window_span));
  if (!std::holds_alternative<StandardBreakerOptions>(options.kind)) status.set_offered_rate(snapshot.offered_rate);
  if (snapshot.healthy_latency) status.set_healthy_latency_seconds(ToSeconds(*snapshot.healthy_latency));
  status.set_permits_in_flight(static_cast<double>(snapshot.permits_in_flight));
  status.set_probes_in_flight(static_cast<double>(snapshot.probes_in_flight));
  FillCounters(snapshot, &status);
  if (snapshot.shadow) *status.mutable_shadow() = ShadowStatus(*snapshot.shadow);
  if (brief) return status;
  for (const EventLog::Transition& entry : log.Transitions(breaker.id())) *status.add_transitions() = TransitionStatus(entry, now);
  for (auto& [name, value] : SettingsOf(options)) {
    v1::Setting& setting = *status.add_settings();
    setting.set_name(ToUtf8(name));
    setting.set_value(ToUtf8(value));
  }
  return status;
}

v1::Status RegistryStatus(Registry& registry, const StatusSelection& selection, const EventLog& log, Time now) {
  v1::Status status;
  for (const std::shared_ptr<SharedBreaker>& breaker : registry.List()) {
    if (selection.breaker && *selection.breaker != ToUtf8(absl::StrCat(breaker->id().target, " ", breaker->id().name()))) continue;
    // A custom breaker or metric is the application's code.
    std::optional<v1::Breaker> one;
    if (registry.Guard([&] { one = BreakerStatus(*breaker, log, now, selection.brief); })) *status.add_breakers() = *std::move(one);
  }
  for (const Registry::BudgetState& budget : registry.Budgets()) {
    v1::RetryBudget& shown = *status.add_retry_budgets();
    shown.set_target(ToUtf8(budget.target));
    shown.set_tokens(budget.tokens);
    shown.set_max_tokens(budget.max_tokens);
  }
  for (const EventLog::ProblemTold& told : log.Problems()) {
    v1::Problem& shown = *status.add_problems();
    shown.set_kind(std::string(ProblemName(told.problem.kind)));
    shown.set_target(ToUtf8(told.problem.target));
    shown.set_detail(ToUtf8(told.problem.detail));
    shown.set_unix_time_seconds(told.unix_time_seconds);
    shown.set_age_seconds(ToSeconds(Elapsed(told.at, now)));
  }
  status.set_breakers_refused(static_cast<double>(registry.breakers_refused()));
  return status;
}

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  PrintDefaults(options);
  options.preserve_proto_field_names = true;
  std::string json;
  (void)google::protobuf::util::MessageToJsonString(message, &json, options);  // fails for malformed messages of dynamic types only
  return json;
}

}  // namespace recloser::page
