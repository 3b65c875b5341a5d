#include "method_metrics.h"

#include <cstddef>
#include <iterator>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr std::size_t kUndefinedCode = 17;  // the row behind gRPC's codes 0 to 16

template <class Enum>
constexpr std::size_t Index(Enum value) {
  return static_cast<std::size_t>(value);
}

/// The row of a status code; the last one is for numbers that gRPC does not define.
std::size_t Slot(absl::StatusCode code) {
  const auto number = static_cast<std::size_t>(code);  // a negative one becomes large
  return number < kUndefinedCode ? number : kUndefinedCode;
}

constexpr absl::string_view kOrigins[] = {"server", "local"};
constexpr absl::string_view kResults[] = {"failure", "success"};
constexpr absl::string_view kSources[] = {"policy", "caller"};

}  // namespace

MethodMetrics::MethodMetrics(const MethodId& id) : labels_(LinkLabels(id.target, id.service, id.method)) {}

void MethodMetrics::OnCallStarted() { hot().calls_started.Increment(); }

void MethodMetrics::OnCallFinished(const CallFinished& call) {
  Hot& mine = hot();
  mine.call_duration.Observe(call.duration);
  mine.calls_handled[Slot(call.code)][call.local ? 1 : 0].Increment();
}

void MethodMetrics::OnAttemptStarted(int /*number*/) { hot().attempts_started.Increment(); }

void MethodMetrics::OnAttemptFinished(const AttemptFinished& attempt) {
  Hot& mine = hot();
  mine.attempt_duration[Index(attempt.outcome)].Observe(attempt.duration);
  mine.attempts_handled[Slot(attempt.code)][Index(attempt.outcome)].Increment();
}

void MethodMetrics::OnTimeout(TimeoutScope scope, TimeoutSource source) { timeouts_[Index(scope)][Index(source)].Increment(); }

void MethodMetrics::OnRetryScheduled(RetryReason /*reason*/, Duration delay) { backoff_.Observe(delay); }

void MethodMetrics::OnRetryFinished(RetryReason reason, bool success) { retries_[Index(reason)][success ? 1 : 0].Increment(); }

void MethodMetrics::OnRetrySuppressed(RetrySuppressed why) { suppressed_[Index(why)].Increment(); }

template <class Get>
std::uint64_t MethodMetrics::Total(Get get) const {
  std::uint64_t total = 0;
  for (const Hot& copy : hot_) total += get(copy).value();
  return total;
}

template <class Get>
DurationTotals MethodMetrics::TotalDurations(Get get) const {
  DurationTotals totals;
  for (const Hot& copy : hot_) get(copy).AddTo(&totals);
  return totals;
}

template <class Names, class Get>
std::uint64_t MethodMetrics::ExportByCode(Page& page, MetricKey key, absl::string_view column_label, const Names& columns, Get get) const {
  std::uint64_t sum = 0;
  for (std::size_t code = 0; code < kCodeRows; ++code) {
    for (std::size_t column = 0; column < std::size(columns); ++column) {
      const std::uint64_t count = Total([&](const Hot& copy) -> const Count& { return get(copy, code, column); });
      sum += count;
      // A code that gRPC does not define has a series only once it came.
      if (code == kUndefinedCode && count == 0) continue;
      page.Add(key, With(labels_, {{"grpc_code", CodeName(static_cast<absl::StatusCode>(code))}, {column_label, columns[column]}}), count);
    }
  }
  return sum;
}

void MethodMetrics::Export(Page& page) const {
  ExportCalls(page);
  ExportAttempts(page);
  ExportTimeouts(page);
  ExportRetries(page);
}

void MethodMetrics::ExportCalls(Page& page) const {
  const std::uint64_t handled =
      ExportByCode(page, MetricKey::kCallsHandled, "origin", kOrigins,
                   [](const Hot& copy, std::size_t code, std::size_t local) -> const Count& { return copy.calls_handled[code][local]; });
  const std::uint64_t started = Total([](const Hot& copy) -> const Count& { return copy.calls_started; });
  page.Add(MetricKey::kCallsStarted, labels_, started);
  page.Add(MetricKey::kCallsInFlight, labels_, started - handled);
  const DurationTotals durations = TotalDurations([](const Hot& copy) -> const DurationHistogram& { return copy.call_duration; });
  page.Add(MetricKey::kCallDuration, labels_, durations.Export(kLatencyBounds));
}

void MethodMetrics::ExportAttempts(Page& page) const {
  const absl::string_view outcomes[] = {OutcomeName(Outcome::kSuccess), OutcomeName(Outcome::kFailure), OutcomeName(Outcome::kIgnored)};
  const std::uint64_t handled = ExportByCode(
      page, MetricKey::kAttemptsHandled, "outcome", outcomes,
      [](const Hot& copy, std::size_t code, std::size_t outcome) -> const Count& { return copy.attempts_handled[code][outcome]; });
  const std::uint64_t started = Total([](const Hot& copy) -> const Count& { return copy.attempts_started; });
  page.Add(MetricKey::kAttemptsStarted, labels_, started);
  page.Add(MetricKey::kAttemptsInFlight, labels_, started - handled);
  for (std::size_t i = 0; i < std::size(outcomes); ++i) {
    const DurationTotals durations = TotalDurations([&](const Hot& copy) -> const DurationHistogram& { return copy.attempt_duration[i]; });
    page.Add(MetricKey::kAttemptDuration, With(labels_, {{"outcome", outcomes[i]}}), durations.Export(kLatencyBounds));
  }
}

void MethodMetrics::ExportTimeouts(Page& page) const {
  for (std::size_t scope = 0; scope < timeouts_.size(); ++scope) {
    for (std::size_t source = 0; source < timeouts_[scope].size(); ++source) {
      page.Add(MetricKey::kTimeouts,
               With(labels_, {{"scope", TimeoutScopeName(static_cast<TimeoutScope>(scope))}, {"source", kSources[source]}}),
               timeouts_[scope][source].value());
    }
  }
}

void MethodMetrics::ExportRetries(Page& page) const {
  for (int i = 0; i < kRetryReasons; ++i) {
    const absl::string_view reason = RetryReasonName(static_cast<RetryReason>(i));
    for (std::size_t result = 0; result < 2; ++result) {
      page.Add(MetricKey::kRetries, With(labels_, {{"reason", reason}, {"result", kResults[result]}}), retries_[i][result].value());
    }
  }
  for (int i = 0; i < kRetrySuppressedReasons; ++i) {
    page.Add(MetricKey::kRetriesSuppressed, With(labels_, {{"why", RetrySuppressedName(static_cast<RetrySuppressed>(i))}}),
             suppressed_[i].value());
  }
  DurationTotals waits;
  backoff_.AddTo(&waits);
  page.Add(MetricKey::kRetryBackoff, labels_, waits.Export(kBackoffBounds));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
