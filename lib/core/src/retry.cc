#include "recloser/core/retry.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "recloser/core/outcome.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr std::int64_t kMillisPerToken = 1000;
constexpr std::int64_t kMostMillis = 1000 * kMillisPerToken;

/// gRFC A6 ignores what follows the third decimal; the nudge keeps 0.29 * 1000 = 289.99999999999994 at 290.
std::int64_t ToMillis(double tokens) { return static_cast<std::int64_t>(std::floor(tokens * kMillisPerToken + 1e-6)); }

bool IsStandardCode(absl::StatusCode code) { return CodeName(code) != "OTHER"; }

}  // namespace

absl::Status BackoffOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.InRange("base", base, Duration::zero(), std::chrono::hours(1));
  v.InRange("multiplier", multiplier, 1, 100);
  v.InRange("cap", cap, base, std::chrono::hours(1));
  return v.status();
}

bool RetryOptions::IsRetryable(absl::StatusCode code) const {
  return std::find(retryable_codes.begin(), retryable_codes.end(), code) != retryable_codes.end();
}

absl::Status RetryOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.InRange("max_attempts", max_attempts, 1, 100);
  for (std::size_t i = 0; i < retryable_codes.size(); ++i) {
    const absl::StatusCode code = retryable_codes[i];
    const std::string field = absl::StrCat("retryable_codes[", i, "]");
    v.Require(IsStandardCode(code), field, absl::StrCat(static_cast<int>(code)), "must be one of gRPC's codes");
    v.Require(code != absl::StatusCode::kOk && code != absl::StatusCode::kCancelled, field, CodeName(code),
              "must be a failure that is not the caller's own cancellation");
    v.Require(std::find(retryable_codes.begin(), retryable_codes.begin() + i, code) == retryable_codes.begin() + i, field, CodeName(code),
              "must be listed once");
  }
  v.Nested(backoff.Validate(v.Path("backoff")));
  return v.status();
}

Duration BackoffCeiling(const BackoffOptions& options, int attempt) {
  if (options.base <= Duration::zero()) return Duration::zero();
  // In floating point the power may become infinite, which the comparison takes as it should.
  const double grown = static_cast<double>(options.base.count()) * std::pow(options.multiplier, std::max(attempt, 1) - 1);
  if (!(grown < static_cast<double>(options.cap.count()))) return options.cap;
  return Duration(static_cast<Duration::rep>(grown));
}

Duration BackoffDelay(const BackoffOptions& options, int attempt, Random& random) {
  const Duration ceiling = BackoffCeiling(options, attempt);
  return Duration(static_cast<Duration::rep>(random.Uniform() * static_cast<double>(ceiling.count())));
}

absl::Status RetryBudgetOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.InRange("max_tokens", max_tokens, 1, 1000);
  v.InRange("token_ratio", token_ratio, 0.001, 1000);
  return v.status();
}

RetryBudget::Bucket RetryBudget::Full(const RetryBudgetOptions& options) {
  const auto thousandths = [](std::int64_t millis) { return static_cast<std::uint64_t>(std::clamp<std::int64_t>(millis, 0, kMostMillis)); };
  Bucket bucket{};
  bucket.max_millis = thousandths(options.max_tokens * kMillisPerToken);
  bucket.ratio_millis = thousandths(ToMillis(options.token_ratio));
  bucket.millis = bucket.max_millis;
  bucket.enabled = options.enabled ? 1 : 0;
  return bucket;
}

RetryBudget::RetryBudget(const RetryBudgetOptions& options) : bucket_(Full(options)) {}

bool RetryBudget::Withdraw() {
  Bucket before = load();
  Bucket after = before;
  do {
    if (before.enabled == 0) return true;
    after = before;
    after.millis -= std::min<std::uint64_t>(before.millis, kMillisPerToken);
  } while (!bucket_.compare_exchange_weak(before, after, std::memory_order_relaxed));
  return after.millis > after.max_millis / 2;
}

void RetryBudget::Deposit() {
  Bucket before = load();
  Bucket after = before;
  do {
    // A full bucket, the healthy state, is only read: callers on many cores do not contend for its cache line.
    if (before.enabled == 0 || before.millis == before.max_millis) return;
    after = before;
    after.millis = std::min<std::uint64_t>(before.max_millis, before.millis + before.ratio_millis);
  } while (!bucket_.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

void RetryBudget::Resize(const RetryBudgetOptions& options) {
  const Bucket full = Full(options);
  Bucket before = load();
  Bucket after = full;
  do {
    // To the nearest, so that going to and fro does not wear the bucket down. As wide as the product: bit-fields multiply as ints.
    const std::uint64_t was = before.max_millis;
    if (was != 0) after.millis = (std::uint64_t{full.max_millis} * before.millis + was / 2) / was;
  } while (!bucket_.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
