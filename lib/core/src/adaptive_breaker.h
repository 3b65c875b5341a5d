// The adaptive breaker: opens on a sequential test of the rating, probes when it pays, closes over a learnt ramp.
//
//   from      | when                                                                   | to        | reason
//   CLOSED    | the evidence against the link reaches its limit (sequential_test.h)     | OPEN      | rating
//   OPEN      | a probe's rating is at least `close_threshold` (probe_schedule.h)       | HALF_OPEN | probe
//   HALF_OPEN | a stage is passed at a share of 1 (ramp.h)                              | CLOSED    | ramp
//   HALF_OPEN | all outcomes of a stage are bad                                         | OPEN      | ramp
//   HALF_OPEN | the same, the last of them a lease that ended while nothing came back   | OPEN      | lease
//
// An attempt in flight for longer than the slow duration counts once, at that age, as a sample: a hang shows before anything ends. So does
// one that its caller cancelled after more than twice the healthy latency while nothing at all came back. Other cancellations say nothing.
#ifndef RECLOSER_CORE_SRC_ADAPTIVE_BREAKER_H_
#define RECLOSER_CORE_SRC_ADAPTIVE_BREAKER_H_

#include "absl/types/span.h"
#include "breaker_base.h"
#include "healthy_latency.h"
#include "lane_machine.h"
#include "offered_rate.h"
#include "probe_schedule.h"
#include "ramp.h"
#include "recloser/core/adaptive_window.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/random.h"
#include "recloser/core/rating.h"
#include "sequential_test.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class AdaptiveBreaker final : public BreakerBase, public LaneMachine {
 public:
  AdaptiveBreaker(const AdaptiveBreakerOptions& options, Time now, Random random);
  std::optional<Duration> healthy_latency() const override { return healthy_.value(); }
  Duration slow_call_duration() const override { return slow_duration_; }
  bool Reconfigure(const BreakerOptions& options, Time now) override;

  std::optional<LaneTerms> lane_terms() const override;
  std::uint64_t lane_generation() const override { return generation(); }
  Time lane_now(Time now) const override { return clock().Peek(now); }
  Time lane_next_look() const override { return SaturatingAdd(ledger().oldest_watched(), options_.slow_call_duration); }
  Duration lane_watched_from() const override { return options_.judge_in_flight ? slow_duration_ : kForever; }
  void ReplayLane(absl::Span<const LaneEvent> events, std::uint64_t generation) override;
  std::uint64_t Adopt(const HeldPermit& permit) override;

 private:
  Decision Decide(Time now, const AttemptInfo& info) override;
  void OnOutcome(Time now, const HeldPermit& permit, Outcome outcome, const AttemptResult* result) override;
  void OnReturned(Time now, const HeldPermit& permit) override;
  void OnLeaseEnded(Time now, const HeldPermit& permit) override;
  void OnEnter(Time now) override;
  void OnArrival(Time now) override { rate_.Arrive(now); }
  void OnEnd(Time now, const AttemptResult* result) override;
  void OnStale(Time now, const HeldPermit& permit, Outcome outcome) override;
  void OnFreshEvidence(Time now) override { schedule_.Hint(now); }
  void OnManual(Time now) override;
  void OnTakenOver(Time now, const BreakerSnapshot& before) override;
  Duration lease() const override { return lease_; }
  double admitted_share() const override;
  Duration retry_after(Time now) const override;
  int probe_limit() const override { return options_.probes_in_flight_max; }
  void Describe(Time now, BreakerSnapshot* snapshot) const override;

  /// A good answer to a unary attempt that took less opens nothing, whatever the healthy latency; zero: none is known to be so.
  static Duration HarmlessBelow(const AdaptiveBreakerOptions& options, const Rating& rating);
  /// Those from the first on that hold no surprise. Returns how many.
  std::size_t ReplayQuick(absl::Span<const LaneEvent> events);
  void ReplayOne(const LaneEvent& event, std::uint64_t generation);

  void UpdateSlowDuration();
  ProbeSchedule::Conditions conditions(Time now) const { return {rate_.At(now), healthy_.value()}; }
  bool WasHungWhenCancelled(Time now, const HeldPermit& permit, const AttemptResult* result) const;
  AttemptObservation Observe(Time now, const HeldPermit& permit) const;
  WindowSample AddSample(Time now, const AttemptObservation& attempt, double offered_rate);

  WindowSample AddMarked(Time now, const HeldPermit& permit, double offered_rate);
  void JudgeMarked(Time now, const HeldPermit& permit);
  void Judge(Time now, const WindowSample& sample, double offered_rate);
  void JudgeClosed(Time now, const WindowSample& sample, double offered_rate);
  /// The mean rating with every unknown score taken as 1.
  double OptimisticRating(const WindowTotals& context) const;
  BreakerTransition& Open(Time now, const WindowTotals& context);
  void JudgeProbe(Time now, const WindowSample& sample, double offered_rate);
  void JudgeRamp(Time now, const WindowSample& sample, double offered_rate, TransitionReason failure = TransitionReason::kRamp);
  void Learn(Time now, const HeldPermit& permit, const WindowSample& sample, const AttemptResult* result);
  void EndRamp(Time now, BreakerState to, TransitionReason reason, const WindowTotals& stage, double share, int required);
  BreakerTransition& Change(Time now, BreakerState to, TransitionReason reason, const WindowTotals& context);

  AdaptiveBreakerOptions options_;
  Rating rating_;
  Duration harmless_below_;
  Random random_;
  OfferedRate rate_;
  HealthyLatency healthy_;
  AdaptiveWindow window_;
  SequentialTest test_;
  ProbeSchedule schedule_;
  Ramp ramp_;
  Duration slow_duration_;
  Duration lease_;
  double share_ = 1;  // admitted in half-open, as of the last arrival
  Time last_completion_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_ADAPTIVE_BREAKER_H_
