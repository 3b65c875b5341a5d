#include "demo_services/demo/figures.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace recloser::demo {
namespace {

SteadyTime FromNanos(std::uint64_t nanos) { return SteadyTime(std::chrono::nanoseconds(nanos)); }

// The nearest rank; `sorted` in milliseconds.
double Percentile(const std::vector<double>& sorted, double quantile) {
  if (sorted.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

void JudgeCalls(const v1::LoadTrace& trace, const Timeline& timeline, Duration slo, double offered_rate, v1::ArmFigures* figures) {
  int good = 0;
  double refused = 0;
  std::vector<double> latencies;
  for (const v1::LoadTrace::Call& call : trace.calls()) {
    if (!call.sent()) continue;
    const Duration latency = FromNanos(call.end_ns()) - FromNanos(call.arrival_ns());
    latencies.push_back(ToSeconds(latency) * 1000);
    if (call.code() == 0 && latency <= slo) ++good;
    if (call.rejected()) refused += timeline.Answerable(FromNanos(call.end_ns()), offered_rate);
  }
  std::sort(latencies.begin(), latencies.end());
  figures->set_calls(static_cast<std::uint32_t>(trace.calls_size()));
  figures->set_goodput_percent(trace.calls_size() > 0 ? 100.0 * good / trace.calls_size() : 0);
  figures->set_p50_ms(Percentile(latencies, 0.50));
  figures->set_p99_ms(Percentile(latencies, 0.99));
  figures->set_good_calls_refused(refused);
  figures->set_attempts_per_call(latencies.empty() ? 0 : static_cast<double>(trace.attempt_starts_ns_size()) / latencies.size());
}

void JudgeBreaker(const v1::LoadTrace& trace, const Timeline& timeline, v1::ArmFigures* figures) {
  figures->set_has_breaker(true);
  SteadyTime closed_since = timeline.restarted;
  bool closed = true;
  for (const v1::LoadTrace::Change& change : trace.changes()) {
    closed = change.to() == "closed";
    if (closed) closed_since = FromNanos(change.at_ns());
  }
  figures->set_closed_at_end(closed);
  if (closed) figures->set_reclose_seconds(std::max(0.0, ToSeconds(closed_since - timeline.restarted)));
}

}  // namespace

v1::ArmFigures Judge(Arm arm, const v1::LoadTrace& trace, const Timeline& timeline, Duration slo, double offered_rate) {
  v1::ArmFigures figures;
  figures.set_arm(std::string(ArmName(arm)));
  JudgeCalls(trace, timeline, slo, offered_rate, &figures);
  figures.set_attempts_on_dead_service(
      static_cast<std::uint32_t>(std::count_if(trace.attempt_starts_ns().begin(), trace.attempt_starts_ns().end(),
                                               [&](std::uint64_t start) { return timeline.IsDead(FromNanos(start)); })));
  if (HasBreaker(arm)) JudgeBreaker(trace, timeline, &figures);
  return figures;
}

}  // namespace recloser::demo
