#include "core_options.h"

#include <algorithm>
#include <chrono>

namespace recloser::fuzz {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Mostly the default; else one of the ends, or something between.
int AnyInt(FuzzInput& input, int otherwise, int low, int high) {
  switch (input.Pick(6)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return low + static_cast<int>(static_cast<std::uint64_t>(input.Number()) % static_cast<std::uint64_t>(high - low + 1));
    case 3:
      return std::min(high, low + input.Byte());
    default:
      return otherwise;
  }
}

/// The same; `between`: what something between is.
template <class Value, class Between>
Value Any(FuzzInput& input, Value otherwise, Value low, Value high, Between between) {
  switch (input.Pick(5)) {
    case 0:
      return low;
    case 1:
      return high;
    case 2:
      return between();
    default:
      return otherwise;
  }
}

Duration AnyDuration(FuzzInput& input, Duration otherwise, Duration low, Duration high) {
  return Any(input, otherwise, low, high, [&] {
    const auto values = static_cast<std::uint64_t>((high - low).count() + 1);
    return low + Duration(static_cast<std::int64_t>(static_cast<std::uint64_t>(input.Number()) % values));
  });
}

double AnyDouble(FuzzInput& input, double otherwise, double low, double high) {
  return Any(input, otherwise, low, high, [&] { return low + (high - low) * input.Byte() / 255; });
}

StandardBreakerOptions AnyStandard(FuzzInput& input) {
  StandardBreakerOptions o;
  o.window = input.Flip() ? StandardBreakerOptions::Window::kTime : StandardBreakerOptions::Window::kCount;
  o.window_calls = AnyInt(input, 10, 1, 1000);  // up to 100000, which only takes time
  o.window_time = AnyDuration(input, o.window_time, milliseconds(100), hours(1));
  o.minimum_calls = AnyInt(input, 5, 1, 100'000);
  o.failure_rate_threshold = AnyDouble(input, 0.5, 1e-9, 1);
  o.slow_call_rate_threshold = AnyDouble(input, 1, 1e-9, 1);
  o.slow_call_duration = AnyDuration(input, o.slow_call_duration, microseconds(1), hours(24));
  o.wait = AnyDuration(input, seconds(1), milliseconds(1), hours(1));
  o.wait_multiplier = AnyDouble(input, 1, 1, 10);
  o.wait_cap = AnyDuration(input, hours(1), hours(1), hours(24));
  o.wait_jitter = AnyDouble(input, 0, 0, 1);
  o.permitted_half_open_calls = AnyInt(input, 3, 1, 10'000);
  o.permit_lease = AnyDuration(input, seconds(5), milliseconds(1), hours(24));
  return o;
}

AdaptiveBreakerOptions AnyAdaptive(FuzzInput& input) {
  AdaptiveBreakerOptions o;
  if (!input.Flip()) return o;
  o.wasted_attempt_cost = AnyDouble(input, 3, 0.01, 1000);
  o.slow_call_duration = AnyDuration(input, o.slow_call_duration, milliseconds(1), hours(1));
  o.slow_call_duration_unlearnt = AnyDuration(input, hours(1), hours(1), hours(24));
  o.judge_in_flight = input.Flip();
  o.sequential_opening = input.Flip();
  o.evidence_min = AnyDouble(input, 5, 1, 1000);
  o.evidence_max = AnyDouble(input, 1000, o.evidence_min, 1000);
  o.evidence_per_rate = AnyDouble(input, 0.5, 0, 1000);
  o.consecutive_bad = AnyInt(input, 6, 2, 1000);
  o.low_rate = AnyDouble(input, 10, 0, 1e6);
  o.rate_time_constant = AnyDuration(input, o.rate_time_constant, milliseconds(10), hours(1));
  o.probe_interval_max = AnyDuration(input, o.probe_interval_max, milliseconds(1), hours(1));
  o.probe_interval_min = AnyDuration(input, milliseconds(1), milliseconds(1), o.probe_interval_max);
  o.probe_share_max = AnyDouble(input, 0.05, 1e-9, 1);
  o.probe_jitter = AnyDouble(input, 0.2, 0, 0.9);
  o.probes_in_flight_max = AnyInt(input, 3, 1, 1000);
  o.ramp_floor = AnyDouble(input, 0.05, 0.001, 1);
  o.ramp_start = AnyDouble(input, 1, o.ramp_floor, 1);
  o.ramp_growth = AnyDouble(input, 4, 1.0001, 100);
  o.ramp_stage_outcomes = AnyInt(input, 3, 1, 1000);
  o.ramp_free_rate = AnyDouble(input, 20, 0, 1e6);
  o.permit_lease = AnyDuration(input, seconds(5), milliseconds(10), hours(24));
  return o;
}

}  // namespace

BreakerOptions AnyBreaker(FuzzInput& input) {
  BreakerOptions options;
  if (input.Flip()) {
    options.kind = AnyStandard(input);
  } else {
    options.kind = AnyAdaptive(input);
  }
  options.mode = static_cast<BreakerMode>(input.Pick(3));
  options.scope = static_cast<BreakerScope>(input.Pick(3));
  if (!options.Validate("breaker").ok()) options.kind = AdaptiveBreakerOptions();  // two fields that do not go together
  FUZZ_CHECK(options.Validate("breaker").ok());
  return options;
}

Policies AnyPolicies(FuzzInput& input) {
  Policies policies = Policies::Defaults();
  MethodPolicy& policy = policies.defaults;
  policy.breaker = AnyBreaker(input);
  if (input.Pick(4) == 1) {
    policy.shadow_breaker = AnyBreaker(input);
    policy.shadow_breaker->mode = BreakerMode::kShadow;
  }
  policy.retry.mode = static_cast<RetryMode>(input.Pick(3));
  policy.retry.max_attempts = AnyInt(input, 3, 1, 100);
  policy.retry.retry_rejections = input.Flip();
  policy.retry.backoff.base = AnyDuration(input, milliseconds(25), Duration::zero(), hours(1));
  policy.retry.backoff.cap = AnyDuration(input, hours(1), policy.retry.backoff.base, hours(1));
  policy.retry.backoff.multiplier = AnyDouble(input, 2, 1, 100);
  policies.retry_budget.enabled = input.Flip();
  policies.retry_budget.max_tokens = AnyInt(input, 10, 1, 1000);
  policies.retry_budget.token_ratio = AnyDouble(input, 0.1, 0.001, 1000);
  if (input.Pick(3) == 1) policy.deadline = AnyDuration(input, seconds(1), milliseconds(1), hours(24));
  if (input.Pick(3) == 1)
    policy.attempt_timeout = AnyDuration(input, milliseconds(1), milliseconds(1), policy.deadline.value_or(hours(24)));
  FUZZ_CHECK(policies.Validate().ok());
  return policies;
}

AttemptResult AnyResult(FuzzInput& input) {
  AttemptResult result;
  const int kind = input.Byte();
  result.code = kind < 80 ? absl::StatusCode::kOk : kind < 160 ? absl::StatusCode::kUnavailable : static_cast<absl::StatusCode>(kind % 18);
  const int facts = input.Byte();
  result.has_response = result.code == absl::StatusCode::kOk && facts % 8 != 1;
  result.cancelled_by_caller = facts % 16 == 3;
  result.attempt_timed_out = facts % 16 == 5;
  result.rejected_by_recloser = facts % 16 == 7;
  result.streaming = facts % 16 == 9;
  if (facts % 16 == 11) result.allowed = Duration(input.Number());
  if (facts % 16 == 13) result.pushback = ParsePushback(input.Bytes(3));
  return result;
}

Time AnyLater(FuzzInput& input, Time now) {
  const int choice = input.Byte();
  if (choice < 100) return SaturatingAdd(now, milliseconds(choice));
  if (choice < 200) return SaturatingAdd(now, milliseconds(100) * (choice - 100));
  if (choice < 240) return SaturatingAdd(now, Duration(std::int64_t{1} << (input.Byte() % 60)));
  if (choice < 250) return SaturatingAdd(now, -Duration(std::int64_t{1} << (input.Byte() % 40)));
  return now;
}

}  // namespace recloser::fuzz
