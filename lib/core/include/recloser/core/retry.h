// Retry: when another attempt may be made, when it starts, and what keeps retries from becoming a storm.
//
// Back-off is exponential with full jitter (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015): attempt
// n + 1 starts after Uniform(0, min(cap, base * multiplier^(n-1))). The budget is gRFC A6's retry throttling: a bucket of tokens that
// every retryable failure empties by one and every success fills by `token_ratio`; retries stop while it is half empty or less.
//
//   RetryOptions options;
//   options.max_attempts = 4;
//   absl::Status status = options.Validate("retry");
//
// Thread safety: option structs are values; `RetryBudget` may be shared by threads; `Backoff` functions are pure.
#ifndef RECLOSER_CORE_RETRY_H_
#define RECLOSER_CORE_RETRY_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/random.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// Which methods are retried.
enum class RetryMode {
  kIdempotent,  // only methods whose .proto declares idempotency_level NO_SIDE_EFFECTS or IDEMPOTENT
  kAlways,      // the user says that repeating is safe
  kNever,
};

struct BackoffOptions {
  /// Upper end of the first wait. Range: 0 to 1 h. Default 25 ms.
  Duration base = std::chrono::milliseconds(25);
  /// Growth per attempt. Range: 1 to 100. Default 2.
  double multiplier = 2;
  /// Upper end of any wait. Range: `base` to 1 h. Default 250 ms.
  Duration cap = std::chrono::milliseconds(250);

  absl::Status Validate(absl::string_view path) const;
};

struct RetryOptions {
  RetryMode mode = RetryMode::kIdempotent;
  /// Attempts per call, the first included. Range: 1 (no retry) to 100. Default 3.
  int max_attempts = 3;
  /// Codes that are worth another attempt. Default UNAVAILABLE. OK and CANCELLED are refused.
  std::vector<absl::StatusCode> retryable_codes = {absl::StatusCode::kUnavailable};
  /// An attempt that ran into the policy's own attempt timeout is retried too. Default true.
  bool retry_attempt_timeouts = true;
  /// Retry attempts that a breaker rejected. Default false: the breaker would only be asked again too early.
  bool retry_rejections = false;
  /// Retry server-streaming calls that fail before their first message. Such a stream is relayed, which costs (docs/guide.md, "Streams"),
  /// and the application gets its headers together with the first message. `mode` holds for it as for unary calls. Default false.
  bool retry_server_streams = false;
  BackoffOptions backoff;

  bool IsRetryable(absl::StatusCode code) const;
  absl::Status Validate(absl::string_view path) const;
};

/// The upper end of the wait before attempt `attempt` + 1 (`attempt` >= 1 attempts were made). Saturates.
Duration BackoffCeiling(const BackoffOptions& options, int attempt);
/// The wait itself: uniform in [0, ceiling].
Duration BackoffDelay(const BackoffOptions& options, int attempt, Random& random);

struct RetryBudgetOptions {
  /// Off: retries are limited by `max_attempts` only. Default on.
  bool enabled = true;
  /// Size of the bucket. Range: 1 to 1000 (gRFC A6). Default 100. Retries stop at half of it.
  int max_tokens = 100;
  /// Tokens given back by a success. Range: 0.001 to 1000, kept to three decimals as gRFC A6 says. Default 0.1.
  double token_ratio = 0.1;

  absl::Status Validate(absl::string_view path) const;
};

/// gRFC A6's token bucket in integer milli-tokens: no drift, whatever the ratio. One per channel. Thread-safe, lock-free.
class RetryBudget {
 public:
  explicit RetryBudget(const RetryBudgetOptions& options);

  /// A retryable failure, or a pushback that forbids retrying: one token less (not below 0). True if a retry is allowed now.
  bool Withdraw();
  /// A success: `token_ratio` more (not above the maximum).
  void Deposit();
  /// Valid options for the running budget: the bucket is as full as it was, by its share.
  void Resize(const RetryBudgetOptions& options);

  double tokens() const { return static_cast<double>(load().millis) / 1000; }
  double max_tokens() const { return static_cast<double>(load().max_millis) / 1000; }
  bool enabled() const { return load().enabled != 0; }

 private:
  /// All of it, so that a change of size is one step too. The ranges of the options fit: 1000 tokens are 10^6 thousandths.
  struct Bucket {
    std::uint64_t millis : 20;
    std::uint64_t max_millis : 20;
    std::uint64_t ratio_millis : 20;
    std::uint64_t enabled : 1;
    std::uint64_t unused : 3;  // no padding, which an exchange would compare
  };
  static Bucket Full(const RetryBudgetOptions& options);
  Bucket load() const { return bucket_.load(std::memory_order_relaxed); }

  std::atomic<Bucket> bucket_;
  static_assert(std::atomic<Bucket>::is_always_lock_free);
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_RETRY_H_
