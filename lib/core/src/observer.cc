#include "recloser/core/observer.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

absl::string_view RetryReasonName(RetryReason reason) {
  switch (reason) {
    case RetryReason::kCode:
      return "code";
    case RetryReason::kAttemptTimeout:
      return "attempt_timeout";
    case RetryReason::kPushback:
      return "pushback";
  }
  return "code";
}

absl::string_view RetrySuppressedName(RetrySuppressed why) {
  switch (why) {
    case RetrySuppressed::kBudget:
      return "budget";
    case RetrySuppressed::kDeadline:
      return "deadline";
    case RetrySuppressed::kNotRetryable:
      return "not_retryable";
    case RetrySuppressed::kPushback:
      return "pushback";
    case RetrySuppressed::kCommitted:
      return "committed";
    case RetrySuppressed::kBreakerOpen:
      return "breaker_open";
    case RetrySuppressed::kMaxAttempts:
      return "max_attempts";
    case RetrySuppressed::kNested:
      return "nested";
    case RetrySuppressed::kUnsupportedMessage:
      return "unsupported_message";
    case RetrySuppressed::kCancelled:
      return "cancelled";
  }
  return "not_retryable";
}

absl::string_view TimeoutScopeName(TimeoutScope scope) {
  switch (scope) {
    case TimeoutScope::kCall:
      return "call";
    case TimeoutScope::kAttempt:
      return "attempt";
    case TimeoutScope::kStreamIdle:
      break;
  }
  return "stream_idle";
}

absl::string_view ProblemName(Problem::Kind kind) {
  switch (kind) {
    case Problem::Kind::kCoreRetryPolicy:
      return "core_retry_policy";
    case Problem::Kind::kUnsupportedMessage:
      return "unsupported_message";
    case Problem::Kind::kTooManyBreakers:
      return "too_many_breakers";
    case Problem::Kind::kTooManyMethods:
      return "too_many_methods";
    case Problem::Kind::kHookThrew:
      break;
  }
  return "hook_threw";
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
