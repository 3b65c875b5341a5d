// Policies that change: what a source takes, refuses and tells its followers.
#include "recloser/core/policy_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "recloser/core/registry.h"

namespace recloser {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Time kNow{milliseconds(1)};

PolicySet WithDeadline(Duration deadline) {
  PolicySet set;
  set.defaults.defaults.deadline = deadline;
  return set;
}

PolicySet Bad() { return WithDeadline(-milliseconds(1)); }

std::shared_ptr<PolicySource> BuiltIn() { return PolicySource::Create({}, {"built in", ""}); }

/// The deadlines, in milliseconds, of the sets that a follower saw.
struct Follower {
  std::vector<std::int64_t> deadlines;

  static std::shared_ptr<Follower> Of(PolicySource& source) {
    auto follower = std::make_shared<Follower>();
    source.Subscribe(follower, [seen = follower.get()](const PolicyVersion& version, Time) {
      seen->deadlines.push_back(version.set->defaults.defaults.deadline.value_or(Duration::zero()) / milliseconds(1));
    });
    return follower;
  }
};

TEST(PolicySet, GivesATargetItsOwnPoliciesWhole) {
  PolicySet set = WithDeadline(milliseconds(10));
  set.targets["dns:///a"].retry_budget.max_tokens = 7;
  EXPECT_EQ(set.For("dns:///a").retry_budget.max_tokens, 7);
  EXPECT_FALSE(set.For("dns:///a").defaults.deadline.has_value());
  EXPECT_EQ(set.For("dns:///b").defaults.deadline, milliseconds(10));
}

TEST(PolicySet, NamesTheTargetOfABadField) {
  PolicySet set;
  set.targets["dns:///a"].methods["s.S/M"].retry.max_attempts = 0;
  EXPECT_THAT(std::string(set.Validate().message()), HasSubstr("targets[dns:///a].methods[s.S/M].retry.max_attempts: 0"));
}

TEST(PolicySource, AppliesAGoodUpdate) {
  const auto source = BuiltIn();
  const auto follower = Follower::Of(*source);
  EXPECT_EQ(source->status().generation, 1u);
  EXPECT_TRUE(source->Update(WithDeadline(milliseconds(5)), {"file", "abc"}, kNow).ok());
  EXPECT_EQ(source->current()->defaults.defaults.deadline, milliseconds(5));
  EXPECT_EQ(source->version().generation, 2u);
  EXPECT_EQ(source->status().origin.hash, "abc");
  EXPECT_EQ(source->status().applied, 1u);
  EXPECT_THAT(follower->deadlines, ElementsAre(5));
}

TEST(PolicySource, KeepsABadUpdateOutWhole) {
  const auto source = PolicySource::Create(WithDeadline(milliseconds(5)), {"file", "good"});
  const auto follower = Follower::Of(*source);
  const absl::Status status = source->Update(Bad(), {"file", "bad"}, kNow);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(source->current()->defaults.defaults.deadline, milliseconds(5));
  EXPECT_THAT(follower->deadlines, IsEmpty());
  EXPECT_EQ(source->status().generation, 1u);
  EXPECT_EQ(source->status().refused, 1u);
  EXPECT_EQ(source->status().origin.hash, "good");
  EXPECT_THAT(source->status().last_error, HasSubstr("policies.defaults.deadline"));

  source->Refused(absl::InvalidArgumentError("no JSON"));
  EXPECT_EQ(source->status().refused, 2u);
  EXPECT_EQ(source->status().last_error, "no JSON");
  EXPECT_TRUE(source->Update(WithDeadline(milliseconds(6)), {"file", "better"}, kNow).ok());
  EXPECT_EQ(source->status().last_error, "");
}

TEST(PolicySource, RefusesWhatIsNoNumber) {
  const auto source = BuiltIn();
  PolicySet set;
  set.defaults.retry_budget.token_ratio = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(std::string(source->Update(set, {}, kNow).message()), HasSubstr("policies.retry_budget.token_ratio"));
}

TEST(PolicySource, TakesTheSameAgainAsNoChange) {
  const auto source = BuiltIn();
  const auto follower = Follower::Of(*source);
  EXPECT_TRUE(source->Update({}, {"file", "reformatted"}, kNow).ok());
  EXPECT_THAT(follower->deadlines, IsEmpty());
  EXPECT_EQ(source->status().generation, 1u);
  EXPECT_EQ(source->status().unchanged, 1u);
  EXPECT_EQ(source->status().applied, 0u);
  EXPECT_EQ(source->status().origin.hash, "reformatted");
}

TEST(PolicySource, SeesEveryFieldThatChanges) {
  using Change = void (*)(Policies&);
  const std::vector<Change> changes = {
      [](Policies& p) { p.defaults.deadline = milliseconds(7); },
      [](Policies& p) { p.defaults.attempt_timeout = milliseconds(7); },
      [](Policies& p) { p.defaults.retry.mode = RetryMode::kNever; },
      [](Policies& p) { p.defaults.retry.max_attempts = 9; },
      [](Policies& p) { p.defaults.retry.retryable_codes = {absl::StatusCode::kAborted}; },
      [](Policies& p) { p.defaults.retry.retry_attempt_timeouts = false; },
      [](Policies& p) { p.defaults.retry.retry_server_streams = true; },
      [](Policies& p) { p.defaults.stream_idle_timeout = milliseconds(7); },
      [](Policies& p) { p.defaults.retry.retry_rejections = true; },
      [](Policies& p) { p.defaults.retry.backoff.base = milliseconds(1); },
      [](Policies& p) { p.defaults.retry.backoff.multiplier = 3; },
      [](Policies& p) { p.defaults.retry.backoff.cap = milliseconds(300); },
      [](Policies& p) { p.defaults.breaker.mode = BreakerMode::kShadow; },
      [](Policies& p) { p.defaults.breaker.kind = StandardBreakerOptions(); },
      [](Policies& p) { p.services["a.B"]; },
      [](Policies& p) { p.methods["a.B/C"]; },
      [](Policies& p) { p.methods["a.B/D"]; },
      [](Policies& p) { p.retry_budget.enabled = false; },
      [](Policies& p) { p.retry_budget.max_tokens = 3; },
      [](Policies& p) { p.retry_budget.token_ratio = 0.5; },
  };
  const auto source = BuiltIn();
  PolicySet set;
  std::uint64_t applied = 0;
  for (const Change change : changes) {
    change(set.defaults);
    ASSERT_TRUE(source->Update(set, {}, kNow).ok());
    EXPECT_EQ(source->status().applied, ++applied);
    change(set.targets["t"]);
    ASSERT_TRUE(source->Update(set, {}, kNow).ok());
    EXPECT_EQ(source->status().applied, ++applied);
  }
}

TEST(PolicySource, KnowsACopiedHookAndNotANewOne) {
  PolicySet set;
  set.defaults.defaults.breaker.classify = [](const AttemptResult&) { return Outcome::kSuccess; };
  const auto source = PolicySource::Create(set, {});
  EXPECT_TRUE(source->Update(*source->current(), {}, kNow).ok());
  EXPECT_EQ(source->status().unchanged, 1u);
  EXPECT_TRUE(source->Update(set, {}, kNow).ok());
  EXPECT_EQ(source->status().applied, 1u);
}

TEST(PolicySource, ForgetsTheDeadAndKeepsTheLiving) {
  const auto source = BuiltIn();
  std::weak_ptr<int> tied;  // to the subscriptions' functions
  for (int i = 0; i < 100; ++i) {
    auto tag = std::make_shared<int>(i);
    tied = tag;
    source->Subscribe(std::make_shared<int>(), [tag](const PolicyVersion&, Time) { FAIL() << "dead"; });
  }
  EXPECT_TRUE(source->Update(WithDeadline(milliseconds(2)), {}, kNow).ok());
  const auto follower = Follower::Of(*source);
  EXPECT_TRUE(tied.expired());
  EXPECT_TRUE(source->Update(WithDeadline(milliseconds(3)), {}, kNow).ok());
  EXPECT_THAT(follower->deadlines, ElementsAre(3));
}

TEST(PolicySource, AFollowerThatThrowsKeepsNoUpdateFromTheOthers) {
  const auto source = BuiltIn();
  const auto subscriber = std::make_shared<int>();
  source->Subscribe(subscriber, [](const PolicyVersion&, Time) { throw 1; });
  const auto follower = Follower::Of(*source);
  EXPECT_TRUE(source->Update(WithDeadline(milliseconds(2)), {}, kNow).ok());
  EXPECT_TRUE(source->Update(WithDeadline(milliseconds(3)), {}, kNow).ok());
  EXPECT_THAT(follower->deadlines, ElementsAre(2, 3));
}

/// Held by code of the user; asks the source for something when it dies.
struct Asks {
  std::weak_ptr<PolicySource> source;
  bool* asked;
  ~Asks() {
    if (const auto living = source.lock()) *asked = living->status().generation > 0;
  }
};

TEST(PolicySource, LetsGoOfHooksAndFollowersOutsideItsLock) {
  const auto source = BuiltIn();
  bool asked = false;
  auto asks = std::make_shared<Asks>(Asks{{}, &asked});
  asks->source = source;
  PolicySet set;
  set.defaults.defaults.breaker.classify = [held = std::exchange(asks, nullptr)](const AttemptResult&) { return std::nullopt; };
  ASSERT_TRUE(source->Update(std::move(set), {}, kNow).ok());
  ASSERT_TRUE(source->Update({}, {}, kNow).ok());
  EXPECT_TRUE(asked) << "the set before, with its hook";

  asked = false;
  asks = std::make_shared<Asks>(Asks{{}, &asked});
  asks->source = source;
  source->Subscribe(std::make_shared<int>(), [held = std::exchange(asks, nullptr)](const PolicyVersion&, Time) {});
  Follower::Of(*source);
  EXPECT_TRUE(asked) << "a dead subscriber's function";
}

TEST(PolicySource, TakesAnUpdateFromWithinAnUpdate) {
  const auto source = BuiltIn();
  const auto follower = std::make_shared<std::vector<std::uint64_t>>();
  source->Subscribe(follower, [&, seen = follower.get()](const PolicyVersion& version, Time) {
    seen->push_back(version.generation);
    if (version.generation < 4) {
      EXPECT_TRUE(source->Update(WithDeadline(milliseconds(version.generation * 10)), {}, kNow).ok());
      source->Subscribe(follower, [](const PolicyVersion&, Time) {});
    }
  });
  EXPECT_TRUE(source->Update(WithDeadline(milliseconds(5)), {}, kNow).ok());
  EXPECT_THAT(*follower, ElementsAre(2, 3, 4));
}

TEST(PolicySource, TellsEachFollowerEachVersionOnceAndInOrder) {
  const auto source = BuiltIn();
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<std::vector<std::uint64_t>>> seen(8);
  std::vector<std::uint64_t> begun(8);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(source->Update(WithDeadline(milliseconds(1 + t * 50 + i)), {}, kNow).ok());
        if (i % 25 != 0) continue;
        auto& mine = seen[static_cast<std::size_t>(t * 2 + i / 25)];
        mine = std::make_shared<std::vector<std::uint64_t>>();
        std::vector<std::uint64_t>* const list = mine.get();
        begun[static_cast<std::size_t>(t * 2 + i / 25)] =
            source->Subscribe(mine, [list](const PolicyVersion& version, Time) { list->push_back(version.generation); }).generation;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t f = 0; f < seen.size(); ++f) {
    // From the one after that which it began with to the last.
    std::uint64_t expected = begun[f];
    for (const std::uint64_t generation : *seen[f]) EXPECT_EQ(generation, ++expected);
    EXPECT_EQ(expected, source->version().generation);
  }
}

TEST(Registry, ListsTheLivingSourcesOnce) {
  const auto registry = Registry::Create();
  const auto a = BuiltIn();
  registry->AddSource(a);
  registry->AddSource(a);
  registry->AddSource(nullptr);
  registry->AddSource(BuiltIn());
  EXPECT_THAT(registry->Sources(), ElementsAre(a));
}

}  // namespace
}  // namespace recloser
