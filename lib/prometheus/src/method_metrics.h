// The series of one method: calls, attempts, deadlines, retries. A record is an index into an array; no label is looked up.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_PROMETHEUS_SRC_METHOD_METRICS_H_
#define RECLOSER_PROMETHEUS_SRC_METHOD_METRICS_H_

#include <array>
#include <cstdint>

#include "page.h"
#include "recloser/core/observer.h"
#include "recording.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class MethodMetrics final : public MethodObserver {
 public:
  explicit MethodMetrics(const MethodId& id);

  void OnCallStarted() override;
  void OnCallFinished(const CallFinished& call) override;
  void OnAttemptStarted(int number) override;
  void OnAttemptFinished(const AttemptFinished& attempt) override;
  void OnTimeout(TimeoutScope scope, TimeoutSource source) override;
  void OnRetryScheduled(RetryReason reason, Duration delay) override;
  void OnRetryFinished(RetryReason reason, bool success) override;
  void OnRetrySuppressed(RetrySuppressed why) override;

  void Export(Page& page) const;

 private:
  static constexpr int kCodeRows = 18;  // gRPC's 17 codes and one row for any other number
  static constexpr int kOutcomes = 3;
  template <int kRows, int kColumns>
  using Counts = std::array<std::array<Count, kColumns>, kRows>;

  /// What every call writes to.
  struct alignas(64) Hot {
    Count calls_started;
    Counts<kCodeRows, 2> calls_handled;  // [code][local]
    DurationHistogram call_duration{kLatencyBounds};
    Count attempts_started;
    Counts<kCodeRows, kOutcomes> attempts_handled;
    std::array<DurationHistogram, kOutcomes> attempt_duration{DurationHistogram(kLatencyBounds), DurationHistogram(kLatencyBounds),
                                                              DurationHistogram(kLatencyBounds)};
  };

  Hot& hot() { return hot_[ThreadShard()]; }
  /// The sum of a count over all copies; `get` finds it in one.
  template <class Get>
  std::uint64_t Total(Get get) const;
  template <class Get>
  DurationTotals TotalDurations(Get get) const;
  /// One series for each code and column, and the sum of all; `get(hot, code, column)` finds a count.
  template <class Names, class Get>
  std::uint64_t ExportByCode(Page& page, MetricKey key, absl::string_view column_label, const Names& columns, Get get) const;

  void ExportCalls(Page& page) const;
  void ExportAttempts(Page& page) const;
  void ExportTimeouts(Page& page) const;
  void ExportRetries(Page& page) const;

  const Labels labels_;
  std::array<Hot, kShards> hot_;
  Counts<kTimeoutScopes, 2> timeouts_;  // [scope][source]
  Counts<kRetryReasons, 2> retries_;    // [reason][success]
  std::array<Count, kRetrySuppressedReasons> suppressed_;
  DurationHistogram backoff_{kBackoffBounds};
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_SRC_METHOD_METRICS_H_
