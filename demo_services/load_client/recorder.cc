#include "demo_services/load_client/recorder.h"

#include <algorithm>

namespace recloser::demo {

void Recorder::OnSent() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++counts_.offered;
  counts_.outstanding_max = std::max(counts_.outstanding_max, counts_.outstanding());
}

void Recorder::OnNotSent(SteadyTime arrival) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++counts_.offered;
  ++counts_.not_sent;
  if (!trace_wanted_) return;
  v1::LoadTrace::Call* entry = trace_.add_calls();
  entry->set_arrival_ns(SteadyNanos(arrival));
  entry->set_end_ns(SteadyNanos(arrival));
}

void Recorder::OnEnded(const CallEnd& call) {
  const Duration latency = call.end - call.arrival;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++counts_.finished;
  ++counts_.codes[static_cast<std::size_t>(call.code >= 0 && call.code < 17 ? call.code : 2)];  // a number that is no code: UNKNOWN
  if (call.code == 0) ++counts_.ok;
  if (call.code == 0 && latency <= slo_) ++counts_.good;
  if (call.rejected) ++counts_.rejected;
  latency_.Add(latency);
  if (!trace_wanted_) return;
  v1::LoadTrace::Call* entry = trace_.add_calls();
  entry->set_arrival_ns(SteadyNanos(call.arrival));
  entry->set_end_ns(SteadyNanos(call.end));
  entry->set_code(static_cast<std::uint32_t>(call.code));
  entry->set_rejected(call.rejected);
  entry->set_sent(true);
}

void Recorder::OnAttempt(SteadyTime start) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++counts_.attempts;
  if (trace_wanted_) trace_.add_attempt_starts_ns(SteadyNanos(start));
}

void Recorder::OnRejected(SteadyTime at) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (trace_wanted_) trace_.add_rejections_ns(SteadyNanos(at));
}

void Recorder::OnBackgroundFailure(SteadyTime at) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (trace_wanted_) trace_.add_background_failures_ns(SteadyNanos(at));
}

void Recorder::OnBreakerChange(SteadyTime at, const std::string& from, const std::string& to) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!trace_wanted_) return;
  v1::LoadTrace::Change* change = trace_.add_changes();
  change->set_at_ns(SteadyNanos(at));
  change->set_from(from);
  change->set_to(to);
}

LoadCounts Recorder::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

v1::LatencySummary Recorder::latency() const {
  const auto ms = [](Duration d) { return ToSeconds(d) * 1000; };
  const std::lock_guard<std::mutex> lock(mutex_);
  v1::LatencySummary summary;
  summary.set_p50_ms(ms(latency_.Quantile(0.5)));
  summary.set_p90_ms(ms(latency_.Quantile(0.9)));
  summary.set_p99_ms(ms(latency_.Quantile(0.99)));
  summary.set_max_ms(ms(latency_.max()));
  return summary;
}

v1::LoadTrace Recorder::trace() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return trace_;
}

}  // namespace recloser::demo
