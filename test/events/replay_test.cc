// What was recorded is decided again; what was changed afterwards is found.
#include "recloser/events/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pick.h"
#include "trace_bytes.h"
#include "traced_walk.h"

namespace recloser {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr auto kPick = [](int low, int high) { return Pick(low, high); };

/// A user's metric whose answers depend on more than the attempt.
class Moody final : public Metric {
 public:
  absl::string_view name() const override { return "moody"; }
  std::optional<double> Score(const AttemptObservation&) const override {
    const int call = calls_.fetch_add(1);
    if (call % 7 == 0) throw call;
    return call % 3 == 0 ? std::nullopt : std::optional<double>((call % 11) / 10.0);
  }

 private:
  mutable std::atomic<int> calls_{0};
};

BreakerOptions WithMoodyMetric() {
  AdaptiveBreakerOptions options;
  options.rating.metrics.push_back({std::make_shared<Moody>(), 0.3});
  return Options(options);
}

StandardBreakerOptions ByTime() {
  StandardBreakerOptions options = SmallStandard();
  options.window = StandardBreakerOptions::Window::kTime;
  options.window_time = seconds(2);
  options.wait_jitter = 0.5;
  return options;
}

BreakerOptions Shadow() {
  BreakerOptions options;
  options.mode = BreakerMode::kShadow;
  return options;
}

void CheckReplays(const BreakerOptions& options, DecisionTraceOptions::Format format = DecisionTraceOptions::Format::kBinary) {
  EXPECT_TRUE(rc::check([&] {
    DecisionTraceOptions trace_options;
    trace_options.format = format;
    TracedWalk walk(options, kPick, Pick<std::uint64_t>(1, 1000000), trace_options);
    std::string trace = walk.Take();
    for (int steps = Pick(1, 200); steps > 0; --steps) {
      walk.Step();
      if (Pick(0, 50) == 0) trace += walk.Take();
    }
    trace += walk.Take();
    const absl::StatusOr<Replayed> replayed = ReplayTrace(trace);
    RC_LOG(replayed.status().ToString());
    RC_ASSERT(replayed.ok());
    RC_ASSERT(replayed->records == walk.trace().records());
    RC_LOG(ReplayedToJson(*replayed));
    RC_ASSERT(replayed->identical());
    RC_ASSERT(replayed->breakers.size() == 1u);
    RC_ASSERT(replayed->breakers[0].transitions.size() + 1 == walk.breaker().Snapshot(Time(hours(1))).generation);
  }));
}

TEST(Replay, OfTheAdaptiveBreakerIsIdentical) { CheckReplays(BreakerOptions()); }
TEST(Replay, OfTheStandardBreakerIsIdentical) { CheckReplays(Options(SmallStandard())); }
TEST(Replay, OfTheStandardBreakerByTimeWithRandomWaitsIsIdentical) { CheckReplays(Options(ByTime())); }
TEST(Replay, OfAShadowIsIdentical) { CheckReplays(Shadow()); }
TEST(Replay, TakesTheScoresOfAUsersMetricFromTheTrace) { CheckReplays(WithMoodyMetric()); }
TEST(Replay, OfJsonLinesIsIdentical) { CheckReplays(BreakerOptions(), DecisionTraceOptions::Format::kJsonLines); }

TEST(Replay, FollowsNewOptionsInPlaceAndToAnotherKind) {
  AdaptiveBreakerOptions costly;
  costly.wasted_attempt_cost = 30;
  BreakerOptions own;
  own.kind = CustomBreaker{"own", std::make_shared<const CustomBreaker::Factory>(
                                      [](Time now, Random random) { return MakeBreaker(Options(SmallStandard()), now, random); })};
  std::set<int> kinds;
  EXPECT_TRUE(rc::check([&] {
    TracedWalk walk(BreakerOptions(), kPick, Pick<std::uint64_t>(1, 1000000));
    walk.ReconfigureTo({BreakerOptions(), Options(costly), WithMoodyMetric(), Options(SmallStandard()), Options(ByTime()), Shadow(), own});
    for (int steps = Pick(1, 300); steps > 0; --steps) walk.Step();
    const absl::StatusOr<Replayed> replayed = ReplayTrace(walk.Take());
    RC_LOG(replayed.status().ToString());
    RC_ASSERT(replayed.ok());
    RC_LOG(ReplayedToJson(*replayed));
    RC_ASSERT(replayed->identical());
    kinds.insert(static_cast<int>(replayed->breakers.size()));
  }));
  EXPECT_GT(*kinds.rbegin(), 3);
}

/// 200 steps, always the same.
std::string FixedTrace(DecisionTraceOptions::Format format = DecisionTraceOptions::Format::kBinary) {
  Random random(3);
  DecisionTraceOptions options;
  options.format = format;
  TracedWalk walk(BreakerOptions(), ChooseBy(&random), 7, options);
  for (int i = 0; i < 200; ++i) walk.Step();
  return walk.Take();
}

TEST(Replay, BothFormsHoldTheSame) {
  const std::string binary = FixedTrace();
  const std::string json = FixedTrace(DecisionTraceOptions::Format::kJsonLines);
  EXPECT_EQ(TraceOf(RecordsOf(json)), binary);
  EXPECT_LT(binary.size() * 3, json.size());
}

TEST(Replay, FindsEachTamperedRecord) {
  const std::vector<v1::TraceRecord> records = RecordsOf(FixedTrace());
  int tampered = 0;
  for (std::size_t i = 1; i < records.size(); i += 5) {
    std::vector<v1::TraceRecord> changed = records;
    v1::TraceRecord& record = changed[i];
    if (record.has_try_acquire() && record.try_acquire().has_refusal()) {
      record.mutable_try_acquire()->mutable_refusal()->set_retry_after_seconds(record.try_acquire().refusal().retry_after_seconds() +
                                                                               0.001);
    } else if (record.has_try_acquire()) {
      record.mutable_try_acquire()->set_permit(record.try_acquire().permit() + 1);
    } else if (record.has_record()) {
      record.mutable_record()->set_outcome(record.record().outcome() == v1::FAILURE ? v1::SUCCESS : v1::FAILURE);
    } else {
      continue;
    }
    ++tampered;
    const absl::StatusOr<Replayed> replayed = ReplayTrace(TraceOf(changed));
    ASSERT_TRUE(replayed.ok());
    ASSERT_TRUE(replayed->breakers[0].difference.has_value()) << record.ShortDebugString();
    EXPECT_EQ(replayed->breakers[0].difference->record, i + 2);  // counted from 1, the header first
    EXPECT_EQ(replayed->breakers[0].difference->offset,
              TraceOf({changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(i)}).size());
    EXPECT_THAT(replayed->breakers[0].difference->what, AnyOf(HasSubstr(": try_acquire."), HasSubstr(": record.outcome: ")));
  }
  EXPECT_GT(tampered, 60);
}

TEST(Replay, OfNumbersThatNobodyRecordedDoesNoHarm) {
  constexpr std::int64_t kEnds[] = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  const std::vector<v1::TraceRecord> records = RecordsOf(FixedTrace());
  for (std::size_t i = 0; i < records.size(); i += 8) {
    for (const std::int64_t end : kEnds) {
      std::vector<v1::TraceRecord> changed = records;
      changed[i].set_now_ns(end);
      if (changed[i].has_record()) {
        v1::Result* const result = changed[i].mutable_record();
        result->set_permit(static_cast<std::uint64_t>(end));
        result->set_code(static_cast<std::int32_t>(end));
        result->set_allowed_ns(end);
        result->set_outcome_by_hook(static_cast<v1::Outcome>(99));
      } else if (i > 0) {
        v1::TakenOver* const before = changed[i].mutable_take_over();
        before->set_state("half_open");
        before->set_since_ns(end);
        before->set_retry_after_ns(end);
        before->set_offered_rate(end < 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::max());
      }
      const absl::StatusOr<Replayed> replayed = ReplayTrace(TraceOf(changed));
      EXPECT_TRUE(replayed.ok() || replayed.status().code() == absl::StatusCode::kDataLoss) << replayed.status();
      EXPECT_FALSE(replayed.ok() && replayed->identical()) << i;
    }
  }
}

TEST(Replay, FindsALostRecordAndATransitionThatNeverWas) {
  const std::vector<v1::TraceRecord> records = RecordsOf(FixedTrace());
  std::vector<v1::TraceRecord> lost = records;
  lost.erase(lost.begin() + 40, lost.begin() + 60);
  EXPECT_FALSE(ReplayTrace(TraceOf(lost))->identical());

  std::vector<v1::TraceRecord> invented = records;
  *invented.back().add_transitions() = v1::Transition();
  const Replayed replayed = *ReplayTrace(TraceOf(invented));
  ASSERT_FALSE(replayed.identical());
  EXPECT_THAT(replayed.breakers[0].difference->what, HasSubstr("transitions[0]"));
}

TEST(Replay, GoesOnWithTheOtherBreakersAfterADifference) {
  const auto registry = Registry::Create({16, 1});
  const auto trace = DecisionTrace::Start(registry);
  const auto first = registry->FindOrCreate({"t", "a.B", "First"}, {}, Time(hours(1)));
  const auto second = registry->FindOrCreate({"t", "a.B", "Second"}, {}, Time(hours(1)));
  first->ForceOpen(Time(hours(1)));
  first->TryAcquire(Time(hours(2)), {});
  second->ForceOpen(Time(hours(3)));
  std::vector<v1::TraceRecord> records = RecordsOf(trace->Take());
  ASSERT_THAT(records, SizeIs(5));
  records[2].mutable_transitions(0)->set_to("closed");
  const Replayed replayed = *ReplayTrace(TraceOf(records));
  ASSERT_THAT(replayed.breakers, SizeIs(2));
  ASSERT_TRUE(replayed.breakers[0].difference.has_value());
  EXPECT_EQ(replayed.breakers[0].difference->what, "modified: transitions[0].to: \"closed\" -> \"forced_open\"");
  EXPECT_EQ(replayed.breakers[0].rejected, 0u);
  EXPECT_FALSE(replayed.breakers[1].difference.has_value());
  ASSERT_THAT(replayed.breakers[1].transitions, SizeIs(1));
  EXPECT_EQ(replayed.breakers[1].transitions[0].at, hours(2));
  EXPECT_THAT(replayed.breakers[1].transitions[0].sentence, StartsWith("forced open by manual:"));
}

TEST(Replay, OfOneBreakerOnly) {
  const auto registry = Registry::Create({16, 1});
  const auto trace = DecisionTrace::Start(registry);
  for (const char* const method : {"First", "Second"})
    registry->FindOrCreate({"t", "a.B", method}, {}, Time(hours(1)))->ForceOpen(Time(hours(2)));
  const std::string bytes = trace->Take();
  ReplayOptions options;
  options.breaker = "a.B/Second";
  const Replayed replayed = *ReplayTrace(bytes, options);
  ASSERT_THAT(replayed.breakers, SizeIs(1));
  EXPECT_EQ(replayed.breakers[0].id.method, "Second");
  EXPECT_EQ(replayed.records, 5u);
  options.breaker = "a.B/Third";
  EXPECT_EQ(ReplayTrace(bytes, options).status().code(), absl::StatusCode::kNotFound);
}

v1::TraceRecord Made(std::uint32_t number, const char* method) {
  v1::TraceRecord record;
  record.set_breaker(number);
  v1::BreakerMade* const made = record.mutable_made();
  made->set_target("t");
  made->set_service("a.B");
  made->set_method(method);
  for (int i = 0; i < 4; ++i) made->add_random(1);
  return record;
}

TEST(Replay, MakesNoMoreBreakersThanAProcessHas) {
  std::vector<v1::TraceRecord> records;
  for (std::uint32_t number = 1; number <= 10'001; ++number) {
    records.push_back(Made(number, number == 7 ? "Wanted" : "Other"));
    records.back().mutable_made()->mutable_config()->mutable_breaker()->set_custom("own");
  }
  const absl::Status status = ReplayTrace(TraceOf(records)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than 10000 breakers"));
  ReplayOptions options;
  options.breaker = "a.B/Wanted";
  EXPECT_TRUE(ReplayTrace(TraceOf(records), options).ok());
  records.pop_back();
  EXPECT_TRUE(ReplayTrace(TraceOf(records)).ok());
}

TEST(Replay, MakesNoMoreWindowsThanMemoryHolds) {
  std::vector<v1::TraceRecord> records;
  for (std::uint32_t number = 1; number <= 1000; ++number) {
    records.push_back(Made(number, "Other"));
    records.back().mutable_made()->mutable_config()->mutable_breaker()->mutable_standard()->set_window_calls(100'000);
  }
  EXPECT_TRUE(ReplayTrace(TraceOf(records)).ok());
  v1::TraceRecord again;
  again.set_breaker(1);
  *again.mutable_reconfigure()->mutable_config() = records[0].made().config();
  records.push_back(again);
  EXPECT_TRUE(ReplayTrace(TraceOf(records)).ok()) << "one in the place of another";
  records.push_back(Made(1001, "Other"));
  records.back().mutable_made()->mutable_config()->mutable_breaker()->mutable_standard()->set_window_calls(100);
  EXPECT_EQ(ReplayTrace(TraceOf(records)).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(Replay, OfManyThreadsOnTwoBreakersIsIdentical) {
  const auto registry = Registry::Create();
  const auto trace = DecisionTrace::Start(registry);
  std::atomic<int> ticks{0};
  const auto call = [&](int thread) {
    for (int i = 0; i < 2000; ++i) {
      // As from a clock that is read before the lock is taken.
      const Time now = Time(hours(1)) + milliseconds(ticks.fetch_add(1));
      const auto breaker = registry->FindOrCreate({"t", "a.B", i % 2 == 0 ? "Even" : "Odd"}, {}, now);
      const Admission admission = breaker->TryAcquire(now, {});
      if (i % 500 == 499) breaker->Reset(now);
      if (!admission.admitted) continue;
      const bool outage = i % 600 > 400;
      if ((i + thread) % 17 == 0) {
        breaker->Drop(admission.permit, now);
      } else {
        breaker->Record(admission.permit, Time(hours(1)) + milliseconds(ticks.fetch_add(1)), outage ? Unavailable() : Ok());
      }
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) threads.emplace_back(call, thread);
  for (std::thread& thread : threads) thread.join();
  const absl::StatusOr<Replayed> replayed = ReplayTrace(trace->Take());
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_TRUE(replayed->identical()) << ReplayedToJson(*replayed);
  std::size_t steps = 0;
  std::size_t transitions = 0;
  for (const ReplayedBreaker& breaker : replayed->breakers) {
    steps += breaker.admitted + breaker.rejected;
    transitions += breaker.transitions.size();
  }
  EXPECT_EQ(steps, 16000u);
  EXPECT_GT(transitions, 2u);
}

TEST(Replay, ShowsABreakerOfTheUsersOwnAsRecorded) {
  const auto registry = Registry::Create({16, 1});
  const auto trace = DecisionTrace::Start(registry);
  BreakerOptions options;
  options.kind = CustomBreaker{"throttle", std::make_shared<const CustomBreaker::Factory>(
                                               [](Time now, Random random) { return MakeBreaker(Options(SmallStandard()), now, random); })};
  const auto breaker = registry->FindOrCreate({"t", "a.B", "C"}, options, Time(hours(1)));
  breaker->ForceOpen(Time(hours(1)));
  EXPECT_FALSE(breaker->TryAcquire(Time(hours(1)), {}).admitted);
  const Replayed replayed = *ReplayTrace(trace->Take());
  ASSERT_THAT(replayed.breakers, SizeIs(1));
  EXPECT_FALSE(replayed.breakers[0].checked);
  EXPECT_EQ(replayed.breakers[0].kind, "throttle");
  EXPECT_EQ(replayed.breakers[0].rejected, 1u);
  ASSERT_THAT(replayed.breakers[0].transitions, SizeIs(1));
  EXPECT_EQ(replayed.breakers[0].transitions[0].sentence, "closed -> forced_open by manual");
}

}  // namespace
}  // namespace recloser
