#include "recloser/core/retry.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"

namespace recloser {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Backoff, CeilingDoublesUpToTheCap) {
  const BackoffOptions options;
  EXPECT_EQ(BackoffCeiling(options, 1), milliseconds(25));
  EXPECT_EQ(BackoffCeiling(options, 2), milliseconds(50));
  EXPECT_EQ(BackoffCeiling(options, 3), milliseconds(100));
  EXPECT_EQ(BackoffCeiling(options, 4), milliseconds(200));
  EXPECT_EQ(BackoffCeiling(options, 5), milliseconds(250));
}

// Polly #1868, #2163: a late attempt overflowed into a negative or tiny wait.
TEST(Backoff, SaturatesAtLateAttemptsAndLongestDurations) {
  EXPECT_EQ(BackoffCeiling({}, 1000), milliseconds(250));
  EXPECT_EQ(BackoffCeiling({}, std::numeric_limits<int>::max()), milliseconds(250));
  EXPECT_EQ(BackoffCeiling({kForever, 100, kForever}, 1000), kForever);
  EXPECT_EQ(BackoffCeiling({Duration(1), 2, kForever}, 1000), kForever);
  EXPECT_EQ(BackoffCeiling({Duration::zero(), 100, hours(1)}, 1000), Duration::zero());
  EXPECT_EQ(BackoffCeiling({milliseconds(10), 2, hours(1)}, std::numeric_limits<int>::min()), milliseconds(10));
  Random random(1);
  for (int i = 0; i < 1000; ++i) EXPECT_GE(BackoffDelay({kForever, 1, kForever}, 1, random), Duration::zero());
}

TEST(Backoff, DelayIsWithinTheCeilingAndTheCeilingNeverShrinks) {
  EXPECT_TRUE(rc::check([] {
    BackoffOptions options;
    options.base = Duration(*rc::gen::inRange<std::int64_t>(0, Duration(hours(1)).count()));
    options.cap = Duration(*rc::gen::inRange<std::int64_t>(options.base.count(), Duration(hours(1)).count() + 1));
    options.multiplier = 1 + *rc::gen::inRange(0, 99'000) / 1000.0;
    const int attempt = *rc::gen::inRange(1, 2000);
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Duration ceiling = BackoffCeiling(options, attempt);
    RC_ASSERT(ceiling >= options.base && ceiling <= options.cap);
    RC_ASSERT(ceiling <= BackoffCeiling(options, attempt + 1));
    const Duration delay = BackoffDelay(options, attempt, random);
    RC_ASSERT(delay >= Duration::zero() && delay <= ceiling);
  }));
}

TEST(Backoff, JitterIsFull) {
  Random random(3);
  int lower_tenth = 0;
  int upper_tenth = 0;
  Duration sum = Duration::zero();
  for (int i = 0; i < 10'000; ++i) {
    const Duration delay = BackoffDelay({}, 1, random);
    sum += delay;
    lower_tenth += delay < std::chrono::microseconds(2'500) ? 1 : 0;
    upper_tenth += delay > std::chrono::microseconds(22'500) ? 1 : 0;
  }
  EXPECT_NEAR(ToSeconds(sum / 10'000), 0.0125, 0.0005);
  EXPECT_NEAR(lower_tenth, 1000, 150);
  EXPECT_NEAR(upper_tenth, 1000, 150);
}

TEST(RetryBudget, StopsAtHalfOfTheTokens) {
  RetryBudget budget({true, 10, 0.1});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(budget.Withdraw()) << i;
  EXPECT_FALSE(budget.Withdraw());  // 5 of 10: not more than half
  for (int i = 0; i < 9; ++i) budget.Deposit();
  EXPECT_FALSE(budget.Withdraw());  // 5.9 - 1
  for (int i = 0; i < 12; ++i) budget.Deposit();
  EXPECT_TRUE(budget.Withdraw());  // 6.1 - 1
}

TEST(RetryBudget, StaysBetweenEmptyAndFull) {
  RetryBudget budget({true, 3, 2.5});
  budget.Deposit();
  EXPECT_EQ(budget.tokens(), 3);
  for (int i = 0; i < 10; ++i) budget.Withdraw();
  EXPECT_EQ(budget.tokens(), 0);
  budget.Deposit();
  EXPECT_EQ(budget.tokens(), 2.5);
  budget.Deposit();
  EXPECT_EQ(budget.tokens(), 3);
}

TEST(RetryBudget, SwitchedOffAlwaysAllows) {
  RetryBudget budget({false, 1, 0.001});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(budget.Withdraw());
}

TEST(RetryBudget, KeepsThreeDecimalsOfTheRatioExactly) {
  for (int millis = 1; millis <= 1000; ++millis) {
    RetryBudget budget({true, 1000, millis / 1000.0});
    for (int i = 0; i < 1000; ++i) budget.Withdraw();
    budget.Deposit();
    EXPECT_EQ(budget.tokens(), millis / 1000.0);
  }
}

// tower #857: a ratio of half a percent lost its fractions.
TEST(RetryBudget, DoesNotDriftOverAMillionCalls) {
  RetryBudget budget({true, 1000, 0.005});
  for (int i = 0; i < 1000; ++i) budget.Withdraw();
  ASSERT_EQ(budget.tokens(), 0);
  // A failure each 201 successes: 1.005 tokens in, one out.
  std::int64_t allowed = 0;
  for (int cycle = 1; cycle <= 5000; ++cycle) {
    for (int i = 0; i < 201; ++i) budget.Deposit();
    allowed += budget.Withdraw() ? 1 : 0;
    ASSERT_EQ(budget.tokens(), 5 * cycle / 1000.0) << cycle;
  }
  EXPECT_EQ(allowed, 0);
  EXPECT_EQ(budget.tokens(), 25);
}

TEST(RetryBudget, FollowsTheRuleOfGrpcA6) {
  EXPECT_TRUE(rc::check([](const std::vector<bool>& successes) {
    const int max_tokens = *rc::gen::inRange(1, 20);
    const int ratio = *rc::gen::inRange(1, 3000);
    RetryBudget budget({true, max_tokens, ratio / 1000.0});
    std::int64_t model = max_tokens * 1000;
    for (const bool success : successes) {
      if (success) {
        budget.Deposit();
        model = std::min<std::int64_t>(model + ratio, max_tokens * 1000);
      } else {
        model = std::max<std::int64_t>(model - 1000, 0);
        RC_ASSERT(budget.Withdraw() == (2 * model > max_tokens * 1000));
      }
      RC_ASSERT(budget.tokens() == static_cast<double>(model) / 1000);
    }
  }));
}

TEST(RetryBudget, LosesNothingBetweenThreads) {
  RetryBudget budget({true, 1000, 0.5});
  for (int i = 0; i < 500; ++i) budget.Withdraw();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&budget] {
      for (int i = 0; i < 10'000; ++i) {
        budget.Withdraw();
        budget.Deposit();
        budget.Deposit();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.tokens(), 500);
}

struct Rule {
  std::string error;  // "" = valid
  RetryOptions options;
};

template <class Change>
Rule Retry(const std::string& error, Change&& change) {
  Rule rule{error, {}};
  change(rule.options);
  return rule;
}

TEST(RetryOptions, AreRefusedWithTheFieldItsValueAndWhatIsAllowed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using absl::StatusCode;
  const Rule rules[] = {
      Retry("", [](RetryOptions&) {}),
      Retry("r.max_attempts: 0 is not allowed; must be from 1 to 100", [](RetryOptions& o) { o.max_attempts = 0; }),
      Retry("", [](RetryOptions& o) { o.max_attempts = 1; }),
      Retry("", [](RetryOptions& o) { o.max_attempts = 100; }),
      Retry("r.max_attempts: 101 is not allowed; must be from 1 to 100", [](RetryOptions& o) { o.max_attempts = 101; }),
      Retry("r.backoff.base", [](RetryOptions& o) { o.backoff.base = Duration(-1); }),
      Retry("", [](RetryOptions& o) { o.backoff.base = Duration::zero(); }),
      Retry("", [](RetryOptions& o) { o.backoff.base = o.backoff.cap = hours(1); }),
      Retry("r.backoff.base", [](RetryOptions& o) { o.backoff.base = o.backoff.cap = hours(1) + Duration(1); }),
      Retry("r.backoff.cap", [](RetryOptions& o) { o.backoff.cap = o.backoff.base - Duration(1); }),
      Retry("r.backoff.multiplier", [](RetryOptions& o) { o.backoff.multiplier = 0.999; }),
      Retry("", [](RetryOptions& o) { o.backoff.multiplier = 1; }),
      Retry("r.backoff.multiplier", [](RetryOptions& o) { o.backoff.multiplier = 100.001; }),
      Retry("r.backoff.multiplier", [nan](RetryOptions& o) { o.backoff.multiplier = nan; }),
      Retry("", [](RetryOptions& o) { o.retryable_codes = {}; }),
      Retry("r.retryable_codes[0]: OK is not allowed", [](RetryOptions& o) { o.retryable_codes = {StatusCode::kOk}; }),
      Retry("r.retryable_codes[1]: CANCELLED is not allowed",
            [](RetryOptions& o) {
              o.retryable_codes = {StatusCode::kAborted, StatusCode::kCancelled};
            }),
      Retry("r.retryable_codes[1]: ABORTED is not allowed; must be listed once",
            [](RetryOptions& o) {
              o.retryable_codes = {StatusCode::kAborted, StatusCode::kAborted};
            }),
      Retry("r.retryable_codes[0]: 17 is not allowed", [](RetryOptions& o) { o.retryable_codes = {static_cast<StatusCode>(17)}; }),
  };
  for (const Rule& rule : rules) {
    const absl::Status status = rule.options.Validate("r");
    EXPECT_EQ(status.ok(), rule.error.empty()) << status;
    if (rule.error.empty()) continue;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(status.message()).rfind(rule.error, 0), 0u) << status.message() << " should begin with " << rule.error;
  }
}

TEST(RetryBudgetOptions, AreRefusedOutsideTheirRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE((RetryBudgetOptions{true, 1, 0.001}.Validate("b").ok()));
  EXPECT_TRUE((RetryBudgetOptions{true, 1000, 1000}.Validate("b").ok()));
  EXPECT_FALSE((RetryBudgetOptions{true, 0, 0.1}.Validate("b").ok()));
  EXPECT_FALSE((RetryBudgetOptions{true, 1001, 0.1}.Validate("b").ok()));
  EXPECT_FALSE((RetryBudgetOptions{true, 100, 0.0009}.Validate("b").ok()));
  EXPECT_FALSE((RetryBudgetOptions{true, 100, 1000.1}.Validate("b").ok()));
  EXPECT_FALSE((RetryBudgetOptions{true, 100, nan}.Validate("b").ok()));
}

}  // namespace
}  // namespace recloser
