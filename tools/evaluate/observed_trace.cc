#include "evaluate/observed_trace.h"

#include <string>
#include <vector>

#include "recloser/core/breaker.h"

namespace recloser::tools {
namespace {

BreakerState StateOf(const std::string& name) {
  for (int i = 0; i < kBreakerStates; ++i) {
    if (StateName(static_cast<BreakerState>(i)) == name) return static_cast<BreakerState>(i);
  }
  return BreakerState::kClosed;
}

}  // namespace

sim::Observed ObservedOf(const demo::v1::LoadTrace& trace, demo::SteadyTime origin) {
  const auto since_origin = [origin](std::uint64_t nanos) { return demo::SteadyTime(std::chrono::nanoseconds(nanos)) - origin; };
  sim::Observed observed;
  for (const demo::v1::LoadTrace::Call& call : trace.calls()) {
    observed.calls.push_back({since_origin(call.arrival_ns()), since_origin(call.end_ns()), call.sent() && call.code() == 0});
  }
  for (const std::uint64_t start : trace.attempt_starts_ns()) observed.attempts.push_back(since_origin(start));
  for (const std::uint64_t at : trace.rejections_ns()) observed.rejections.push_back(since_origin(at));
  for (const std::uint64_t at : trace.background_failures_ns()) observed.excused.push_back(since_origin(at));
  for (const demo::v1::LoadTrace::Change& change : trace.changes()) {
    observed.transitions.push_back({since_origin(change.at_ns()), StateOf(change.from()), StateOf(change.to())});
  }
  return observed;
}

}  // namespace recloser::tools
