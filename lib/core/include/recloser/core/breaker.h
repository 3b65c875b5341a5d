// The circuit breaker's interface: permits, states, events, snapshots.
//
// A breaker answers one question, "may this attempt be made now?", and learns from how attempts end:
//
//   Admission a = breaker.TryAcquire(now, {});
//   if (!a.admitted) return Reject(a.rejection);
//   ... make the attempt ...
//   breaker.Record(a.permit, now, result);      // or breaker.Drop(a.permit, now) when there is no result
//
// Rules every implementation keeps: a permit is given back exactly once; it carries the breaker's generation, and a result of an older
// generation changes nothing (it is counted as stale); a permit that is never given back is reclaimed when its lease ends; there is
// exactly one event per transition; a clock that stands still or steps back is harmless; asking for the state is free.
//
// Thread safety: none. `SharedBreaker` (shared_breaker.h) shares one among threads.
#ifndef RECLOSER_CORE_BREAKER_H_
#define RECLOSER_CORE_BREAKER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/outcome.h"
#include "recloser/core/random.h"
#include "recloser/core/rating.h"
#include "recloser/core/shadow.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

enum class BreakerState {
  kClosed,      // every attempt is admitted
  kOpen,        // only probes are admitted
  kHalfOpen,    // a part is admitted: the standard breaker's permitted calls, the adaptive breaker's ramp
  kForcedOpen,  // by hand: nothing is admitted
  kDisabled,    // by hand: everything is admitted, nothing is learnt
};
inline constexpr int kBreakerStates = 5;
absl::string_view StateName(BreakerState state);  // "closed", "open", "half_open", "forced_open", "disabled"

enum class TransitionReason { kRating, kProbe, kRamp, kLease, kManual, kConfig };
inline constexpr int kTransitionReasons = 6;
absl::string_view ReasonName(TransitionReason reason);  // "rating", "probe", "ramp", "lease", "manual", "config"

/// The right to make one attempt. A value: copy it freely, give it back once. `id == 0`: no permit is held (the breaker is disabled,
/// or in shadow mode would have rejected); the machine learns nothing when it is given back.
struct Permit {
  std::uint64_t id = 0;
  std::uint64_t generation = 0;
  Time started{};
  bool probe = false;
  bool streaming = false;
  bool shadow = false;        // decided in shadow mode: its result is counted (`ShadowCounts`)
  bool would_reject = false;  // so, and an enforcing breaker would have rejected
  bool lane = false;          // the shared breaker's own: noted beside the machine, which does not know this id
};

/// What is known of an attempt before it is made.
struct AttemptInfo {
  /// A stream: its age says nothing, it is never marked slow in flight.
  bool streaming = false;
  /// The attempt will not be made whatever the answer is: somebody else refused it. It counts as offered load and is answered, but holds no
  /// permit and is no probe.
  bool hypothetical = false;
};

/// Why not, and when to come back.
struct Rejection {
  BreakerState state = BreakerState::kOpen;
  /// Time to the next probe; zero when that is due already; kForever while forced open.
  Duration retry_after = Duration::zero();
};

struct Admission {
  bool admitted = true;
  Permit permit;        // when admitted
  Rejection rejection;  // when not
  /// Shadow mode: admitted, but an enforcing breaker would have rejected.
  bool would_reject = false;
};

/// One change of state, with every number the decision used: from them alone it can be recomputed. Numbers that the kind of breaker does
/// not have, or that this decision did not use, are absent.
struct BreakerTransition {
  BreakerState from = BreakerState::kClosed;
  BreakerState to = BreakerState::kClosed;
  TransitionReason reason = TransitionReason::kManual;
  Time at{};
  std::uint64_t generation = 0;              // after the transition
  Duration time_in_from = Duration::zero();  // how long `from` lasted
  double offered_rate = 0;                   // calls per second
  double admitted_share = 0;                 // after the transition
  std::int64_t context_calls = 0;            // samples the decision rests on
  std::int64_t context_failed = 0;
  std::int64_t context_slow = 0;
  std::optional<std::int64_t> context_bad;       // adaptive, out of the ramp: samples rated below `open_threshold`
  std::optional<std::int64_t> context_required;  // the decision needed at least so many samples
  std::optional<double> rating;                  // mean over the context; for opening with every unknown score taken as 1
  std::optional<double> open_threshold;
  std::optional<double> close_threshold;
  std::optional<double> evidence;                     // adaptive: the cumulative sum S, which opens
  std::optional<double> evidence_limit;               // from h on;
  std::optional<std::int64_t> consecutive_bad;        // or at a low rate these bad attempts in a row,
  std::optional<std::int64_t> consecutive_bad_limit;  // from so many on
  std::optional<Duration> outage;                     // adaptive: since the first opening of this outage
  std::optional<double> ramp_share;                   // adaptive, out of the ramp: admitted in its last stage
  std::optional<Duration> lease;                      // adaptive, by lease: nothing came back for so long
  std::optional<Duration> healthy_latency;            // adaptive: what the service usually takes, if known
  std::optional<Duration> slow_call_duration;         // adaptive: from when on an attempt was slow
  std::optional<double> failure_rate;                 // standard: share of failures
  std::optional<double> failure_rate_threshold;
  std::optional<double> slow_call_rate;  // standard: share of slow calls
  std::optional<double> slow_call_rate_threshold;
  std::optional<Duration> wait;                        // standard: how long it had to stay open
  std::vector<std::pair<std::string, double>> scores;  // mean score by metric, where known
};

/// A sentence for people, made of the numbers:
/// "opened by rating: rating 0.67 (opens at 0.83) over 5 calls (5 failed, 0 slow), evidence 5.0 of 5.0, ..."
std::string Explain(const BreakerTransition& transition);

/// How probes end.
enum class ProbeResult { kSuccess, kFailure, kIgnored, kLeaseExpired };
inline constexpr int kProbeResults = 4;
absl::string_view ProbeResultName(ProbeResult result);  // "success", "failure", "ignored", "lease_expired"

/// Everything there is to see, at one instant. Counters only grow.
struct BreakerSnapshot {
  BreakerState state = BreakerState::kClosed;
  std::uint64_t generation = 0;
  Time since{};                             // of the last transition, or of the creation
  double admitted_share = 1;                // 1 closed, 0 open, the ramp between
  Duration retry_after = Duration::zero();  // to the next probe, when open

  // The window and the rating; absent where unknown or where the kind of breaker has none.
  std::int64_t window_calls = 0;
  Duration window_span = Duration::zero();
  double offered_rate = 0;
  std::optional<double> rating;
  std::optional<double> open_threshold;
  std::optional<double> close_threshold;
  std::vector<std::pair<std::string, double>> weights;  // metric name, normalised weight
  std::vector<std::pair<std::string, double>> scores;   // metric name, mean score over the window, where known
  std::optional<double> evidence;
  std::optional<double> evidence_limit;
  std::optional<double> failure_rate;
  std::optional<double> slow_call_rate;
  std::optional<Duration> healthy_latency;

  std::int64_t permits_in_flight = 0;
  std::int64_t probes_in_flight = 0;

  // Counters.
  std::uint64_t rejected = 0;  // in shadow mode: would have been
  std::uint64_t stale_results = 0;
  std::uint64_t leases_expired = 0;
  std::uint64_t clock_anomalies = 0;
  std::uint64_t invariant_violations = 0;
  std::array<std::uint64_t, kProbeResults> probes{};
  std::array<Duration, kBreakerStates> time_in_state{};  // exact, the current state's share included
  std::optional<ShadowCounts> shadow;                    // of a breaker that is, or ever was, in shadow mode
};

struct BreakerOptions;

class CircuitBreaker {
 public:
  virtual ~CircuitBreaker() = default;

  /// May an attempt be made? Counts the call as offered load in any case.
  virtual Admission TryAcquire(Time now, const AttemptInfo& info) = 0;

  /// The attempt ended: gives the permit back and learns. Returns what the result counted as.
  virtual Outcome Record(const Permit& permit, Time now, const AttemptResult& result) = 0;

  /// Gives the permit back without a result: the attempt was not made, or nothing is known of its end.
  virtual void Drop(const Permit& permit, Time now) = 0;

  /// A stream delivered its first message: the service works. From now on its permit is not in flight, however long the stream lasts. A
  /// probe's is given back as a success; other permits wait for the final status, which is recorded with the same permit and judged, unless
  /// the breaker's generation has changed until then.
  virtual void StreamStarted(const Permit& permit, Time now) = 0;

  /// Outside evidence of health (the connection is back, a health check passed), told by the binding or the application: when open, the
  /// adaptive breaker's next probe is due as soon as `probe_interval_min` has passed since the last; the standard breaker ignores it.
  virtual void FreshEvidence(Time now) = 0;

  /// Manual control. All are idempotent; each makes at most one transition.
  virtual void ForceOpen(Time now) = 0;
  virtual void Disable(Time now) = 0;
  /// Back to closed with empty windows; also ends ForceOpen and Disable.
  virtual void Reset(Time now) = 0;

  /// Valid options for the running breaker. True: they hold from now on, and what there is stays: state, generation, window, evidence,
  /// permits, schedule and everything learnt; nothing is judged before the next result. False, and nothing changed: options of another
  /// kind; a new breaker is to take this one's place.
  virtual bool Reconfigure(const BreakerOptions&, Time) { return false; }

  /// Begins where `before`, of a breaker of another kind, left off, without an event: in its state, since when it was in it. Called at most
  /// once, before anything else. A breaker of your own that does not override it begins closed, unless it is forced open or disabled.
  virtual void TakeOver(const BreakerSnapshot& before, Time now);

  /// The service's usual latency, if known.
  virtual std::optional<Duration> healthy_latency() const = 0;
  /// From this duration on an answer counts as slow now; kForever: no answer does.
  virtual Duration slow_call_duration() const { return kForever; }
  virtual BreakerState state() const = 0;
  virtual BreakerSnapshot Snapshot(Time now) const = 0;

  /// The transitions since the last call, oldest first.
  std::vector<BreakerTransition> TakeTransitions() { return std::exchange(transitions_, {}); }
  bool has_transitions() const { return !transitions_.empty(); }

 protected:
  std::vector<BreakerTransition> transitions_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_BREAKER_H_
