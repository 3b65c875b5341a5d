#include "recloser/core/outcome.h"

#include <gtest/gtest.h>

#include "breaker_driver.h"

namespace recloser {
namespace {

TEST(Outcome, OkWithoutAMessageIsAFailureOfUnaryCallsOnly) {
  AttemptResult result = Ok();
  result.has_response = false;
  EXPECT_EQ(Classify(result, {}), Outcome::kFailure);
  result.streaming = true;
  EXPECT_EQ(Classify(result, {}), Outcome::kSuccess);
}

TEST(Outcome, ADeadlineShorterThanTheHealthyLatencyIsTheCallersFault) {
  AttemptResult result = Ended(absl::StatusCode::kDeadlineExceeded);
  result.allowed = milliseconds(20) - nanoseconds(1);
  EXPECT_EQ(Classify(result, milliseconds(20)), Outcome::kIgnored);
  EXPECT_EQ(Classify(result, std::nullopt), Outcome::kFailure);
  result.allowed = milliseconds(20);
  EXPECT_EQ(Classify(result, milliseconds(20)), Outcome::kFailure);
}

TEST(Outcome, AnAttemptEndedAtItsTimeoutIsAFailureThoughItLooksCancelled) {
  AttemptResult result = Ended(absl::StatusCode::kCancelled);
  EXPECT_EQ(Classify(result, {}), Outcome::kIgnored);
  result.attempt_timed_out = true;
  EXPECT_EQ(Classify(result, {}), Outcome::kFailure);
}

TEST(Outcome, TheHookOverrulesTheTableButNotOurOwnRejections) {
  AttemptResult result = Ended(absl::StatusCode::kNotFound);
  result.outcome_by_hook = Outcome::kFailure;
  EXPECT_EQ(Classify(result, {}), Outcome::kFailure);
  result.rejected_by_recloser = true;
  EXPECT_EQ(Classify(result, {}), Outcome::kIgnored);
}

TEST(Outcome, UnknownNumbersAreReadAsUnknown) {
  const auto code = static_cast<absl::StatusCode>(99);
  EXPECT_EQ(Classify(Ended(code), {}), Outcome::kFailure);
  EXPECT_EQ(CodeName(code), "OTHER");
}

TEST(Outcome, TooLargeIsToldFromOverloaded) {
  AttemptResult result = Ended(absl::StatusCode::kResourceExhausted);
  for (const char* message : {"Received message larger than max (5 vs. 4)", "CLIENT: Sent message larger than max (5 vs. 4)",
                              "grpc: received message after decompression larger than max", "gRPC message exceeds maximum size 4: 5"}) {
    result.message = message;
    EXPECT_TRUE(IsMessageTooLarge(result)) << message;
  }
  for (const char* message : {"", "quota exceeded", "too many requests"}) {
    result.message = message;
    EXPECT_FALSE(IsMessageTooLarge(result)) << message;
  }
}

TEST(Pushback, IsReadAsGrfcA6Says) {
  struct Case {
    const char* value;
    Pushback::Kind kind;
    Duration delay;
  };
  for (const Case& c : {Case{"0", Pushback::Kind::kDelay, Duration::zero()}, Case{"5", Pushback::Kind::kDelay, milliseconds(5)},
                        Case{"300001", Pushback::Kind::kDelay, seconds(300)}, Case{"2147483647", Pushback::Kind::kDelay, seconds(300)},
                        Case{"-1", Pushback::Kind::kStop, Duration::zero()}, Case{"", Pushback::Kind::kStop, Duration::zero()},
                        Case{"abc", Pushback::Kind::kStop, Duration::zero()}, Case{" 5", Pushback::Kind::kStop, Duration::zero()},
                        Case{"5ms", Pushback::Kind::kStop, Duration::zero()}, Case{"-0", Pushback::Kind::kStop, Duration::zero()},
                        Case{"+5", Pushback::Kind::kStop, Duration::zero()}, Case{"99999999999", Pushback::Kind::kStop, Duration::zero()},
                        Case{"9223372036855", Pushback::Kind::kStop, Duration::zero()}}) {
    const Pushback pushback = ParsePushback(c.value);
    EXPECT_EQ(pushback.kind, c.kind) << '"' << c.value << '"';
    EXPECT_EQ(pushback.delay, c.delay) << '"' << c.value << '"';
  }
}

}  // namespace
}  // namespace recloser
