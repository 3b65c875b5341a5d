// Traces as bytes: bounded, taken in parts, and refused with their place when they are damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "recloser/core/registry.h"
#include "recloser/events/decision_trace.h"
#include "recloser/events/replay.h"
#include "trace_bytes.h"
#include "traced_walk.h"

namespace recloser {
namespace {

using events_internal::Frame;

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Time kStart = Time(hours(1));

/// A breaker forced open, and a call that it rejects.
std::string SmallTrace(DecisionTraceOptions::Format format = DecisionTraceOptions::Format::kBinary) {
  const auto registry = Registry::Create({16, 1});
  DecisionTraceOptions options;
  options.format = format;
  const auto trace = DecisionTrace::Start(registry, options);
  const auto breaker = registry->FindOrCreate({"t", "a.B", "C"}, {}, kStart);
  breaker->ForceOpen(kStart);
  breaker->TryAcquire(kStart, {});
  return trace->Take();
}

TEST(TraceFile, WithoutBreakersIsAHeader) {
  const auto registry = Registry::Create();
  const auto trace = DecisionTrace::Start(registry);
  const std::string bytes = trace->Take();
  EXPECT_THAT(bytes, StartsWith("recloser-trace 1\n"));
  const Replayed replayed = *ReplayTrace(bytes);
  EXPECT_EQ(replayed.records, 1u);
  EXPECT_TRUE(replayed.identical());
  EXPECT_EQ(trace->Take(), "");
}

TEST(TraceFile, StopsAtItsGreatestSizeWithAMarkAndReplaysSoFar) {
  for (const auto format : {DecisionTraceOptions::Format::kBinary, DecisionTraceOptions::Format::kJsonLines}) {
    Random random(1);
    DecisionTraceOptions options;
    options.format = format;
    options.max_bytes = 10000;
    TracedWalk walk(Options(SmallStandard()), ChooseBy(&random), 1, options);
    std::string bytes;
    for (int i = 0; i < 400; ++i) {
      walk.Step();
      if (i % 50 == 0) bytes += walk.Take();
    }
    bytes += walk.Take();
    EXPECT_TRUE(walk.trace().full());
    EXPECT_LE(bytes.size(), 10000u);
    EXPECT_GT(bytes.size(), 9000u);
    const absl::StatusOr<Replayed> replayed = ReplayTrace(bytes);
    ASSERT_TRUE(replayed.ok()) << replayed.status();
    EXPECT_TRUE(replayed->full);
    EXPECT_TRUE(replayed->identical());
    EXPECT_EQ(replayed->records, walk.trace().records());
  }
}

TEST(TraceFile, StopsWhenToldAndWhenItsHandleGoes) {
  const auto registry = Registry::Create();
  auto trace = DecisionTrace::Start(registry);
  const auto breaker = registry->FindOrCreate({"t", "a.B", "C"}, {}, kStart);
  EXPECT_EQ(trace->records(), 2u);
  trace->Stop();
  breaker->ForceOpen(kStart);
  EXPECT_EQ(trace->records(), 2u);
  EXPECT_FALSE(trace->full());
  trace.reset();
  breaker->Reset(kStart);
  EXPECT_EQ(breaker->state(), BreakerState::kClosed);
}

TEST(TraceFile, HoldsNoMessagesAndFewBytesPerStep) {
  const auto registry = Registry::Create({16, 1});
  const auto trace = DecisionTrace::Start(registry);
  const auto breaker = registry->FindOrCreate({"t", "a.B", "C"}, {}, Time(hours(1000)));
  std::string bytes = trace->Take();
  AttemptResult secret = Ok();
  secret.message = "a secret";
  for (int i = 0; i < 1000; ++i) {
    const Time now = Time(hours(1000)) + milliseconds(i);
    breaker->Record(breaker->TryAcquire(now, {}).permit, now, secret);
  }
  const std::string steps = trace->Take();
  EXPECT_LE(steps.size(), 2000u * 30);
  EXPECT_THAT(steps, ::testing::Not(HasSubstr("secret")));
  EXPECT_TRUE(ReplayTrace(bytes + steps)->identical());
}

TEST(TraceFile, HostileNamesAreKeptAsValidText) {
  const auto registry = Registry::Create({16, 1});
  const auto trace = DecisionTrace::Start(registry);
  const std::string hostile = std::string("a\n\"\xff\0", 5) + std::string(10000, 'b');
  registry->FindOrCreate({hostile, hostile, hostile}, {}, kStart)->ForceOpen(kStart);
  const std::string bytes = trace->Take();
  EXPECT_LT(bytes.size(), 4000u);
  EXPECT_TRUE(ReplayTrace(bytes)->identical());
}

struct Damage {
  const char* what;
  std::string trace;
  absl::StatusCode code;
  std::string error;
};

TEST(TraceFile, IsRefusedWithThePlaceWhereItIsDamaged) {
  const std::string good = SmallTrace();
  const std::string json = SmallTrace(DecisionTraceOptions::Format::kJsonLines);
  const std::vector<v1::TraceRecord> records = RecordsOf(good);
  const auto changed = [&](std::size_t index, const std::function<void(v1::TraceRecord*)>& change) {
    std::vector<v1::TraceRecord> copy = records;
    change(&copy[index]);
    return TraceOf(copy);
  };
  const std::string at_made = absl::StrCat("byte ", TraceOf({}).size(), ": ");
  const std::string at_force_open = absl::StrCat("byte ", TraceOf({records[0]}).size(), ": ");
  const std::string at_end = absl::StrCat("byte ", good.size(), ": ");
  v1::TraceRecord end;
  end.mutable_end()->set_reason("full");
  const auto kLoss = absl::StatusCode::kDataLoss;
  const std::vector<Damage> cases = {
      {"nothing", "", kLoss, "byte 0: not a decision trace"},
      {"something else", "{}", kLoss, "byte 0: not a decision trace: no header"},
      {"text", "breaker opened\n", kLoss, "byte 0: not a decision trace"},
      {"half a name", "recloser-trace", kLoss, "byte 0: not a decision trace"},
      {"a newer one", "recloser-trace 2\nwhatever", absl::StatusCode::kUnimplemented,
       "byte 0: written in format 2 by a newer version; this one reads format 1"},
      {"newer lines", "{\"header\":{\"format\":7}}\n", absl::StatusCode::kUnimplemented, "byte 0: written in format 7 by a newer version"},
      {"no header", "recloser-trace 1\n" + Encode(records[0], TraceEncoding::kBinary), kLoss, "byte 17: not a decision trace: no header"},
      {"cut off", good.substr(0, good.size() - 3), kLoss,
       absl::StrCat("byte ", TraceOf({records[0], records[1]}).size(), ": cut off: a record of ")},
      {"a length that is none", good + std::string(10, '\xff'), kLoss, at_end + "damaged: no record's length"},
      {"a length cut off", good + "\xff", kLoss, at_end + "cut off within a record's length"},
      {"a great length", good + "\xff\xff\xff\x07", kLoss, at_end + "damaged: a record of 16777215 bytes"},
      {"not a record", good + Frame("\xff\xff"), kLoss, at_end + "damaged: not a record"},
      {"a field of the future", good + Frame("\x90\x3e\x01"), kLoss, at_end + "a record with fields that this version does not know"},
      {"a step that is none", good + Frame("\x08\x01"), kLoss, at_end + "damaged: a record without a step"},
      {"half a line", json.substr(0, json.size() - 10), kLoss, "damaged or cut off: not a record: "},
      {"a bad line", json + "{\"breaker\": 1, \"stop\": {}}\n", kLoss, absl::StrCat("byte ", json.size(), ": damaged: not a record: ")},
      {"a breaker that was not made", changed(1, [](auto* record) { record->set_breaker(9); }), kLoss,
       at_force_open + "damaged: breaker 9 was not made"},
      {"one made twice", TraceOf({records[0], records[0]}), kLoss, at_force_open + "damaged: breaker 1 is made twice"},
      {"no random numbers", changed(0, [](auto* record) { record->mutable_made()->clear_random(); }), kLoss,
       at_made + "damaged: made.random: must be four numbers"},
      {"options that are not allowed",
       changed(0,
               [](auto* record) { record->mutable_made()->mutable_config()->mutable_breaker()->mutable_adaptive()->set_probe_jitter(2); }),
       kLoss, "breaker.adaptive.probe_jitter: 2 is not allowed"},
      {"more after the end", TraceOf({records[0], end, records[1]}), kLoss, "damaged: a record after the end"},
  };
  for (const Damage& c : cases) {
    const absl::StatusOr<Replayed> replayed = ReplayTrace(c.trace);
    EXPECT_EQ(replayed.status().code(), c.code) << c.what;
    EXPECT_THAT(std::string(replayed.status().message()), HasSubstr(c.error)) << c.what;
    EXPECT_THAT(std::string(replayed.status().message()), StartsWith("byte ")) << c.what;
  }
}

TEST(TraceFile, CutAtEachByteIsTheSameUpToThereOrRefused) {
  const std::string good = SmallTrace();
  int whole = 0;
  for (std::size_t size = 0; size < good.size(); ++size) {
    const absl::StatusOr<Replayed> replayed = ReplayTrace(good.substr(0, size));
    if (!replayed.ok()) continue;
    EXPECT_TRUE(replayed->identical());
    ++whole;
  }
  EXPECT_EQ(whole, 3);  // after the header, the making and the first step
}

TEST(TraceFile, AnyByteChangedIsFound) {
  const std::string good = SmallTrace();
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char change : {'\x01', '\x80', '\xff'}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ change);
      const absl::StatusOr<Replayed> replayed = ReplayTrace(bad);
      EXPECT_FALSE(replayed.ok()) << i;
      EXPECT_THAT(std::string(replayed.status().message()), StartsWith("byte "));
    }
  }
}

}  // namespace
}  // namespace recloser
