#include "method_metrics.h"

#include <cstddef>

namespace recloser {
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
constexpr absl::string_view kScopes[] = {"call", "attempt"};
constexpr absl::string_view kSources[] = {"policy", "caller"};

/// One series for each code and column, and the sum of all. A code that gRPC does not define has series only once it came.
template <class Table, class Names>
std::uint64_t ExportByCode(Page& page, MetricKey key, const Labels& labels, const Table& table, absl::string_view column_label,
                           const Names& columns) {
  std::uint64_t sum = 0;
  for (std::size_t code = 0; code < table.size(); ++code) {
    for (std::size_t column = 0; column < table[code].size(); ++column) {
      const std::uint64_t count = table[code][column].value();
      sum += count;
      if (code == kUndefinedCode && count == 0) continue;
      page.Add(key, With(labels, {{"grpc_code", CodeName(static_cast<absl::StatusCode>(code))}, {column_label, columns[column]}}), count);
    }
  }
  return sum;
}

}  // namespace

MethodMetrics::MethodMetrics(const MethodId& id)
    : labels_(LinkLabels(id.target, id.service, id.method)),
      attempt_duration_{DurationHistogram(kLatencyBounds), DurationHistogram(kLatencyBounds), DurationHistogram(kLatencyBounds)} {}

void MethodMetrics::OnCallStarted() { calls_started_.Increment(); }

void MethodMetrics::OnCallFinished(const CallFinished& call) {
  call_duration_.Observe(call.duration);
  calls_handled_[Slot(call.code)][call.local ? 1 : 0].Increment();
}

void MethodMetrics::OnAttemptStarted(int /*number*/) { attempts_started_.Increment(); }

void MethodMetrics::OnAttemptFinished(const AttemptFinished& attempt) {
  attempt_duration_[Index(attempt.outcome)].Observe(attempt.duration);
  attempts_handled_[Slot(attempt.code)][Index(attempt.outcome)].Increment();
}

void MethodMetrics::OnTimeout(TimeoutScope scope, TimeoutSource source) { timeouts_[Index(scope)][Index(source)].Increment(); }

void MethodMetrics::OnRetryScheduled(RetryReason /*reason*/, Duration delay) { backoff_.Observe(delay); }

void MethodMetrics::OnRetryFinished(RetryReason reason, bool success) { retries_[Index(reason)][success ? 1 : 0].Increment(); }

void MethodMetrics::OnRetrySuppressed(RetrySuppressed why) { suppressed_[Index(why)].Increment(); }

void MethodMetrics::Export(Page& page) const {
  ExportCalls(page);
  ExportAttempts(page);
  ExportRetries(page);
}

void MethodMetrics::ExportCalls(Page& page) const {
  const std::uint64_t handled = ExportByCode(page, MetricKey::kCallsHandled, labels_, calls_handled_, "origin", kOrigins);
  const std::uint64_t started = calls_started_.value();
  page.Add(MetricKey::kCallsStarted, labels_, started);
  page.Add(MetricKey::kCallsInFlight, labels_, started - handled);
  page.Add(MetricKey::kCallDuration, labels_, call_duration_.Read());
  for (std::size_t scope = 0; scope < timeouts_.size(); ++scope) {
    for (std::size_t source = 0; source < timeouts_[scope].size(); ++source) {
      page.Add(MetricKey::kTimeouts, With(labels_, {{"scope", kScopes[scope]}, {"source", kSources[source]}}),
               timeouts_[scope][source].value());
    }
  }
}

void MethodMetrics::ExportAttempts(Page& page) const {
  const absl::string_view outcomes[] = {OutcomeName(Outcome::kSuccess), OutcomeName(Outcome::kFailure), OutcomeName(Outcome::kIgnored)};
  const std::uint64_t handled = ExportByCode(page, MetricKey::kAttemptsHandled, labels_, attempts_handled_, "outcome", outcomes);
  const std::uint64_t started = attempts_started_.value();
  page.Add(MetricKey::kAttemptsStarted, labels_, started);
  page.Add(MetricKey::kAttemptsInFlight, labels_, started - handled);
  for (std::size_t i = 0; i < attempt_duration_.size(); ++i) {
    page.Add(MetricKey::kAttemptDuration, With(labels_, {{"outcome", outcomes[i]}}), attempt_duration_[i].Read());
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
  page.Add(MetricKey::kRetryBackoff, labels_, backoff_.Read());
}

}  // namespace recloser
