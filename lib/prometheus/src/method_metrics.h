// The series of one method: calls, attempts, deadlines, retries. A record is an index into an array; no label is looked up.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_PROMETHEUS_SRC_METHOD_METRICS_H_
#define RECLOSER_PROMETHEUS_SRC_METHOD_METRICS_H_

#include <array>

#include "page.h"
#include "recloser/core/observer.h"
#include "recording.h"

namespace recloser {

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

  void ExportCalls(Page& page) const;
  void ExportAttempts(Page& page) const;
  void ExportRetries(Page& page) const;

  const Labels labels_;
  Count calls_started_;
  Counts<kCodeRows, 2> calls_handled_;  // [code][local]
  DurationHistogram call_duration_{kLatencyBounds};
  Count attempts_started_;
  Counts<kCodeRows, kOutcomes> attempts_handled_;
  std::array<DurationHistogram, kOutcomes> attempt_duration_;
  Counts<2, 2> timeouts_;             // [scope][source]
  Counts<kRetryReasons, 2> retries_;  // [reason][success]
  std::array<Count, kRetrySuppressedReasons> suppressed_;
  DurationHistogram backoff_{kBackoffBounds};
};

}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_SRC_METHOD_METRICS_H_
