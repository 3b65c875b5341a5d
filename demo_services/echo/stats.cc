#include "demo_services/echo/stats.h"

namespace recloser::demo {

std::uint64_t EchoStats::Arrived(EchoMethod method, bool is_retry) {
  Counts& counts = counts_[static_cast<std::size_t>(method)];
  counts.received.fetch_add(1);
  if (is_retry) counts.retries.fetch_add(1);
  return sequence_.fetch_add(1) + 1;
}

void EchoStats::Ended(EchoMethod method, CallResult result) {
  counts_[static_cast<std::size_t>(method)].ended[static_cast<std::size_t>(result)].fetch_add(1);
}

v1::StatsResponse EchoStats::Snapshot() const {
  v1::StatsResponse response;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const Counts& counts = counts_[i];
    v1::StatsResponse::Method& method = *response.add_methods();
    method.set_method(kEchoMethodNames[i]);
    method.set_ok(counts.ended[static_cast<std::size_t>(CallResult::kOk)].load());
    method.set_failed(counts.ended[static_cast<std::size_t>(CallResult::kFailed)].load());
    method.set_cancelled(counts.ended[static_cast<std::size_t>(CallResult::kCancelled)].load());
    // After what has ended, which then can't exceed it.
    method.set_received(counts.received.load());
    method.set_in_flight(method.received() - method.ok() - method.failed() - method.cancelled());
    method.set_retries(counts.retries.load());
  }
  response.set_counter(counter_.load());
  return response;
}

}  // namespace recloser::demo
