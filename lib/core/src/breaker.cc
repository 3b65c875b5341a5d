#include "recloser/core/breaker.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

absl::string_view StateName(BreakerState state) {
  switch (state) {
    case BreakerState::kClosed:
      return "closed";
    case BreakerState::kOpen:
      return "open";
    case BreakerState::kHalfOpen:
      return "half_open";
    case BreakerState::kForcedOpen:
      return "forced_open";
    case BreakerState::kDisabled:
      break;
  }
  return "disabled";
}

absl::string_view ReasonName(TransitionReason reason) {
  switch (reason) {
    case TransitionReason::kRating:
      return "rating";
    case TransitionReason::kProbe:
      return "probe";
    case TransitionReason::kRamp:
      return "ramp";
    case TransitionReason::kLease:
      return "lease";
    case TransitionReason::kManual:
      return "manual";
    case TransitionReason::kConfig:
      break;
  }
  return "config";
}

absl::string_view ProbeResultName(ProbeResult result) {
  switch (result) {
    case ProbeResult::kSuccess:
      return "success";
    case ProbeResult::kFailure:
      return "failure";
    case ProbeResult::kIgnored:
      return "ignored";
    case ProbeResult::kLeaseExpired:
      break;
  }
  return "lease_expired";
}

namespace {

absl::string_view Verb(BreakerState to) {
  switch (to) {
    case BreakerState::kClosed:
      return "closed";
    case BreakerState::kOpen:
      return "opened";
    case BreakerState::kHalfOpen:
      return "half-opened";
    case BreakerState::kForcedOpen:
      return "forced open";
    case BreakerState::kDisabled:
      break;
  }
  return "disabled";
}

void AppendRating(const BreakerTransition& t, std::string* text) {
  if (!t.rating.has_value()) return;
  absl::StrAppendFormat(text, " rating %.2f", *t.rating);
  if (t.to == BreakerState::kOpen && t.open_threshold.has_value()) {
    absl::StrAppendFormat(text, " (opens at %.2f)", *t.open_threshold);
  } else if (t.close_threshold.has_value()) {
    absl::StrAppendFormat(text, " (closes at %.2f)", *t.close_threshold);
  }
}

/// " failure rate 0.60 (opens at 0.50)"
void AppendRate(absl::string_view name, const std::optional<double>& rate, const std::optional<double>& threshold, std::string* text) {
  if (!rate.has_value()) return;
  absl::StrAppendFormat(text, " %s %.2f", name, *rate);
  if (threshold.has_value()) absl::StrAppendFormat(text, " (opens at %.2f)", *threshold);
}

void AppendContext(const BreakerTransition& t, std::string* text) {
  // By hand, or the configuration's: no sample had a say.
  if (t.context_calls == 0 && !t.context_required.has_value()) return;
  absl::StrAppendFormat(text, " over %d calls (%d failed, %d slow", t.context_calls, t.context_failed, t.context_slow);
  if (t.context_bad.has_value()) absl::StrAppendFormat(text, ", %d bad", *t.context_bad);
  if (t.context_required.has_value()) absl::StrAppendFormat(text, "; at least %d needed", *t.context_required);
  absl::StrAppend(text, ")");
}

void AppendEvidence(const BreakerTransition& t, std::string* text) {
  if (t.evidence.has_value() && t.evidence_limit.has_value()) {
    absl::StrAppendFormat(text, ", evidence %.1f of %.1f", *t.evidence, *t.evidence_limit);
  }
  if (t.consecutive_bad.has_value() && t.consecutive_bad_limit.has_value()) {
    absl::StrAppendFormat(text, ", %d of %d bad in a row", *t.consecutive_bad, *t.consecutive_bad_limit);
  }
}

void AppendCircumstances(const BreakerTransition& t, std::string* text) {
  if (t.ramp_share.has_value()) absl::StrAppendFormat(text, "; ramp at share %.2f", *t.ramp_share);
  if (t.lease.has_value()) absl::StrAppend(text, "; nothing came back within the lease of ", FormatDuration(*t.lease));
  if (t.outage.has_value()) absl::StrAppend(text, "; outage of ", FormatDuration(*t.outage));
  if (t.wait.has_value()) absl::StrAppend(text, "; had to wait ", FormatDuration(*t.wait));
  if (t.healthy_latency.has_value()) absl::StrAppend(text, "; healthy latency ", FormatDuration(*t.healthy_latency));
  if (t.slow_call_duration.has_value()) absl::StrAppend(text, "; slow from ", FormatDuration(*t.slow_call_duration));
}

}  // namespace

void CircuitBreaker::TakeOver(const BreakerSnapshot& before, Time now) {
  if (before.state == BreakerState::kForcedOpen) ForceOpen(now);
  if (before.state == BreakerState::kDisabled) Disable(now);
  TakeTransitions();
}

std::string Explain(const BreakerTransition& t) {
  std::string text = absl::StrCat(Verb(t.to), " by ", ReasonName(t.reason), ":");
  const std::size_t beginning = text.size();
  AppendRating(t, &text);
  AppendRate("failure rate", t.failure_rate, t.failure_rate_threshold, &text);
  if (t.failure_rate.has_value() && t.slow_call_rate.has_value()) text += ',';
  AppendRate("slow call rate", t.slow_call_rate, t.slow_call_rate_threshold, &text);
  AppendContext(t, &text);
  AppendEvidence(t, &text);
  for (const auto& [metric, score] : t.scores) absl::StrAppendFormat(&text, ", %s %.2f", metric, score);
  AppendCircumstances(t, &text);
  if (text.size() > beginning) text += ';';
  // The standard breaker does not know the rate.
  if (t.offered_rate > 0) absl::StrAppendFormat(&text, " offered %.3g calls/s,", t.offered_rate);
  absl::StrAppendFormat(&text, " admitted share %.2f, was %s for %s", t.admitted_share, StateName(t.from), FormatDuration(t.time_in_from));
  return text;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
