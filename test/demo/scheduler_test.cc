// The one timer thread of the demo servers.
#include "demo_services/server/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;

TEST(SchedulerTest, RunsTimersInTheOrderOfTheirTimes) {
  Scheduler scheduler;
  std::vector<int> order;
  std::promise<void> done;
  const Time start = SaturatingAdd(Scheduler::Now(), milliseconds(20));
  scheduler.At(SaturatingAdd(start, milliseconds(2)), [&] {
    order.push_back(3);
    done.set_value();
  });
  scheduler.At(start, [&] { order.push_back(1); });
  scheduler.At(start, [&] { order.push_back(2); });
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_GE(Scheduler::Now(), start);
}

TEST(SchedulerTest, WakesForATimerThatIsSetWhileItSleeps) {
  Scheduler scheduler;
  scheduler.After(std::chrono::hours(1), [] {});
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    std::promise<void> done;
    scheduler.After(milliseconds(1), [&] { done.set_value(); });
    EXPECT_EQ(done.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  }
}

TEST(SchedulerTest, EachTimerIsEitherCancelledOrRun) {
  std::atomic<int> run{0};
  int cancelled = 0;
  {
    Scheduler scheduler;
    for (int i = 0; i < 2000; ++i) {
      const Scheduler::Id id = scheduler.After(std::chrono::microseconds(i % 50), [&] { ++run; });
      if (scheduler.Cancel(id)) ++cancelled;
    }
    std::promise<void> last;
    scheduler.After(milliseconds(1), [&] { last.set_value(); });
    last.get_future().wait();
  }
  EXPECT_EQ(run + cancelled, 2000);
  EXPECT_GT(cancelled, 0);
}

TEST(SchedulerTest, StopDropsWhatHasNotRunAndTakesNothingMore) {
  Scheduler scheduler;
  auto held = std::make_shared<int>(0);
  scheduler.After(std::chrono::hours(1), [held] { FAIL(); });
  scheduler.At(kInfiniteFuture, [held] { FAIL(); });
  EXPECT_EQ(held.use_count(), 3);
  scheduler.Stop();
  EXPECT_EQ(held.use_count(), 1);
  scheduler.After(Duration::zero(), [held] { FAIL(); });
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace recloser::demo
