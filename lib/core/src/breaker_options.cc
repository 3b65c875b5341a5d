#include "recloser/core/breaker_options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "adaptive_breaker.h"
#include "recloser/core/validation.h"
#include "standard_breaker.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// Shares must be above zero: the smallest one that is told apart from it.
constexpr double kAboveZero = 1e-9;

}  // namespace

absl::Status StandardBreakerOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.InRange("window_calls", window_calls, 1, 100000);
  v.InRange("window_time", window_time, milliseconds(100), hours(1));
  v.InRange("minimum_calls", minimum_calls, 1, 100000);
  v.InRange("failure_rate_threshold", failure_rate_threshold, kAboveZero, 1);
  v.InRange("slow_call_rate_threshold", slow_call_rate_threshold, kAboveZero, 1);
  v.InRange("slow_call_duration", slow_call_duration, microseconds(1), hours(24));
  v.InRange("wait", wait, milliseconds(1), hours(24));
  v.InRange("wait_multiplier", wait_multiplier, 1, 10);
  v.InRange("wait_cap", wait_cap, wait, hours(24));
  v.InRange("wait_jitter", wait_jitter, 0, 1);
  v.InRange("permitted_half_open_calls", permitted_half_open_calls, 1, 10000);
  v.InRange("permit_lease", permit_lease, milliseconds(1), hours(24));
  return v.status();
}

absl::Status AdaptiveBreakerOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.Nested(rating.Validate(v.Path("rating")));
  v.Nested(window.Validate(v.Path("window")));
  v.InRange("wasted_attempt_cost", wasted_attempt_cost, 0.01, 1000);
  v.InRange("slow_call_duration", slow_call_duration, milliseconds(1), hours(1));
  v.InRange("slow_call_duration_unlearnt", slow_call_duration_unlearnt, slow_call_duration, hours(24));
  v.InRange("evidence_min", evidence_min, 1, 1000);
  v.InRange("evidence_max", evidence_max, evidence_min, 1000);
  v.InRange("evidence_per_rate", evidence_per_rate, 0, 1000);
  v.InRange("consecutive_bad", consecutive_bad, 2, 1000);
  v.InRange("low_rate", low_rate, 0, 1e6);
  v.InRange("rate_time_constant", rate_time_constant, milliseconds(10), hours(1));
  v.InRange("probe_interval_max", probe_interval_max, milliseconds(1), hours(1));
  v.InRange("probe_interval_min", probe_interval_min, milliseconds(1), probe_interval_max);
  v.InRange("probe_share_max", probe_share_max, kAboveZero, 1);
  v.InRange("probe_jitter", probe_jitter, 0, 0.9);
  v.InRange("probes_in_flight_max", probes_in_flight_max, 1, 1000);
  v.InRange("ramp_floor", ramp_floor, 0.001, 1);
  v.InRange("ramp_start", ramp_start, ramp_floor, 1);
  v.Require(ramp_growth > 1 && ramp_growth <= 100, "ramp_growth", absl::StrCat(ramp_growth), "must be above 1, at most 100");
  v.InRange("ramp_stage_outcomes", ramp_stage_outcomes, 1, 1000);
  v.InRange("ramp_free_rate", ramp_free_rate, 0, 1e6);
  v.InRange("permit_lease", permit_lease, milliseconds(10), hours(24));
  return v.status();
}

absl::Status CustomBreaker::Validate(absl::string_view path) const {
  Validator v(path);
  v.Require(!name.empty(), "name", "\"\"", "must not be empty");
  v.Require(factory != nullptr && *factory != nullptr, "factory", "null", "must make a breaker");
  return v.status();
}

absl::string_view ModeName(BreakerMode mode) {
  switch (mode) {
    case BreakerMode::kEnforce:
      return "enforce";
    case BreakerMode::kShadow:
      return "shadow";
    case BreakerMode::kDisabled:
      break;
  }
  return "disabled";
}

absl::Status BreakerOptions::Validate(absl::string_view path) const {
  Validator v(path);
  std::visit([&](const auto& options) { v.Nested(options.Validate(path)); }, kind);
  return v.status();
}

std::unique_ptr<CircuitBreaker> MakeBreaker(const BreakerOptions& options, Time now, Random random) {
  if (const auto* standard = std::get_if<StandardBreakerOptions>(&options.kind)) {
    return std::make_unique<StandardBreaker>(*standard, now, random);
  }
  if (const auto* custom = std::get_if<CustomBreaker>(&options.kind)) return (*custom->factory)(now, random);
  return std::make_unique<AdaptiveBreaker>(std::get<AdaptiveBreakerOptions>(options.kind), now, random);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
