// What the adaptive breaker makes of healthy attempts that were noted beside it: the same as of others, faster.
#include <algorithm>
#include <array>
#include <cmath>

#include "adaptive_breaker.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

/// The user's own metrics see every attempt as it ends.
bool IsBuiltIn(const std::shared_ptr<const Metric>& metric) {
  return metric == ErrorsMetric() || metric == LatencyMetric() || metric == ThroughputMetric();
}

}  // namespace

Duration AdaptiveBreaker::HarmlessBelow(const AdaptiveBreakerOptions& options, const Rating& rating) {
  const auto& metrics = options.rating.metrics;
  const auto built_in = [](const WeightedMetric& metric) { return IsBuiltIn(metric.metric); };
  if (!options.sequential_opening || !std::all_of(metrics.begin(), metrics.end(), built_in)) return Duration::zero();
  // Errors and throughput score 1, latency L at the duration d; the rating stays at or above `open_threshold` while
  // L >= 1 - (1 - open_threshold) / weight. The least that L can be is 1 - d / slow_call_duration, of a healthy latency of zero.
  double latency_weight = 0;
  for (int i = 0; i < rating.size(); ++i) {
    if (metrics[static_cast<std::size_t>(i)].metric == LatencyMetric()) latency_weight = rating.weight(i);
  }
  const double spare = 1 - rating.open_threshold();
  const double share = latency_weight <= spare ? 1 : spare / latency_weight;
  return Duration(static_cast<Duration::rep>(std::floor(static_cast<double>(options.slow_call_duration.count()) * share)));
}

std::optional<LaneTerms> AdaptiveBreaker::lane_terms() const {
  const bool healthy = state() == BreakerState::kClosed && test_.evidence() == 0 && test_.consecutive_bad() == 0;
  if (!healthy || harmless_below_ == Duration::zero() || ledger().any_leased()) return std::nullopt;
  LaneTerms terms;
  terms.generation = generation();
  terms.clock_offset = clock().offset();
  terms.harmless_below = harmless_below_;
  // Slow is never less, whatever the healthy latency.
  terms.unwatched_below = options_.judge_in_flight ? options_.slow_call_duration : kForever;
  return terms;
}

std::uint64_t AdaptiveBreaker::Adopt(const HeldPermit& permit) {
  return Grant(permit, permit.generation == generation() && options_.judge_in_flight);
}

void AdaptiveBreaker::ReplayLane(absl::Span<const LaneEvent> events, std::uint64_t generation) {
  while (!events.empty()) {
    std::size_t done = generation == this->generation() && lane_terms().has_value() ? ReplayQuick(events) : 0;
    if (done == 0) {
      ReplayOne(events.front(), generation);
      done = 1;
    }
    events.remove_prefix(done);
  }
}

std::size_t AdaptiveBreaker::ReplayQuick(absl::Span<const LaneEvent> events) {
  // Copies: the compiler keeps them in registers.
  OfferedRate rate = rate_;
  HealthyLatency healthy = healthy_;
  Time latest = clock().latest();
  std::array<AdaptiveWindow::Moment, 64> ends;
  std::size_t ended = 0;
  std::size_t i = 0;
  for (; i < events.size(); ++i) {
    const LaneEvent& event = events[i];
    const Time t = std::max(latest, Time(event.at));
    if (event.took == LaneEvent::kArrival) {
      rate.Arrive(t);
      latest = t;
      continue;
    }
    if (event.took > healthy.quick_up_to() || ended == ends.size()) break;
    ends[ended++] = {t.time_since_epoch(), rate.At(t)};
    healthy.Learn(t, event.took);
    latest = t;
  }
  AdvanceTo(latest);
  rate_ = rate;
  if (ended == 0) return i;
  window_.AddPerfect({ends.data(), ended});
  last_completion_ = Time(ends[ended - 1].at);
  healthy_ = healthy;
  UpdateSlowDuration();
  return i;
}

void AdaptiveBreaker::ReplayOne(const LaneEvent& event, std::uint64_t generation) {
  if (event.took == LaneEvent::kArrival) return ReplayArrival(Time(event.at));
  HeldPermit permit;
  permit.generation = generation;
  // It took what it took, also when others were told of first that were later.
  permit.started = std::max(clock().latest(), Time(event.at)) - event.took;
  ReplaySuccess(Time(event.at), permit);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
