// What has happened so far in a run: counts, latencies, and on demand the trace of every call and attempt.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_RECORDER_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_RECORDER_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "demo_services/common/histogram.h"
#include "recloser/demo/v1/report.pb.h"

namespace recloser::demo {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Nanoseconds since the steady clock's origin, which all processes of the machine share.
inline std::uint64_t SteadyNanos(SteadyTime time) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

/// How one call ended.
struct CallEnd {
  SteadyTime arrival;  // as scheduled
  SteadyTime end;
  int code = 0;
  bool rejected = false;
};

struct LoadCounts {
  std::uint32_t offered = 0;
  std::uint32_t not_sent = 0;
  std::uint32_t finished = 0;
  std::uint32_t ok = 0;
  std::uint32_t good = 0;
  std::uint32_t rejected = 0;
  std::uint32_t attempts = 0;
  std::uint32_t outstanding_max = 0;
  std::array<std::uint32_t, 17> codes{};

  std::uint32_t outstanding() const { return offered - not_sent - finished; }
};

class Recorder {
 public:
  /// `slo`: an OK that takes longer is not good. `trace`: keep every call and attempt.
  Recorder(Duration slo, bool trace) : slo_(slo), trace_wanted_(trace) {}

  void OnSent();
  void OnNotSent(SteadyTime arrival);
  void OnEnded(const CallEnd& call);
  void OnAttempt(SteadyTime start);
  /// The breaker rejected an attempt, a retry perhaps.
  void OnRejected(SteadyTime at);
  /// An attempt failed as the service fails in healthy times too.
  void OnBackgroundFailure(SteadyTime at);
  void OnBreakerChange(SteadyTime at, const std::string& from, const std::string& to);

  LoadCounts counts() const;
  v1::LatencySummary latency() const;
  v1::LoadTrace trace() const;

 private:
  const Duration slo_;
  const bool trace_wanted_;
  mutable std::mutex mutex_;
  LoadCounts counts_;
  LatencyHistogram latency_;
  v1::LoadTrace trace_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_RECORDER_H_
