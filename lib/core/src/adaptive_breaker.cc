#include "adaptive_breaker.h"

#include <algorithm>
#include <string>

#include "rating_at_cost.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// A service that usually takes h is not slow before this many times h.
constexpr int kSlowHealthyLatencies = 4;
// A caller's cancellation after this many times the healthy latency, with nothing coming back, is a hang.
constexpr int kHungHealthyLatencies = 2;
// The lease of a permit is at least this many slow durations: a slow answer is counted as slow, not as lost.
constexpr int kLeaseSlowDurations = 2;
// With more evidence than this against the link its latency is not learnt.
constexpr double kLearningEvidence = 1;
// Of sums of millionths.
constexpr double kRounding = 2e-6;

}  // namespace

AdaptiveBreaker::AdaptiveBreaker(const AdaptiveBreakerOptions& options, Time now, Random random)
    : BreakerBase(now),
      options_(options),
      rating_(RatingAtCost(options)),
      harmless_below_(HarmlessBelow(options, rating_)),
      random_(random),
      rate_(options.rate_time_constant, now),
      window_(options.window, rating_.size()),
      test_(options_, rating_),
      schedule_(options_),
      ramp_(options_, rating_),
      last_completion_(now) {
  UpdateSlowDuration();
}

BreakerBase::Decision AdaptiveBreaker::Decide(Time now, const AttemptInfo& info) {
  Decision decision;
  decision.watched = !info.streaming && options_.judge_in_flight;
  if (state() == BreakerState::kOpen) {
    decision.admit = schedule_.Due(now) && probes_in_flight() < options_.probes_in_flight_max;
    decision.probe = decision.leased = true;
    if (decision.admit) schedule_.Sent(now, conditions(now), &random_);
  } else if (state() == BreakerState::kHalfOpen) {
    share_ = ramp_.Share(rate_.At(now));
    Check(share_ > 0 && share_ <= 1);
    decision.admit = random_.Uniform() < share_;
    decision.leased = true;
  }
  return decision;
}

void AdaptiveBreaker::OnOutcome(Time now, const HeldPermit& permit, Outcome outcome, const AttemptResult* result) {
  if (permit.marked) return;
  if (outcome == Outcome::kIgnored) {
    // An ignored probe was made, so the next one keeps the minimum interval.
    if (state() == BreakerState::kOpen) schedule_.Hint(now);
    if (WasHungWhenCancelled(now, permit, result)) JudgeMarked(now, permit);
    return;
  }
  AttemptObservation attempt = Observe(now, permit);
  attempt.outcome = outcome;
  attempt.result = result;
  const double offered_rate = rate_.At(now);
  const WindowSample sample = AddSample(now, attempt, offered_rate);
  const bool closed = state() == BreakerState::kClosed;
  Judge(now, sample, offered_rate);
  if (closed && outcome == Outcome::kSuccess) Learn(now, permit, sample, result);
}

void AdaptiveBreaker::OnReturned(Time now, const HeldPermit& permit) {
  if (permit.probe) schedule_.Unsent(now);
}

void AdaptiveBreaker::OnLeaseEnded(Time now, const HeldPermit& permit) {
  if (permit.probe) return OnReturned(now, permit);
  // What the ramp admitted may hang without ever being marked: a stream's age says nothing. But when nothing whatever came back for a whole
  // lease, that is as bad as an outcome gets; else a hang would keep the link half-open for ever.
  if (permit.marked || last_completion_ > permit.started) return;
  const double offered_rate = rate_.At(now);
  JudgeRamp(now, AddMarked(now, permit, offered_rate), offered_rate, TransitionReason::kLease);
}

void AdaptiveBreaker::OnEnter(Time now) {
  while (true) {
    const std::optional<HeldPermit> slow = MarkNext(Time(SaturatingDifference(now, Time(slow_duration_))));
    if (!slow.has_value()) return;
    JudgeMarked(now, *slow);
  }
}

void AdaptiveBreaker::OnEnd(Time now, const AttemptResult* result) {
  // A deadline that passed or a caller that gave up is not something that came back from the service.
  const bool came_back = result == nullptr || !(result->cancelled_by_caller || result->rejected_by_recloser || result->attempt_timed_out ||
                                                result->code == absl::StatusCode::kDeadlineExceeded);
  if (came_back) last_completion_ = now;
}

void AdaptiveBreaker::OnStale(Time now, const HeldPermit& permit, Outcome outcome) {
  const bool slow = !permit.streaming && Elapsed(permit.started, now) >= slow_duration_;
  if (state() == BreakerState::kOpen && outcome == Outcome::kSuccess && !slow) schedule_.Hint(now);
}

void AdaptiveBreaker::OnManual(Time) {
  window_.Clear();
  test_.Clear();
  ramp_.Reset();
}

double AdaptiveBreaker::admitted_share() const {
  if (state() == BreakerState::kHalfOpen) return share_;
  return state() == BreakerState::kOpen ? 0 : 1;
}

Duration AdaptiveBreaker::retry_after(Time now) const { return state() == BreakerState::kOpen ? schedule_.Wait(now) : Duration::zero(); }

void AdaptiveBreaker::Describe(Time now, BreakerSnapshot* snapshot) const {
  const WindowTotals context = window_.Context(now);
  snapshot->window_calls = context.samples;
  snapshot->window_span = context.span;
  snapshot->offered_rate = rate_.At(now);
  snapshot->rating = context.rating();
  snapshot->open_threshold = rating_.open_threshold();
  snapshot->close_threshold = rating_.close_threshold();
  snapshot->evidence = test_.evidence();
  snapshot->evidence_limit = test_.Limit(snapshot->offered_rate);
  snapshot->healthy_latency = healthy_.value();
  for (int i = 0; i < rating_.size(); ++i) {
    snapshot->weights.emplace_back(rating_.name(i), rating_.weight(i));
    if (const std::optional<double> score = context.score(i)) snapshot->scores.emplace_back(rating_.name(i), *score);
  }
}

void AdaptiveBreaker::UpdateSlowDuration() {
  const std::optional<Duration> healthy = healthy_.value();
  slow_duration_ =
      healthy.has_value() ? std::max(options_.slow_call_duration, kSlowHealthyLatencies * *healthy) : options_.slow_call_duration_unlearnt;
  lease_ = std::max(options_.permit_lease, kLeaseSlowDurations * slow_duration_);
}

bool AdaptiveBreaker::WasHungWhenCancelled(Time now, const HeldPermit& permit, const AttemptResult* result) const {
  if (result == nullptr || !result->cancelled_by_caller || permit.streaming) return false;
  const Duration age = Elapsed(permit.started, now);
  if (age >= slow_duration_) return true;
  const std::optional<Duration> healthy = healthy_.value();
  return healthy.has_value() && age > kHungHealthyLatencies * *healthy && last_completion_ <= permit.started;
}

AttemptObservation AdaptiveBreaker::Observe(Time now, const HeldPermit& permit) const {
  AttemptObservation attempt;
  attempt.now = AsCallers(now);
  attempt.streaming = permit.streaming;
  attempt.duration = Elapsed(permit.started, now);
  attempt.healthy_latency = healthy_.value();
  attempt.slow_call_duration = slow_duration_;
  attempt.anything_completed = last_completion_ > permit.started;
  return attempt;
}

WindowSample AdaptiveBreaker::AddSample(Time now, const AttemptObservation& attempt, double offered_rate) {
  WindowSample sample;
  sample.failed = !attempt.marked && attempt.outcome == Outcome::kFailure;
  sample.slow = attempt.marked || (!attempt.streaming && attempt.duration >= attempt.slow_call_duration);
  sample.rating = rating_.Rate(attempt);
  window_.Add(now, sample, offered_rate);
  return sample;
}

WindowSample AdaptiveBreaker::AddMarked(Time now, const HeldPermit& permit, double offered_rate) {
  AttemptObservation attempt = Observe(now, permit);
  attempt.marked = true;
  return AddSample(now, attempt, offered_rate);
}

void AdaptiveBreaker::JudgeMarked(Time now, const HeldPermit& permit) {
  const double offered_rate = rate_.At(now);
  const WindowSample sample = AddMarked(now, permit, offered_rate);
  // A probe that is still out is not a good one, whatever the weights.
  if (state() != BreakerState::kOpen) Judge(now, sample, offered_rate);
}

void AdaptiveBreaker::Judge(Time now, const WindowSample& sample, double offered_rate) {
  if (state() == BreakerState::kClosed) return JudgeClosed(now, sample, offered_rate);
  if (state() == BreakerState::kOpen) return JudgeProbe(now, sample, offered_rate);
  JudgeRamp(now, sample, offered_rate);
}

void AdaptiveBreaker::JudgeClosed(Time now, const WindowSample& sample, double offered_rate) {
  test_.Add(sample);
  if (options_.sequential_opening) {
    if (!test_.Opens(offered_rate)) return;
    BreakerTransition& transition = Open(now, test_.context());
    transition.evidence = test_.evidence();
    transition.evidence_limit = test_.Limit(offered_rate);
    transition.consecutive_bad_limit = test_.ConsecutiveLimit(offered_rate);
    if (transition.consecutive_bad_limit.has_value()) transition.consecutive_bad = test_.consecutive_bad();
    test_.Clear();
    return;
  }
  const WindowTotals context = window_.Context(now);
  if (context.samples < options_.window.min_calls) return;
  const double rating = OptimisticRating(context);
  if (rating > rating_.open_threshold() + kRounding) return;
  BreakerTransition& transition = Open(now, context);
  transition.rating = rating;
  transition.context_required = options_.window.min_calls;
  test_.Clear();
}

double AdaptiveBreaker::OptimisticRating(const WindowTotals& context) const {
  double sum = 0;
  for (int i = 0; i < rating_.size(); ++i) {
    const auto metric = static_cast<std::size_t>(i);
    sum += rating_.weight(i) *
           (static_cast<double>(context.score_millionths[metric]) * 1e-6 + static_cast<double>(context.samples - context.known[metric]));
  }
  return sum / static_cast<double>(context.samples);
}

BreakerTransition& AdaptiveBreaker::Open(Time now, const WindowTotals& context) {
  schedule_.Opened(now, now, conditions(now), &random_);
  return Change(now, BreakerState::kOpen, TransitionReason::kRating, context);
}

void AdaptiveBreaker::JudgeProbe(Time now, const WindowSample& sample, double offered_rate) {
  if (!sample.rating.rating.has_value() || *sample.rating.rating < rating_.close_threshold()) return;
  WindowTotals context;
  context.Add(sample);
  ramp_.Start();
  share_ = ramp_.Share(offered_rate);
  Change(now, BreakerState::kHalfOpen, TransitionReason::kProbe, context).outage = Elapsed(schedule_.outage_began(), now);
  // From here on the exported rating describes the recovery, not the outage.
  window_.Clear();
}

void AdaptiveBreaker::JudgeRamp(Time now, const WindowSample& sample, double offered_rate, TransitionReason failure) {
  WindowTotals context = ramp_.stage();
  context.Add(sample);
  const double share = ramp_.Share(offered_rate);
  switch (ramp_.Add(sample, offered_rate)) {
    case Ramp::Verdict::kGoOn:
      share_ = ramp_.Share(offered_rate);
      return;
    case Ramp::Verdict::kPassed:
      EndRamp(now, BreakerState::kClosed, TransitionReason::kRamp, context, share, options_.ramp_stage_outcomes);
      window_.Clear();
      test_.Clear();
      return;
    case Ramp::Verdict::kFailed:
      schedule_.Opened(now, schedule_.outage_began(), conditions(now), &random_);
      EndRamp(now, BreakerState::kOpen, failure, context, share, Ramp::kBadOutcomesToFail);
      return;
  }
}

void AdaptiveBreaker::EndRamp(Time now, BreakerState to, TransitionReason reason, const WindowTotals& stage, double share, int required) {
  BreakerTransition& transition = Change(now, to, reason, stage);
  transition.outage = Elapsed(schedule_.outage_began(), now);
  transition.ramp_share = share;
  transition.context_bad = ramp_.bad();
  transition.context_required = required;
  if (reason == TransitionReason::kLease) transition.lease = lease_;
}

void AdaptiveBreaker::Learn(Time now, const HeldPermit& permit, const WindowSample& sample, const AttemptResult* result) {
  // Answers with an error code may be much quicker than the service's work.
  if (permit.streaming || result == nullptr || result->code != absl::StatusCode::kOk) return;
  const bool good = sample.rating.rating.has_value() && *sample.rating.rating >= rating_.close_threshold();
  if (!good || test_.evidence() >= kLearningEvidence) return;
  healthy_.Learn(now, Elapsed(permit.started, now));
  UpdateSlowDuration();
}

BreakerTransition& AdaptiveBreaker::Change(Time now, BreakerState to, TransitionReason reason, const WindowTotals& context) {
  BreakerTransition& transition = Transition(now, to, reason);
  transition.offered_rate = rate_.At(now);
  transition.admitted_share = admitted_share();
  transition.context_calls = context.samples;
  transition.context_failed = context.failed;
  transition.context_slow = context.slow;
  transition.rating = context.rating();
  transition.open_threshold = rating_.open_threshold();
  transition.close_threshold = rating_.close_threshold();
  transition.healthy_latency = healthy_.value();
  transition.slow_call_duration = slow_duration_;
  for (int i = 0; i < rating_.size(); ++i) {
    if (const std::optional<double> score = context.score(i)) transition.scores.emplace_back(std::string(rating_.name(i)), *score);
  }
  return transition;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
