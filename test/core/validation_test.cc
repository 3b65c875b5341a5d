#include "recloser/core/validation.h"

#include <gtest/gtest.h>

#include <limits>

#include "breaker_driver.h"

namespace recloser {
namespace {

TEST(Validator, NamesThePathTheValueAndWhatIsAllowed) {
  Validator v("policies.defaults.retry");
  v.InRange("max_attempts", 0, 1, 100);
  EXPECT_EQ(v.status().message(), "policies.defaults.retry.max_attempts: 0 is not allowed; must be from 1 to 100");
}

TEST(Validator, TheFirstErrorWins) {
  Validator v("");
  v.InRange("a", 1, 0, 2);
  EXPECT_TRUE(v.status().ok());
  v.InRange("b", milliseconds(5), milliseconds(10), kForever);
  v.InRange("c", 3, 0, 2);
  EXPECT_EQ(v.status().message(), "b: 5ms is not allowed; must be from 10ms to forever");
}

TEST(Validator, NanIsNeverAllowed) {
  Validator v("x");
  v.InRange("share", std::numeric_limits<double>::quiet_NaN(), 0, 1);
  EXPECT_EQ(v.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(FormatDuration, UsesTheLargestUnitThatFits) {
  EXPECT_EQ(FormatDuration(milliseconds(250)), "250ms");
  EXPECT_EQ(FormatDuration(milliseconds(1500)), "1.5s");
  EXPECT_EQ(FormatDuration(microseconds(20)), "20us");
  EXPECT_EQ(FormatDuration(nanoseconds(7)), "7ns");
  EXPECT_EQ(FormatDuration(-milliseconds(3)), "-3ms");
  EXPECT_EQ(FormatDuration(Duration::zero()), "0s");
  EXPECT_EQ(FormatDuration(kForever), "forever");
}

TEST(Validator, WritesInOneLineWhateverTheNamesAndValuesAre) {
  Validator v("methods[a\nb]");
  v.Require(false, "name", "\tx\x7f \u00e9", "must be short");
  EXPECT_EQ(v.status().message(), "methods[a\\x0ab].name: \\x09x\\x7f \u00e9 is not allowed; must be short");
}

TEST(BreakerOptionsValidation, RefusesWithThePathOfTheField) {
  AdaptiveBreakerOptions adaptive;
  EXPECT_TRUE(Options(adaptive).Validate("p").ok());
  adaptive.ramp_floor = 0.5;
  EXPECT_EQ(Options(adaptive).Validate("p.breaker").message(), "p.breaker.ramp_start: 0.25 is not allowed; must be from 0.5 to 1");

  AdaptiveBreakerOptions window;
  window.window.min_calls = 2000;
  EXPECT_EQ(Options(window).Validate("b").message(), "b.window.min_calls: 2000 is not allowed; must be from 1 to 1000");

  StandardBreakerOptions standard;
  EXPECT_TRUE(Options(standard).Validate("p").ok());
  standard.failure_rate_threshold = 0;
  EXPECT_FALSE(Options(standard).Validate("p").ok());

  CustomBreaker custom;
  EXPECT_EQ(Options(custom).Validate("b").message(), "b.name: \"\" is not allowed; must not be empty");
  custom.name = "mine";
  EXPECT_EQ(Options(custom).Validate("b").message(), "b.factory: null is not allowed; must make a breaker");
}

TEST(SaturatingTime, NeverWraps) {
  EXPECT_EQ(SaturatingAdd(kForever, -kForever), kForever);
  EXPECT_EQ(SaturatingAdd(Time::max() - nanoseconds(1), seconds(1)), kInfiniteFuture);
  EXPECT_EQ(SaturatingDifference(Time::max() - nanoseconds(1), Time::min()), kForever);
  EXPECT_EQ(SaturatingDifference(Time::min(), Time::max() - nanoseconds(1)), Duration::min());
  EXPECT_EQ(Elapsed(Time(seconds(2)), Time(seconds(1))), Duration::zero());
  EXPECT_EQ(FromSeconds(1e300), kForever);
  EXPECT_EQ(FromSeconds(std::numeric_limits<double>::quiet_NaN()), Duration::zero());
}

}  // namespace
}  // namespace recloser
