// Time as it goes to and comes from gRPC, and the runtime in a forked child.
#include "runtime.h"

#include <grpc/support/time.h>
#include <unistd.h>

#include "fixture.h"
#include "gtest/gtest.h"

namespace recloser {
namespace {

using testing::milliseconds;
using testing::seconds;

constexpr Time kNow{Duration(seconds(1'000'000))};

TEST(TimeLeft, IsATimespanWhateverTheDeadlineIs) {
  // A realtime deadline breaks when the wall clock steps (grpc #16891).
  const Time deadlines[] = {Time::min(), Time(), kNow, kNow + milliseconds(1), kInfiniteFuture - Duration(1), kInfiniteFuture};
  for (const Time deadline : deadlines) EXPECT_EQ(TimeLeft(deadline, kNow).clock_type, GPR_TIMESPAN);
}

TEST(TimeLeft, CountsFromNowAndIsNeverNegative) {
  EXPECT_EQ(gpr_time_to_millis(TimeLeft(kNow + milliseconds(1500), kNow)), 1500);
  EXPECT_EQ(gpr_time_cmp(TimeLeft(kNow - seconds(5), kNow), gpr_time_0(GPR_TIMESPAN)), 0);
  EXPECT_EQ(gpr_time_cmp(TimeLeft(Time::min(), kNow), gpr_time_0(GPR_TIMESPAN)), 0);
  EXPECT_EQ(gpr_time_cmp(TimeLeft(kInfiniteFuture, kNow), gpr_inf_future(GPR_TIMESPAN)), 0);
}

TEST(AlarmTime, OfWhatIsDueIsPast) {
  for (const Time due : {Time::min(), kNow - Duration(1), kNow}) {
    EXPECT_LT(gpr_time_cmp(AlarmTime(due, kNow), gpr_now(GPR_CLOCK_MONOTONIC)), 0);
  }
  EXPECT_EQ(gpr_time_cmp(AlarmTime(kNow + milliseconds(5), kNow), gpr_time_from_millis(5, GPR_TIMESPAN)), 0);
}

TEST(FromGrpcDeadline, TakesEveryClockOfGrpc) {
  const gpr_timespec span = gpr_time_from_millis(1500, GPR_TIMESPAN);
  EXPECT_EQ(FromGrpcDeadline(span, kNow), kNow + milliseconds(1500));
  for (const gpr_clock_type clock : {GPR_CLOCK_REALTIME, GPR_CLOCK_MONOTONIC}) {
    const Time deadline = FromGrpcDeadline(gpr_time_add(gpr_now(clock), gpr_time_from_seconds(100, GPR_TIMESPAN)), kNow);
    EXPECT_LE(deadline, kNow + seconds(100));
    EXPECT_GT(deadline, kNow + seconds(60));
  }
}

TEST(FromGrpcDeadline, SaturatesAtTheEndsOfTime) {
  for (const gpr_clock_type clock : {GPR_CLOCK_REALTIME, GPR_CLOCK_MONOTONIC, GPR_TIMESPAN}) {
    EXPECT_EQ(FromGrpcDeadline(gpr_inf_future(clock), kNow), kInfiniteFuture);
    EXPECT_LT(FromGrpcDeadline(gpr_inf_past(clock), kNow), kNow);
    EXPECT_EQ(FromGrpcDeadline({INT64_MAX - 1, 999'999'999, clock}, kNow), kInfiniteFuture);
    EXPECT_LT(FromGrpcDeadline({INT64_MIN + 1, 0, clock}, kNow), kNow);
  }
}

TEST(RuntimeDeathTest, SaysThatItDoesNotWorkInAForkedChild) {
  ASSERT_TRUE(Runtime::Get().usable());
  ::testing::FLAGS_gtest_death_test_style = "fast";  // forks, and does not execute anew
  EXPECT_EXIT(_exit(Runtime::Get().usable() ? 1 : 0), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace recloser
