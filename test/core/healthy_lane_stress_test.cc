// The healthy lane under many threads: nothing is lost, nothing is counted twice, and failures seen by one thread open the breaker for all.
// Also run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "breaker_driver.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {
namespace {

std::shared_ptr<SharedBreaker> Make(const AdaptiveBreakerOptions& options) {
  return std::make_shared<SharedBreaker>(BreakerId{"t", "s.S", "M"}, Options(options),
                                         MakeBreaker(Options(options), kDriversBegin, Random(1)), kDriversBegin, nullptr);
}

/// The context holds all that ever ended, in these tests.
AdaptiveBreakerOptions WindowOfAll() {
  AdaptiveBreakerOptions options;
  options.window.context = seconds(60);
  options.window.min_calls = options.window.max_calls = 100000;
  options.window.max_age = hours(1);
  return options;
}

/// Permits on their way from the threads that got them to those that give them back.
class Exchange {
 public:
  /// One of those left here before, for `permit`; `permit` itself when there are few.
  Permit Swap(const Permit& permit, std::size_t pick) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (left_.size() < 20) {
      left_.push_back(permit);
      return {};
    }
    return std::exchange(left_[pick % left_.size()], permit);
  }
  std::vector<Permit> TakeAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(left_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Permit> left_;
};

struct Crowd {
  explicit Crowd(const AdaptiveBreakerOptions& options) : breaker(Make(options)) {}

  Time now() { return kDriversBegin + microseconds(20) * ticks.fetch_add(1, std::memory_order_relaxed); }

  /// A thread that makes calls; many of its permits are given back by others.
  void Work(int thread, int calls, bool failures) {
    Random random(static_cast<std::uint64_t>(100 + thread));
    for (int i = 0; i < calls; ++i) {
      const Admission admission = breaker->TryAcquire(now(), {});
      if (!admission.admitted) continue;
      if (admission.permit.lane) noted.fetch_add(1, std::memory_order_relaxed);
      const double dice = random.Uniform();
      const Permit permit = dice < 0.5 ? admission.permit : permits.Swap(admission.permit, static_cast<std::size_t>(dice * 1000));
      if (permit.id != 0) GiveBack(permit, random.Uniform(), failures);
    }
  }
  void GiveBack(const Permit& permit, double dice, bool failures) {
    if (dice < 0.01) return breaker->Drop(permit, now());
    if (dice < 0.02) return breaker->Abandon(permit);
    if (dice < 0.03) breaker->StreamStarted(permit, now());
    breaker->Record(permit, now(), failures && dice > 0.97 ? Unavailable() : Ok());
    ended.fetch_add(1, std::memory_order_relaxed);
  }
  void GiveBackTheRest() {
    for (const Permit& permit : permits.TakeAll()) GiveBack(permit, 0.5, false);
  }

  std::shared_ptr<SharedBreaker> breaker;
  Exchange permits;
  std::atomic<std::int64_t> ticks{0};
  std::atomic<std::int64_t> ended{0};
  std::atomic<std::int64_t> noted{0};
};

// More threads than shards, which come and go; a reader all the time.
void ExpectNothingLost(bool failures) {
  constexpr int kThreads = 6;
  constexpr int kGenerations = 8;
  constexpr int kCalls = 400;
  Crowd crowd(WindowOfAll());
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::int64_t last = 0;
    while (!done) {
      const BreakerSnapshot snapshot = crowd.breaker->Snapshot(kDriversBegin);
      EXPECT_GE(snapshot.window_calls, last);
      EXPECT_GE(snapshot.permits_in_flight, 0);
      last = snapshot.window_calls;
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int g = 0; g < kGenerations; ++g) {
        std::thread worker([&, t, g] { crowd.Work(t * kGenerations + g, kCalls, failures); });
        worker.join();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  reader.join();
  crowd.GiveBackTheRest();
  const BreakerSnapshot snapshot = crowd.breaker->Snapshot(crowd.now());
  EXPECT_EQ(snapshot.state, BreakerState::kClosed);
  EXPECT_EQ(snapshot.window_calls, crowd.ended);
  EXPECT_EQ(snapshot.permits_in_flight, 0);
  EXPECT_EQ(snapshot.stale_results, 0u);
  EXPECT_EQ(snapshot.invariant_violations, 0u);
  EXPECT_GT(crowd.noted, kThreads * kGenerations * kCalls / 4);
}

TEST(HealthyLaneStress, AllThatEndsWellIsCountedOnce) { ExpectNothingLost(/*failures=*/false); }
TEST(HealthyLaneStress, AFewFailuresAmongThemLoseNothing) { ExpectNothingLost(/*failures=*/true); }

TEST(HealthyLaneStress, FailuresThatOneThreadSeesOpenItForAll) {
  for (int round = 0; round < 20; ++round) {
    Crowd crowd({});
    std::atomic<bool> failing{false};
    std::atomic<bool> stop{false};
    std::vector<std::thread> healthy;
    for (int t = 0; t < 3; ++t) {
      healthy.emplace_back([&, t] {
        while (!failing) crowd.Work(t, 20, false);
        // From now on they see rejections once it is open.
        while (!stop) {
          if (!crowd.breaker->TryAcquire(crowd.now(), {}).admitted) return;
          std::this_thread::yield();
        }
      });
    }
    crowd.Work(9, 100, false);
    failing = true;
    int failures = 0;
    for (; failures < 10000 && crowd.breaker->state() == BreakerState::kClosed; ++failures) {
      const Admission admission = crowd.breaker->TryAcquire(crowd.now(), {});
      if (admission.admitted) crowd.breaker->Record(admission.permit, crowd.now(), Unavailable());
    }
    EXPECT_NE(crowd.breaker->state(), BreakerState::kClosed);
    for (std::thread& thread : healthy) thread.join();
    stop = true;
  }
}

}  // namespace
}  // namespace recloser
