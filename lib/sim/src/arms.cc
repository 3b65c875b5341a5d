#include "recloser/sim/arms.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/pid_breaker.h"
#include "baselines/sre_throttle.h"
#include "baselines/threshold_breaker.h"
#include "policy_arm.h"

namespace recloser::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Where a pattern has retries and the scenario has none.
constexpr int kPatternAttempts = 3;

struct StandardWindow {
  const char* name;
  StandardBreakerOptions::Window kind;
  int calls;
  Duration time;
  int minimum_calls;
};

constexpr StandardWindow kWindows[] = {
    {"c20", StandardBreakerOptions::Window::kCount, 20, seconds(10), 10},
    {"c100", StandardBreakerOptions::Window::kCount, 100, seconds(10), 20},
    {"t1s", StandardBreakerOptions::Window::kTime, 100, seconds(1), 10},
    {"t10s", StandardBreakerOptions::Window::kTime, 100, seconds(10), 20},
};
constexpr Duration kWaits[] = {milliseconds(500), seconds(1), seconds(2), seconds(5), seconds(10)};
constexpr Duration kShortWaits[] = {milliseconds(100), milliseconds(250)};

StandardBreakerOptions Standard(const StandardWindow& window, Duration wait, int half_open, double slow_share) {
  StandardBreakerOptions options;
  options.window = window.kind;
  options.window_calls = window.calls;
  options.window_time = window.time;
  options.minimum_calls = window.minimum_calls;
  options.failure_rate_threshold = 0.5;
  options.slow_call_rate_threshold = slow_share;
  options.slow_call_duration = milliseconds(500);
  options.wait = wait;
  options.permitted_half_open_calls = half_open;
  return options;
}

Arm Adaptive(std::string name, std::string title, const AdaptiveBreakerOptions& options) {
  Arm arm{std::move(name), std::move(title), {}};
  arm.breaker.kind = options;
  return arm;
}

template <class Make>
Arm Custom(std::string name, std::string title, Make make) {
  Arm arm{name, std::move(title), {}};
  arm.breaker.kind = CustomBreaker{std::move(name), std::make_shared<const CustomBreaker::Factory>(std::move(make))};
  return arm;
}

std::string Seconds(Duration d) { return absl::StrCat(ToSeconds(d), "s"); }

void Append(std::vector<Arm> more, std::vector<Arm>* arms) {
  arms->insert(arms->end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

absl::string_view PatternName(Pattern pattern) {
  switch (pattern) {
    case Pattern::kScenario:
      return "scenario";
    case Pattern::kBreaker:
      return "breaker";
    case Pattern::kBreakerRetry:
      return "breaker+retry";
    case Pattern::kBreakerTimeout:
      return "breaker+timeout";
    case Pattern::kAll:
      break;
  }
  return "all";
}

Arm NoBreakerArm() {
  Arm arm{"none", "no breaker", {}};
  arm.breaker.mode = BreakerMode::kDisabled;
  return arm;
}

Arm AdaptiveArm(double cost) {
  AdaptiveBreakerOptions options;
  std::string name = "adaptive";
  if (cost != options.wasted_attempt_cost) absl::StrAppend(&name, "-cost", cost);
  options.wasted_attempt_cost = cost;
  return Adaptive(std::move(name), absl::StrCat("ours, wasted_attempt_cost ", cost), options);
}

std::vector<Arm> StandardGrid() {
  std::vector<Arm> arms;
  for (const StandardWindow& window : kWindows) {
    for (const Duration wait : kWaits) {
      Arm arm{absl::StrCat("standard-", window.name, "-w", Seconds(wait)), absl::StrCat("standard, window ", window.name), {}};
      arm.breaker.kind = Standard(window, wait, 10, 0.8);
      arms.push_back(std::move(arm));
    }
  }
  return arms;
}

Arm StandardDefaultsArm() {
  Arm arm{"standard-defaults", "standard, Resilience4j's defaults", {}};
  arm.breaker.kind = StandardBreakerOptions();
  return arm;
}

std::vector<Arm> WideGrid() {
  std::vector<Duration> waits(std::begin(kShortWaits), std::end(kShortWaits));
  waits.insert(waits.end(), std::begin(kWaits), std::end(kWaits));
  std::vector<Arm> arms;
  for (const StandardWindow& window : kWindows) {
    for (const Duration wait : waits) {
      for (const int half_open : {1, 3, 10}) {
        for (const double slow : {0.5, 0.8}) {
          const std::string name = absl::StrCat("wide-", window.name, "-w", Seconds(wait), "-h", half_open, "-s", 100 * slow);
          Arm arm{name, "standard, wide grid", {}};
          arm.breaker.kind = Standard(window, wait, half_open, slow);
          arms.push_back(std::move(arm));
        }
      }
    }
  }
  return arms;
}

std::vector<Arm> BaselineArms() {
  const auto threshold = [](bool clears) {
    return [clears](Time now, Random) -> std::unique_ptr<CircuitBreaker> { return std::make_unique<ThresholdBreaker>(now, clears); };
  };
  return {
      Custom("threshold", "the 2023 prototype's rule", threshold(false)),
      Custom("threshold-cleared", "the same, window cleared on closing", threshold(true)),
      Custom("sre", "SRE book throttling, go-zero's form",
             [](Time now, Random random) -> std::unique_ptr<CircuitBreaker> { return std::make_unique<SreThrottle>(now, random); }),
      Custom("pid", "PID controller, Semian's form",
             [](Time now, Random random) -> std::unique_ptr<CircuitBreaker> { return std::make_unique<PidBreaker>(now, random); }),
  };
}

std::vector<Arm> AblationArms() {
  AdaptiveBreakerOptions no_window;  // the evidence needed does not follow the load
  no_window.evidence_min = no_window.evidence_max;
  no_window.low_rate = 0;
  AdaptiveBreakerOptions no_ramp;
  no_ramp.ramp_start = no_ramp.ramp_floor = 1;
  AdaptiveBreakerOptions no_probe_law;  // the interval is the geometric middle of its bounds
  no_probe_law.probe_interval_min = no_probe_law.probe_interval_max = milliseconds(316);
  AdaptiveBreakerOptions no_early;
  no_early.judge_in_flight = false;
  AdaptiveBreakerOptions no_sequential;
  no_sequential.sequential_opening = false;
  return {
      Adaptive("adaptive-no-window", "ours, evidence limit fixed at its maximum", no_window),
      Adaptive("adaptive-no-ramp", "ours, all calls admitted after a good probe", no_ramp),
      Adaptive("adaptive-no-probe-law", "ours, a probe each 0.316 s", no_probe_law),
      Adaptive("adaptive-no-early", "ours, attempts judged when they end only", no_early),
      Adaptive("adaptive-no-sequential", "ours, opened by the mean over the adaptive window", no_sequential),
  };
}

std::vector<Arm> DefaultArms() {
  std::vector<Arm> arms = {NoBreakerArm()};
  for (const double cost : {3.0, 1.0, 10.0, 30.0}) arms.push_back(AdaptiveArm(cost));
  Append(StandardGrid(), &arms);
  Append(BaselineArms(), &arms);
  Append(AblationArms(), &arms);
  return arms;
}

const Arm* FindArm(absl::string_view name) {
  static const auto* const all = [] {
    auto* arms = new std::vector<Arm>(DefaultArms());
    arms->push_back(StandardDefaultsArm());
    Append(WideGrid(), arms);
    return arms;
  }();
  const auto found = std::find_if(all->begin(), all->end(), [&](const Arm& arm) { return arm.name == name; });
  return found == all->end() ? nullptr : &*found;
}

Policies PoliciesOf(const Arm& arm, Pattern pattern, const Calls& calls) {
  if (arm.policies) return PartOf(*arm.policies, pattern);
  Policies policies;
  const bool timeout = pattern != Pattern::kBreaker && pattern != Pattern::kBreakerRetry;
  const bool retry = pattern == Pattern::kBreakerRetry || pattern == Pattern::kAll;
  const int attempts = retry ? std::max(calls.attempts, kPatternAttempts) : pattern == Pattern::kScenario ? calls.attempts : 1;
  if (timeout) policies.defaults.attempt_timeout = calls.attempt_timeout;
  policies.defaults.retry.mode = attempts > 1 ? RetryMode::kAlways : RetryMode::kNever;
  policies.defaults.retry.max_attempts = attempts;
  policies.defaults.breaker = arm.breaker;
  policies.retry_budget.enabled = calls.retry_budget;
  return policies;
}

}  // namespace recloser::sim
