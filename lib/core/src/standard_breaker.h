// The standard breaker: the rules of Resilience4j (https://resilience4j.readme.io/docs/circuitbreaker).
//
//   from      | when                                                                        | to
//   CLOSED    | enough calls, and the share of failures or of slow calls is at its threshold | OPEN
//   OPEN      | an attempt arrives after the wait                                            | HALF_OPEN
//   HALF_OPEN | the permitted calls ended, a share is at its threshold                       | OPEN
//   HALF_OPEN | the permitted calls ended, both shares are below                             | CLOSED
//
// Permits of HALF_OPEN are probes. One that comes back without success or failure is available again.
#ifndef RECLOSER_CORE_SRC_STANDARD_BREAKER_H_
#define RECLOSER_CORE_SRC_STANDARD_BREAKER_H_

#include "breaker_base.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/random.h"
#include "standard_window.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class StandardBreaker final : public BreakerBase {
 public:
  StandardBreaker(const StandardBreakerOptions& options, Time now, Random random);
  bool Reconfigure(const BreakerOptions& options, Time now) override;
  /// This breaker learns none.
  std::optional<Duration> healthy_latency() const override { return std::nullopt; }
  // Slow is what is longer than the option.
  Duration slow_call_duration() const override { return SaturatingAdd(options_.slow_call_duration, Duration(1)); }

 private:
  Decision Decide(Time now, const AttemptInfo& info) override;
  void OnOutcome(Time now, const HeldPermit& permit, Outcome outcome, const AttemptResult* result) override;
  void OnReturned(Time now, const HeldPermit& permit) override;
  void OnManual(Time now) override;
  void OnTakenOver(Time now, const BreakerSnapshot& before) override;
  Duration lease() const override { return options_.permit_lease; }
  double admitted_share() const override { return state() == BreakerState::kClosed ? 1 : 0; }
  Duration retry_after(Time now) const override;
  int probe_limit() const override { return options_.permitted_half_open_calls; }
  void Describe(Time now, BreakerSnapshot* snapshot) const override;

  bool AtThreshold(const CallCounts& counts) const;
  void Open(Time now, TransitionReason reason, const CallCounts& counts, int required);
  void Close(Time now, const CallCounts& counts);
  /// `required`: the decision needed at least so many calls.
  BreakerTransition& Judged(Time now, BreakerState to, TransitionReason reason, const CallCounts& counts, int required);
  BreakerTransition& Change(Time now, BreakerState to, TransitionReason reason, const CallCounts& counts);
  /// As Resilience4j: a count window never holds more than its size.
  int minimum_calls() const;
  void BeginHalfOpen();
  /// In seconds, without jitter, after so many openings in a row before.
  double Wait(double openings) const;
  Duration DrawWait();

  StandardBreakerOptions options_;
  Random random_;
  StandardWindow window_;
  CallCounts half_open_;
  int half_open_calls_ = 0;    // that decide
  int half_open_permits_ = 0;  // of them, still to be had
  double openings_in_a_row_ = 0;
  Time open_until_{};
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_STANDARD_BREAKER_H_
