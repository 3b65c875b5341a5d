// The kinds of breaker and their options.
//
//   BreakerOptions options;                                  // the adaptive breaker, needs no tuning
//   options.kind = StandardBreakerOptions{};                 // or the standard one, or your own: CustomBreaker
//   absl::Status status = options.Validate("breaker");
//   std::unique_ptr<CircuitBreaker> breaker = MakeBreaker(options, now, Random(seed));
//
// Thread safety: values.
#ifndef RECLOSER_CORE_BREAKER_OPTIONS_H_
#define RECLOSER_CORE_BREAKER_OPTIONS_H_

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/adaptive_window.h"
#include "recloser/core/breaker.h"
#include "recloser/core/export.h"
#include "recloser/core/outcome.h"
#include "recloser/core/random.h"
#include "recloser/core/rating.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// The breaker as the field knows it (Resilience4j's rules: https://resilience4j.readme.io/docs/circuitbreaker).
struct StandardBreakerOptions {
  enum class Window {
    kCount,  // the last `window_calls` attempts
    kTime,   // the attempts of the last `window_time`, in buckets of one second or a tenth of the window, whichever is less
  };
  Window window = Window::kCount;
  /// Range: 1 to 100000. Default 100.
  int window_calls = 100;
  /// Range: 100 ms to 1 h. Default 10 s.
  Duration window_time = std::chrono::seconds(10);
  /// Nothing is judged on fewer calls. Range: 1 to 100000; a count window lowers it to its own size. Default 100.
  int minimum_calls = 100;
  /// Opens at this share of failures or above. Range: above 0 to 1. Default 0.5.
  double failure_rate_threshold = 0.5;
  /// Opens at this share of slow calls or above. Range: above 0 to 1. Default 1.
  double slow_call_rate_threshold = 1;
  /// An attempt longer than this is slow. Range: 1 us to 24 h. Default 60 s.
  Duration slow_call_duration = std::chrono::seconds(60);
  /// How long it stays open. Range: 1 ms to 24 h. Default 60 s.
  Duration wait = std::chrono::seconds(60);
  /// Each opening in a row (without having closed) waits this many times longer. Range: 1 to 10. Default 1.
  double wait_multiplier = 1;
  /// The longest wait. Range: `wait` to 24 h. Default 1 h.
  Duration wait_cap = std::chrono::hours(1);
  /// Each wait is drawn from wait * [1 - jitter, 1 + jitter]. Range: 0 to 1. Default 0.
  double wait_jitter = 0;
  /// Attempts admitted in half-open; when that many ended, they decide. Range: 1 to 10000. Default 10.
  int permitted_half_open_calls = 10;
  /// A permit not given back for this long is reclaimed. Range: 1 ms to 24 h. Default 60 s. Attempts admitted while
  /// closed keep theirs, and so does a stream that has delivered a message: only half-open permits can block anybody.
  Duration permit_lease = std::chrono::seconds(60);

  absl::Status Validate(absl::string_view path) const;
};

/// The prediction breaker: opens on a sequential test of the rating, probes when it pays, re-closes over a learnt ramp. Needs no tuning;
/// the one knob is `wasted_attempt_cost`. Sources and reasons of the constants: docs/model.md.
struct AdaptiveBreakerOptions {
  RatingOptions rating;
  WindowOptions window;

  /// How many good calls you would rather see rejected than one more attempt sent to a service that is down. Above the default it also
  /// tightens the thresholds: the odds of failure at which the link opens shrink in proportion, down to a share of 20 %. Range: 0.01 to
  /// 1000. Default 3.
  double wasted_attempt_cost = 3;

  /// An answer later than this is slow; an attempt in flight for longer is marked, once. Never less than four times the healthy latency, so
  /// a service that always takes 10 s is not slow. Range: 1 ms to 1 h. Default 500 ms.
  Duration slow_call_duration = std::chrono::milliseconds(500);
  /// The same before any healthy latency is known. Range: slow_call_duration to 24 h. Default 30 s.
  Duration slow_call_duration_unlearnt = std::chrono::seconds(30);

  /// Judge attempts in flight at the age of `slow_call_duration`, before they end. Without it a hang is seen at the attempts' deadlines
  /// only.
  bool judge_in_flight = true;
  /// Open by the sequential test of the evidence below. Without it: when the window holds `min_calls` and their mean rating, unknown scores
  /// taken as 1, is at most `open_threshold`, which is slower the larger the window.
  bool sequential_opening = true;

  /// Opening: the evidence limit h = clamp(evidence_per_rate * offered rate, evidence_min, evidence_max), in units of failures.
  double evidence_min = 5;         // Range: 1 to 1000.
  double evidence_max = 12;        // Range: evidence_min to 1000.
  double evidence_per_rate = 0.5;  // seconds. Range: 0 to 1000.
  /// Below `low_rate` calls per second this many bad attempts in a row open too. Range: 2 to 1000. Default 6.
  int consecutive_bad = 6;
  double low_rate = 10;  // calls per second. Range: 0 to 1e6.
  /// Time constant of the offered rate's moving average. Range: 10 ms to 1 h. Default 2 s.
  Duration rate_time_constant = std::chrono::seconds(2);

  /// Probing: the wait is sqrt(2 * wasted_attempt_cost * outage / rate), clamped to [max(probe_interval_min, round trip,
  /// 1 / (probe_share_max * rate)), probe_interval_max]; when the bounds cross, the upper one wins. rate: calls per second offered now or
  /// when the outage began, whichever is more.
  Duration probe_interval_min = std::chrono::milliseconds(50);  // Range: 1 ms to probe_interval_max.
  Duration probe_interval_max = std::chrono::seconds(2);        // Range: probe_interval_min to 1 h.
  double probe_share_max = 0.05;                                // Range: above 0 to 1.
  double probe_jitter = 0.2;                                    // +-. Range: 0 to 0.9.
  int probes_in_flight_max = 3;                                 // Range: 1 to 1000.

  /// The ramp: the first share admitted after a good probe, learnt between the two bounds.
  double ramp_start = 0.25;     // Range: ramp_floor to 1.
  double ramp_floor = 0.05;     // Range: 0.001 to 1.
  double ramp_growth = 4;       // per passed stage, and the divisor after a failed ramp. Range: above 1 to 100.
  int ramp_stage_outcomes = 3;  // Range: 1 to 1000.
  double ramp_free_rate = 20;   // calls per second that are admitted in any case. Range: 0 to 1e6.

  /// A permit of a probe or of the ramp not given back for this long is reclaimed. When nothing at all has come back meanwhile, the ramp
  /// counts that as a bad outcome; a stream's first message ends its lease, so let it be longer than streams usually take to that. Range:
  /// 10 ms to 24 h. Default 5 s; never less than twice the slow duration in force.
  Duration permit_lease = std::chrono::seconds(5);

  absl::Status Validate(absl::string_view path) const;
};

/// A breaker of your own behind the same permits, observers and metrics:
///
///   options.kind = CustomBreaker{"throttle", std::make_shared<const CustomBreaker::Factory>(
///       [](Time now, Random random) { return std::make_unique<MyThrottle>(now, random); })};
///
/// Two are the same, and may share one breaker, when name and factory (the pointer) are equal. The breaker's members must not throw.
struct CustomBreaker {
  /// Makes a breaker that is closed at `now`; never null. It may be called from any thread.
  using Factory = std::function<std::unique_ptr<CircuitBreaker>(Time now, Random random)>;

  /// Not empty.
  std::string name;
  /// Not null, not empty.
  std::shared_ptr<const Factory> factory;

  absl::Status Validate(absl::string_view path) const;
};

/// Whether a breaker acts.
enum class BreakerMode {
  kEnforce,
  kShadow,    // the whole machine runs and counts what it would have done; nothing is blocked
  kDisabled,  // no breaker
};
absl::string_view ModeName(BreakerMode mode);  // "enforce", "shadow", "disabled"

/// Which attempts share one breaker.
enum class BreakerScope { kMethod, kService, kTarget };

struct BreakerOptions {
  BreakerMode mode = BreakerMode::kEnforce;
  BreakerScope scope = BreakerScope::kMethod;
  std::variant<AdaptiveBreakerOptions, StandardBreakerOptions, CustomBreaker> kind;
  /// Overrules the outcome table. May be empty.
  OutcomeHook classify;

  absl::Status Validate(absl::string_view path) const;
};

/// A new breaker, closed at `now`. `options` must be valid.
std::unique_ptr<CircuitBreaker> MakeBreaker(const BreakerOptions& options, Time now, Random random);

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_BREAKER_OPTIONS_H_
