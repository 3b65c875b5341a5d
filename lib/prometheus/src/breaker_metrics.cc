#include "breaker_metrics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

template <class Enum>
constexpr std::size_t Index(Enum value) {
  return static_cast<std::size_t>(value);
}

constexpr std::array<BreakerMode, 2> kModes = {BreakerMode::kEnforce, BreakerMode::kShadow};

/// A breaker that the configuration switched off was an enforced one, or may become it.
std::size_t ModeIndex(BreakerMode mode) { return mode == BreakerMode::kShadow ? 1 : 0; }

void ExportOptional(Page& page, MetricKey key, Labels labels, const std::optional<double>& value) {
  if (value) page.Add(key, std::move(labels), *value);
}

/// `resting`: the configuration disabled the breaker. Its machine keeps its state for later, but nothing is rejected now.
void ExportState(const BreakerSnapshot& snapshot, bool resting, const Labels& labels, Page& page) {
  const BreakerState now = resting ? BreakerState::kDisabled : snapshot.state;
  for (int i = 0; i < kBreakerStates; ++i) {
    const auto state = static_cast<BreakerState>(i);
    const Labels with_state = With(labels, {{"state", StateName(state)}});
    page.Add(MetricKey::kBreakerState, with_state, state == now ? 1 : 0);
    page.Add(MetricKey::kBreakerTimeInState, with_state, ToSeconds(snapshot.time_in_state[Index(state)]));
  }
  page.Add(MetricKey::kBreakerAdmitted, labels, resting ? 1 : snapshot.admitted_share);
}

void ExportRating(const BreakerSnapshot& snapshot, const Labels& labels, Page& page) {
  ExportOptional(page, MetricKey::kBreakerRating, labels, snapshot.rating);
  for (const auto& [metric, score] : snapshot.scores) page.Add(MetricKey::kBreakerScore, With(labels, {{"metric", metric}}), score);
  for (const auto& [metric, weight] : snapshot.weights) page.Add(MetricKey::kBreakerWeight, With(labels, {{"metric", metric}}), weight);
  ExportOptional(page, MetricKey::kBreakerThreshold, With(labels, {{"edge", "open"}}), snapshot.open_threshold);
  ExportOptional(page, MetricKey::kBreakerThreshold, With(labels, {{"edge", "close"}}), snapshot.close_threshold);
}

void ExportWindow(const BreakerSnapshot& snapshot, const Labels& labels, Page& page) {
  page.Add(MetricKey::kBreakerWindowCalls, labels, snapshot.window_calls);
  page.Add(MetricKey::kBreakerWindowSeconds, labels, ToSeconds(snapshot.window_span));
  page.Add(MetricKey::kBreakerOfferedRate, labels, snapshot.offered_rate);
}

/// A breaker counts its rejections whatever its mode, and a mode can change: what was refused in shadow mode is known to the shadow's
/// counts.
void ExportRejections(const BreakerSnapshot& snapshot, const Labels& labels, Page& page) {
  const std::uint64_t would = snapshot.shadow ? std::min(snapshot.shadow->would_reject(), snapshot.rejected) : 0;
  page.Add(MetricKey::kBreakerRejected, With(labels, {{"mode", ModeName(BreakerMode::kEnforce)}}), snapshot.rejected - would);
  page.Add(MetricKey::kBreakerRejected, With(labels, {{"mode", ModeName(BreakerMode::kShadow)}}), would);
}

void ExportShadow(const ShadowCounts& counts, const Labels& labels, Page& page) {
  const std::uint64_t decisions[] = {counts.both_admit, counts.both_reject, counts.only_shadow_rejects, counts.only_enforced_rejects};
  static_assert(std::size(decisions) == kShadowAgreements);
  for (int i = 0; i < kShadowAgreements; ++i) {
    const absl::string_view agreement = ShadowAgreementName(static_cast<ShadowAgreement>(i));
    page.Add(MetricKey::kShadowDecisions, With(labels, {{"agreement", agreement}}), decisions[i]);
  }
  const auto add_results = [&](absl::string_view decision, std::uint64_t good, std::uint64_t bad) {
    page.Add(MetricKey::kShadowResults, With(labels, {{"decision", decision}, {"result", "good"}}), good);
    page.Add(MetricKey::kShadowResults, With(labels, {{"decision", decision}, {"result", "bad"}}), bad);
  };
  add_results("admit", counts.good - counts.would_refuse_good, counts.bad - counts.would_save);
  add_results("reject", counts.would_refuse_good, counts.would_save);
}

void ExportCounters(const BreakerSnapshot& snapshot, const Labels& labels, Page& page) {
  page.Add(MetricKey::kBreakerPermitsInFlight, labels, snapshot.permits_in_flight);
  for (int i = 0; i < kProbeResults; ++i) {
    const auto result = static_cast<ProbeResult>(i);
    page.Add(MetricKey::kBreakerProbes, With(labels, {{"result", ProbeResultName(result)}}), snapshot.probes[Index(result)]);
  }
  page.Add(MetricKey::kBreakerStaleResults, labels, snapshot.stale_results);
  page.Add(MetricKey::kClockAnomalies, labels, snapshot.clock_anomalies);
  page.Add(MetricKey::kInvariantViolations, labels, snapshot.invariant_violations);
}

/// The transitions whose series exist from the start. Others would get theirs when they happen.
bool IsExpected(BreakerState from, BreakerState to, TransitionReason reason) {
  if (from == to) return false;
  const auto by_hand = [](BreakerState state) { return state == BreakerState::kForcedOpen || state == BreakerState::kDisabled; };
  switch (reason) {
    case TransitionReason::kManual:
      return by_hand(to) || to == BreakerState::kClosed;
    case TransitionReason::kRating:
      return from == BreakerState::kClosed && to == BreakerState::kOpen;
    case TransitionReason::kProbe:
      return (from == BreakerState::kOpen && to == BreakerState::kHalfOpen) ||
             (from == BreakerState::kHalfOpen && (to == BreakerState::kClosed || to == BreakerState::kOpen));
    case TransitionReason::kRamp:
      return from == BreakerState::kHalfOpen && (to == BreakerState::kClosed || to == BreakerState::kOpen);
    case TransitionReason::kLease:
      return from == BreakerState::kHalfOpen && to == BreakerState::kOpen;
    case TransitionReason::kConfig:
      // A breaker of the user's own has taken the place of one of another kind, and can't go on in its state.
      return to == BreakerState::kClosed && (from == BreakerState::kOpen || from == BreakerState::kHalfOpen);
  }
  return false;
}

}  // namespace

BreakerMetrics::History& BreakerMetrics::HistoryOf(const SharedBreaker& breaker) const {
  std::unique_ptr<History>& history = histories_[Key(breaker.id().target, breaker.id().name())];
  if (history == nullptr) history = std::make_unique<History>();
  return *history;
}

void BreakerMetrics::OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition, double unix_seconds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  History& history = HistoryOf(breaker);
  const std::size_t mode = ModeIndex(breaker.mode());
  history.seen[mode] = true;
  ++history.transitions[mode][Index(transition.from)][Index(transition.to)][Index(transition.reason)];
  history.last_transition_unix_seconds = unix_seconds;
  if (transition.from == BreakerState::kOpen) history.open_duration.Observe(transition.time_in_from);
}

void BreakerMetrics::Export(const SharedBreaker& breaker, Time now, Page& page) const {
  const BreakerSnapshot snapshot = breaker.Snapshot(now);
  const Labels labels = LinkLabels(breaker.id().target, breaker.id().service, breaker.id().method);
  ExportState(snapshot, breaker.mode() == BreakerMode::kDisabled, labels, page);
  ExportRating(snapshot, labels, page);
  ExportWindow(snapshot, labels, page);
  ExportRejections(snapshot, labels, page);
  ExportCounters(snapshot, labels, page);

  const std::lock_guard<std::mutex> lock(mutex_);
  History& history = HistoryOf(breaker);
  history.seen[ModeIndex(breaker.mode())] = true;
  if (snapshot.shadow) history.seen[ModeIndex(BreakerMode::kShadow)] = true;
  if (history.seen[ModeIndex(BreakerMode::kShadow)]) ExportShadow(snapshot.shadow.value_or(ShadowCounts()), labels, page);
  ExportHistory(history, labels, page);
}

void BreakerMetrics::ExportHistory(const History& history, const Labels& labels, Page& page) {
  for (std::size_t mode = 0; mode < kModes.size(); ++mode) {
    if (history.seen[mode]) ExportTransitions(history.transitions[mode], kModes[mode], labels, page);
  }
  ExportOptional(page, MetricKey::kBreakerLastTransition, labels, history.last_transition_unix_seconds);
  DurationTotals open;
  history.open_duration.AddTo(&open);
  page.Add(MetricKey::kBreakerOpenDuration, labels, open.Export(kOpenBounds));
}

void BreakerMetrics::ExportTransitions(const Transitions& transitions, BreakerMode mode, const Labels& labels, Page& page) {
  for (int i = 0; i < kBreakerStates * kBreakerStates * kTransitionReasons; ++i) {
    const auto from = static_cast<BreakerState>(i / kTransitionReasons / kBreakerStates);
    const auto to = static_cast<BreakerState>(i / kTransitionReasons % kBreakerStates);
    const auto reason = static_cast<TransitionReason>(i % kTransitionReasons);
    const std::uint64_t count = transitions[Index(from)][Index(to)][Index(reason)];
    if (count == 0 && !IsExpected(from, to, reason)) continue;
    page.Add(MetricKey::kBreakerTransitions,
             With(labels, {{"from", StateName(from)}, {"to", StateName(to)}, {"reason", ReasonName(reason)}, {"mode", ModeName(mode)}}),
             count);
  }
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
