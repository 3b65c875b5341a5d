#include "recloser/core/breaker.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "recloser/core/validation.h"

namespace recloser {

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

}  // namespace

std::string Explain(const BreakerTransition& t) {
  std::string text = absl::StrCat(Verb(t.to), " by ", ReasonName(t.reason), ":");
  AppendRating(t, &text);
  if (t.failure_rate.has_value()) absl::StrAppendFormat(&text, " failure rate %.2f,", *t.failure_rate);
  if (t.slow_call_rate.has_value()) absl::StrAppendFormat(&text, " slow call rate %.2f", *t.slow_call_rate);
  absl::StrAppendFormat(&text, " over %d calls (%d failed, %d slow)", t.context_calls, t.context_failed, t.context_slow);
  if (t.evidence.has_value() && t.evidence_limit.has_value()) {
    absl::StrAppendFormat(&text, ", evidence %.1f of %.1f", *t.evidence, *t.evidence_limit);
  }
  for (const auto& [metric, score] : t.scores) absl::StrAppendFormat(&text, ", %s %.2f", metric, score);
  absl::StrAppendFormat(&text, "; offered %.3g calls/s, admitted share %.2f, was %s for %s", t.offered_rate, t.admitted_share,
                        StateName(t.from), FormatDuration(t.time_in_from));
  return text;
}

}  // namespace recloser
