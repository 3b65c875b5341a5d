#include "policy_fields.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

template <>
const std::vector<PolicyField<MethodPolicy>>& PolicyFields() {
  static const auto* const fields = new std::vector<PolicyField<MethodPolicy>>{
      {"deadline", &MethodPolicy::deadline},
      {"attempt_timeout", &MethodPolicy::attempt_timeout},
      {"stream_idle_timeout", &MethodPolicy::stream_idle_timeout},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<RetryOptions>>& PolicyFields() {
  static const auto* const fields = new std::vector<PolicyField<RetryOptions>>{
      {"mode", &RetryOptions::mode},
      {"max_attempts", &RetryOptions::max_attempts},
      {"retry_attempt_timeouts", &RetryOptions::retry_attempt_timeouts},
      {"retry_rejections", &RetryOptions::retry_rejections},
      {"retry_server_streams", &RetryOptions::retry_server_streams},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<BackoffOptions>>& PolicyFields() {
  static const auto* const fields = new std::vector<PolicyField<BackoffOptions>>{
      {"base", &BackoffOptions::base},
      {"multiplier", &BackoffOptions::multiplier},
      {"cap", &BackoffOptions::cap},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<RetryBudgetOptions>>& PolicyFields() {
  static const auto* const fields = new std::vector<PolicyField<RetryBudgetOptions>>{
      {"enabled", &RetryBudgetOptions::enabled},
      {"max_tokens", &RetryBudgetOptions::max_tokens},
      {"token_ratio", &RetryBudgetOptions::token_ratio},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<BreakerOptions>>& PolicyFields() {
  static const auto* const fields = new std::vector<PolicyField<BreakerOptions>>{
      {"mode", &BreakerOptions::mode},
      {"scope", &BreakerOptions::scope},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<AdaptiveBreakerOptions>>& PolicyFields() {
  using Options = AdaptiveBreakerOptions;
  static const auto* const fields = new std::vector<PolicyField<Options>>{
      {"wasted_attempt_cost", &Options::wasted_attempt_cost},
      {"slow_call_duration", &Options::slow_call_duration},
      {"slow_call_duration_unlearnt", &Options::slow_call_duration_unlearnt},
      {"evidence_min", &Options::evidence_min},
      {"evidence_max", &Options::evidence_max},
      {"evidence_per_rate", &Options::evidence_per_rate},
      {"consecutive_bad", &Options::consecutive_bad},
      {"low_rate", &Options::low_rate},
      {"rate_time_constant", &Options::rate_time_constant},
      {"probe_interval_min", &Options::probe_interval_min},
      {"probe_interval_max", &Options::probe_interval_max},
      {"probe_share_max", &Options::probe_share_max},
      {"probe_jitter", &Options::probe_jitter},
      {"probes_in_flight_max", &Options::probes_in_flight_max},
      {"ramp_start", &Options::ramp_start},
      {"ramp_floor", &Options::ramp_floor},
      {"ramp_growth", &Options::ramp_growth},
      {"ramp_stage_outcomes", &Options::ramp_stage_outcomes},
      {"ramp_free_rate", &Options::ramp_free_rate},
      {"permit_lease", &Options::permit_lease},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<StandardBreakerOptions>>& PolicyFields() {
  using Options = StandardBreakerOptions;
  static const auto* const fields = new std::vector<PolicyField<Options>>{
      {"window", &Options::window},
      {"window_calls", &Options::window_calls},
      {"window_time", &Options::window_time},
      {"minimum_calls", &Options::minimum_calls},
      {"failure_rate_threshold", &Options::failure_rate_threshold},
      {"slow_call_rate_threshold", &Options::slow_call_rate_threshold},
      {"slow_call_duration", &Options::slow_call_duration},
      {"wait", &Options::wait},
      {"wait_multiplier", &Options::wait_multiplier},
      {"wait_cap", &Options::wait_cap},
      {"wait_jitter", &Options::wait_jitter},
      {"permitted_half_open_calls", &Options::permitted_half_open_calls},
      {"permit_lease", &Options::permit_lease},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<RatingOptions>>& PolicyFields() {
  static const auto* const fields = new std::vector<PolicyField<RatingOptions>>{
      {"open_threshold", &RatingOptions::open_threshold},
      {"close_threshold", &RatingOptions::close_threshold},
      {"min_known_weight", &RatingOptions::min_known_weight},
  };
  return *fields;
}

template <>
const std::vector<PolicyField<WindowOptions>>& PolicyFields() {
  static const auto* const fields = new std::vector<PolicyField<WindowOptions>>{
      {"context", &WindowOptions::context},
      {"min_calls", &WindowOptions::min_calls},
      {"max_calls", &WindowOptions::max_calls},
      {"max_age", &WindowOptions::max_age},
  };
  return *fields;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
