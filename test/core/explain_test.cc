// Every event carries what its decision used: from its numbers alone the decision is made again here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "breaker_driver.h"
#include "pick.h"

namespace recloser {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Sums of scores are kept in millionths.
constexpr double kRounding = 2e-6;

std::optional<BreakerState> DecideAdaptive(const BreakerTransition& t) {
  const bool enough = !t.context_required.has_value() || t.context_calls >= *t.context_required;
  switch (t.from) {
    case BreakerState::kClosed: {
      const bool low = *t.rating <= *t.open_threshold + kRounding;
      const bool evidence = t.evidence.has_value() && *t.evidence >= *t.evidence_limit - kRounding;
      const bool in_a_row = t.consecutive_bad.has_value() && *t.consecutive_bad >= *t.consecutive_bad_limit;
      const bool window = !t.evidence.has_value() && enough;
      return low && (evidence || in_a_row || window) ? std::optional(BreakerState::kOpen) : std::nullopt;
    }
    case BreakerState::kOpen:
      return *t.rating >= *t.close_threshold - kRounding ? std::optional(BreakerState::kHalfOpen) : std::nullopt;
    case BreakerState::kHalfOpen:
      if (enough && *t.rating >= *t.close_threshold - kRounding && *t.ramp_share >= 1) return BreakerState::kClosed;
      if (enough && *t.context_bad == t.context_calls && *t.rating < *t.open_threshold) return BreakerState::kOpen;
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<BreakerState> DecideStandard(const BreakerTransition& t) {
  if (t.from == BreakerState::kOpen) return t.time_in_from >= *t.wait ? std::optional(BreakerState::kHalfOpen) : std::nullopt;
  if (t.context_calls < *t.context_required) return std::nullopt;
  const bool bad = *t.failure_rate >= *t.failure_rate_threshold || *t.slow_call_rate >= *t.slow_call_rate_threshold;
  if (t.from == BreakerState::kClosed) return bad ? std::optional(BreakerState::kOpen) : std::nullopt;
  return bad ? BreakerState::kOpen : BreakerState::kClosed;
}

/// What the numbers say must have been decided; nothing: that there was no reason to change.
std::optional<BreakerState> Decide(const BreakerTransition& t) {
  return t.open_threshold.has_value() ? DecideAdaptive(t) : DecideStandard(t);
}

/// Random weather: good and bad spells, hangs, pauses, at any rate of calls.
class Weather {
 public:
  explicit Weather(const BreakerOptions& options) : driver_(options, Pick<std::uint64_t>(0, 1000)) {}

  std::vector<BreakerTransition> Spell() {
    const int bad_of_ten = Pick(0, 3) == 0 ? Pick(0, 11) : Pick(0, 2) * 10;
    const Duration latency = Pick(0, 4) == 0 ? milliseconds(Pick(1, 3000)) : milliseconds(20);
    const Duration pause = milliseconds(Pick(0, 2) == 0 ? Pick(0, 10) : Pick(0, 1000));
    const bool hang = Pick(0, 6) == 0;
    for (int calls = Pick(1, 60); calls > 0; --calls) {
      if (hang) {
        driver_.Acquire();
        driver_.Step(pause);
      } else {
        driver_.Call(Pick(0, 10) < bad_of_ten ? Unavailable() : Ok(), latency, pause);
      }
    }
    return driver_.breaker->TakeTransitions();
  }

 private:
  Driver driver_;
};

AdaptiveBreakerOptions WithoutSequentialTest() {
  AdaptiveBreakerOptions options;
  options.sequential_opening = false;
  return options;
}

StandardBreakerOptions ByTimeAndGrowing() {
  StandardBreakerOptions options = SmallStandard();
  options.window = StandardBreakerOptions::Window::kTime;
  options.slow_call_duration = milliseconds(500);
  options.wait_multiplier = 2;
  options.wait_jitter = 0.5;
  return options;
}

TEST(Events, TheNumbersOfEachSufficeToDecideAgain) {
  std::set<std::string> seen;
  for (const BreakerOptions& options :
       {BreakerOptions(), Options(WithoutSequentialTest()), Options(SmallStandard()), Options(ByTimeAndGrowing())}) {
    const std::string kind = options.kind.index() == 0 ? "adaptive" : "standard";
    EXPECT_TRUE(rc::check([&] {
      Weather weather(options);
      for (int spells = Pick(1, 20); spells > 0; --spells) {
        for (const BreakerTransition& t : weather.Spell()) {
          RC_LOG(Explain(t));
          const std::optional<BreakerState> decided = Decide(t);
          RC_ASSERT(decided.has_value());
          RC_ASSERT(*decided == t.to);
          if (t.failure_rate.has_value() && t.context_calls > 0) {
            RC_ASSERT(*t.failure_rate == static_cast<double>(t.context_failed) / static_cast<double>(t.context_calls));
          }
          seen.insert(kind + " " + std::string(StateName(t.from)) + "-" + std::string(StateName(t.to)));
          if (t.consecutive_bad.has_value() && *t.evidence < *t.evidence_limit) seen.insert("adaptive in a row");
        }
      }
    }));
  }
  // The weather had everything in it.
  EXPECT_EQ(seen, (std::set<std::string>{"adaptive closed-open", "adaptive half_open-closed", "adaptive half_open-open",
                                         "adaptive in a row", "adaptive open-half_open", "standard closed-open",
                                         "standard half_open-closed", "standard half_open-open", "standard open-half_open"}));
}

TEST(Explain, SaysLittleOfWhatWasDoneByHand) {
  Driver driver{BreakerOptions()};
  driver.Step(seconds(2));
  driver.breaker->ForceOpen(driver.now);
  EXPECT_EQ(Explain(driver.breaker->TakeTransitions()[0]), "forced open by manual: admitted share 0.00, was closed for 2s");
}

BreakerTransition Last(Driver& driver) { return driver.breaker->TakeTransitions().back(); }

TEST(Explain, NamesTheNumbersOfTheAdaptiveBreakersDecisions) {
  Driver driver{BreakerOptions()};
  ASSERT_TRUE(driver.Open());
  EXPECT_THAT(Explain(Last(driver)),
              AllOf(HasSubstr("opened by rating: rating "), HasSubstr(" (opens at 0.83) over "), HasSubstr(", evidence "),
                    HasSubstr(", errors 0.00"), HasSubstr("; healthy latency 20ms; slow from 500ms; offered "),
                    HasSubstr(" calls/s, admitted share 0.00, was closed for ")));
  driver.Step(seconds(3));
  ASSERT_TRUE(driver.Call(Ok()));
  EXPECT_THAT(Explain(Last(driver)), AllOf(HasSubstr("half-opened by probe: rating 1.00 (closes at 0.92) over 1 calls (0 failed, 0 slow)"),
                                           HasSubstr("; outage of 3."), HasSubstr(", was open for 3.")));
  ASSERT_TRUE(driver.CallsUntil(BreakerState::kClosed, Ok()));
  EXPECT_THAT(Explain(Last(driver)),
              AllOf(HasSubstr("closed by ramp: rating 1.00 (closes at 0.92) over "),
                    HasSubstr(" (0 failed, 0 slow, 0 bad; at least 3 needed)"), HasSubstr("; ramp at share 1.00; outage of 3.")));
}

TEST(Explain, SaysThatBadAttemptsInARowOpenedALinkWithLittleLoad) {
  Driver driver{BreakerOptions()};
  for (int i = 0; i < 20 && driver.state() == BreakerState::kClosed; ++i)
    driver.Call(i % 7 == 0 ? Ok() : Unavailable(), milliseconds(20), seconds(1));
  EXPECT_THAT(Explain(Last(driver)), HasSubstr(" bad in a row"));
}

TEST(Explain, NamesTheNumbersOfTheStandardBreakersDecisions) {
  Driver driver{Options(SmallStandard())};
  ASSERT_TRUE(driver.Open());
  EXPECT_THAT(Explain(Last(driver)),
              HasSubstr("opened by rating: failure rate 0.50 (opens at 0.50), slow call rate 0.00 (opens at 1.00) over 10 "
                        "calls (5 failed, 0 slow; at least 10 needed)"));
  ASSERT_TRUE(driver.CallsUntil(BreakerState::kHalfOpen, Ok()));
  EXPECT_THAT(Explain(Last(driver)), AllOf(HasSubstr("half-opened by probe:"), HasSubstr("; had to wait 1s; ")));
  ASSERT_TRUE(driver.CallsUntil(BreakerState::kClosed, Ok()));
  EXPECT_THAT(Explain(Last(driver)),
              HasSubstr("closed by probe: failure rate 0.00 (opens at 0.50), slow call rate 0.00 (opens at 1.00) over 3 calls "
                        "(0 failed, 0 slow; at least 3 needed)"));
}

}  // namespace
}  // namespace recloser
