#include "recloser/core/adaptive_window.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "breaker_driver.h"
#include "pick.h"

namespace recloser {
namespace {

WindowSample Sample(bool failed, bool slow = false) {
  WindowSample sample;
  sample.failed = failed;
  sample.slow = slow;
  sample.rating.rating = failed ? 0.5 : 1;
  sample.rating.scores[0] = failed ? 0 : 1;
  return sample;
}

/// Keeps every sample; knows what the newest k add up to.
struct BruteForce {
  struct Entry {
    Time at;
    bool failed;
    bool slow;
  };
  std::vector<Entry> entries;

  void Add(Time now, bool failed, bool slow) {
    entries.push_back({entries.empty() ? now : std::max(now, entries.back().at), failed, slow});
  }
  std::int64_t NotOlderThan(Time limit) const {
    return std::count_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.at >= limit; });
  }
  template <class Predicate>
  std::int64_t Newest(std::int64_t k, Predicate predicate) const {
    return std::count_if(entries.end() - k, entries.end(), predicate);
  }
};

TEST(AdaptiveWindowProperty, TheContextIsTheNewestSamplesNothingTwiceNothingLost) {
  EXPECT_TRUE(rc::check([] {
    WindowOptions options;
    options.min_calls = Pick(1, 40);
    options.max_calls = options.min_calls + Pick(0, 500);
    AdaptiveWindow window(options);
    BruteForce model;
    Time now(hours(1));
    for (int phase = 0; phase < 6; ++phase) {
      const double rate = *rc::gen::element(0.5, 5.0, 50.0, 1000.0, 20000.0);
      const int calls = Pick(1, 400);
      for (int i = 0; i < calls; ++i) {
        now += FromSeconds(Pick(-100, 2000) / 1000.0 / rate);
        const bool failed = Pick(0, 3) == 0;
        const bool slow = Pick(0, 3) == 0;
        window.Add(now, Sample(failed, slow), rate);
        model.Add(now, failed, slow);
        const WindowTotals context = window.Context(now);
        const Time latest = model.entries.back().at;
        const std::int64_t fresh = model.NotOlderThan(latest - options.max_age);
        RC_ASSERT(context.samples <= static_cast<std::int64_t>(model.entries.size()));
        RC_ASSERT(context.samples >= std::min<std::int64_t>(window.target_calls(), fresh));
        RC_ASSERT(context.failed == model.Newest(context.samples, [](const auto& e) { return e.failed; }));
        RC_ASSERT(context.slow == model.Newest(context.samples, [](const auto& e) { return e.slow; }));
        RC_ASSERT(context.rating_millionths == (context.samples - context.failed) * 1000000 + context.failed * 500000);
        RC_ASSERT(context.known[0] == context.samples);
      }
    }
  }));
}

TEST(AdaptiveWindow, UnderSteadyLoadTheContextIsExactToOneBucket) {
  for (const double rate : {5.0, 100.0, 480.0, 5000.0}) {
    AdaptiveWindow window({});
    Time now(hours(1));
    for (int i = 0; i < 20000; ++i) {
      now += FromSeconds(1 / rate);
      window.Add(now, Sample(false), rate);
    }
    const std::int64_t samples = window.Context(now).samples;
    EXPECT_GE(samples, window.target_calls()) << rate;
    EXPECT_LE(samples, window.target_calls() * 17 / 16 + 2) << rate;
  }
}

TEST(AdaptiveWindow, FollowsTheLoadBetweenItsBounds) {
  const auto settled = [](double rate) {
    AdaptiveWindow window({});
    Time now(hours(1));
    for (int i = 0; i < 50000; ++i) window.Add(now += FromSeconds(1 / rate), Sample(false), rate);
    return window.target_calls();
  };
  EXPECT_EQ(settled(1), 20);
  EXPECT_EQ(settled(480), 48);
  EXPECT_EQ(settled(5000), 500);
}

TEST(AdaptiveWindow, ASquareWaveOfLoadDoesNotMakeItThrash) {
  AdaptiveWindow window({});
  Time now(hours(1));
  for (int period = 0; period < 20; ++period) {
    const double rate = period % 2 == 0 ? 1 : 1000;
    const Time end = now + seconds(5);
    while (now < end) {
      const int before = window.target_calls();
      const Duration gap = FromSeconds(1 / rate);
      window.Add(now += gap, Sample(false), rate);
      // At most a factor of two per second, and never out of its bounds.
      const double factor = std::pow(2, ToSeconds(gap));
      EXPECT_LE(window.target_calls(), (before + 1) * factor);
      EXPECT_GE(window.target_calls() + 1, before / factor);
      EXPECT_GE(window.target_calls(), 20);
      EXPECT_LE(window.target_calls(), 100);
    }
  }
}

TEST(AdaptiveWindow, OldEvidenceIsDropped) {
  AdaptiveWindow window({});
  const Time start(hours(1));
  for (int i = 0; i < 15; ++i) window.Add(start, Sample(true), 1);
  EXPECT_EQ(window.Context(start + seconds(10)).samples, 15);
  EXPECT_EQ(window.Context(start + seconds(10) + nanoseconds(1)).samples, 0);
  EXPECT_EQ(window.Context(start + seconds(11)).rating(), std::nullopt);
  window.Add(start + seconds(11), Sample(false), 1);
  EXPECT_EQ(window.Context(start + seconds(11)).samples, 1);
  EXPECT_EQ(window.Context(start + seconds(11)).failed, 0);
}

TEST(AdaptiveWindow, TimeThatStepsBackStandsStill) {
  AdaptiveWindow window({});
  const Time start(hours(10));
  window.Add(start, Sample(true), 1);
  window.Add(start - hours(9), Sample(true), 1);
  EXPECT_EQ(window.Context(start - hours(9)).samples, 2);
  EXPECT_EQ(window.Context(start + seconds(10)).samples, 2);
  EXPECT_EQ(window.Context(start + seconds(11)).samples, 0);
}

TEST(AdaptiveWindow, AnEmptyContextKnowsNothing) {
  const AdaptiveWindow window({});
  const WindowTotals context = window.Context(Time(hours(1)));
  EXPECT_EQ(context.samples, 0);
  EXPECT_EQ(context.rating(), std::nullopt);
  EXPECT_EQ(context.score(0), std::nullopt);
  EXPECT_EQ(context.span, Duration::zero());
}

TEST(AdaptiveWindow, IsSmall) { EXPECT_LE(sizeof(AdaptiveWindow), 6 * 1024u); }

}  // namespace
}  // namespace recloser
