#include "settings.h"

#include <variant>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "recloser/core/validation.h"

namespace recloser::page {
namespace {

class Writer {
 public:
  void operator()(absl::string_view name, absl::string_view value) { settings_.emplace_back(name, value); }
  void operator()(absl::string_view name, const char* value) { (*this)(name, absl::string_view(value)); }
  void operator()(absl::string_view name, double value) { (*this)(name, absl::StrFormat("%.6g", value)); }
  void operator()(absl::string_view name, int value) { (*this)(name, absl::StrFormat("%d", value)); }
  void operator()(absl::string_view name, bool value) { (*this)(name, value ? "yes" : "no"); }
  void operator()(absl::string_view name, Duration value) { (*this)(name, FormatDuration(value)); }
  Settings Take() && { return std::move(settings_); }

 private:
  Settings settings_;
};

const char* ScopeName(BreakerScope scope) {
  switch (scope) {
    case BreakerScope::kMethod:
      return "method";
    case BreakerScope::kService:
      return "service";
    case BreakerScope::kTarget:
      break;
  }
  return "target";
}

void Write(const AdaptiveBreakerOptions& options, Writer& write) {
  write("wasted_attempt_cost", options.wasted_attempt_cost);
  write("slow_call_duration", options.slow_call_duration);
  write("slow_call_duration_unlearnt", options.slow_call_duration_unlearnt);
  write("judge_in_flight", options.judge_in_flight);
  write("sequential_opening", options.sequential_opening);
  for (const WeightedMetric& weighted : options.rating.metrics) {
    write(absl::StrFormat("rating.metrics[%s].weight", weighted.metric->name()), weighted.weight);
  }
  write("rating.open_threshold", options.rating.open_threshold);
  write("rating.close_threshold", options.rating.close_threshold);
  write("rating.min_known_weight", options.rating.min_known_weight);
  write("window.context", options.window.context);
  write("window.min_calls", options.window.min_calls);
  write("window.max_calls", options.window.max_calls);
  write("window.max_age", options.window.max_age);
  write("evidence_min", options.evidence_min);
  write("evidence_max", options.evidence_max);
  write("evidence_per_rate", options.evidence_per_rate);
  write("consecutive_bad", options.consecutive_bad);
  write("low_rate", options.low_rate);
  write("rate_time_constant", options.rate_time_constant);
  write("probe_interval_min", options.probe_interval_min);
  write("probe_interval_max", options.probe_interval_max);
  write("probe_share_max", options.probe_share_max);
  write("probe_jitter", options.probe_jitter);
  write("probes_in_flight_max", options.probes_in_flight_max);
  write("ramp_start", options.ramp_start);
  write("ramp_floor", options.ramp_floor);
  write("ramp_growth", options.ramp_growth);
  write("ramp_stage_outcomes", options.ramp_stage_outcomes);
  write("ramp_free_rate", options.ramp_free_rate);
  write("permit_lease", options.permit_lease);
}

void Write(const StandardBreakerOptions& options, Writer& write) {
  const bool by_count = options.window == StandardBreakerOptions::Window::kCount;
  write("window", by_count ? "count" : "time");
  if (by_count) {
    write("window_calls", options.window_calls);
  } else {
    write("window_time", options.window_time);
  }
  write("minimum_calls", options.minimum_calls);
  write("failure_rate_threshold", options.failure_rate_threshold);
  write("slow_call_rate_threshold", options.slow_call_rate_threshold);
  write("slow_call_duration", options.slow_call_duration);
  write("wait", options.wait);
  write("wait_multiplier", options.wait_multiplier);
  write("wait_cap", options.wait_cap);
  write("wait_jitter", options.wait_jitter);
  write("permitted_half_open_calls", options.permitted_half_open_calls);
  write("permit_lease", options.permit_lease);
}

void Write(const CustomBreaker& options, Writer& write) { write("name", options.name); }

}  // namespace

Settings SettingsOf(const BreakerOptions& options) {
  Writer write;
  write("mode", ModeName(options.mode));
  write("scope", ScopeName(options.scope));
  write("kind", KindOf(options));
  std::visit([&](const auto& kind) { Write(kind, write); }, options.kind);
  write("classify", options.classify ? "the application's own" : "by the outcome table");
  return std::move(write).Take();
}

std::string KindOf(const BreakerOptions& options) {
  if (std::holds_alternative<AdaptiveBreakerOptions>(options.kind)) return "adaptive";
  if (std::holds_alternative<StandardBreakerOptions>(options.kind)) return "standard";
  return std::get<CustomBreaker>(options.kind).name;
}

}  // namespace recloser::page
