// One breaker, many threads: what must hold whatever the scheduler does. Also run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "recloser/core/shared_breaker.h"
#include "session_fixture.h"

namespace recloser {
namespace {

constexpr AttemptInfo kUnary{};

/// Threads wait here for each other, again and again.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++waiting_ == threads_) {
      waiting_ = 0;
      ++round_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  const int threads_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int waiting_ = 0;
  int round_ = 0;
};

void RunThreads(int threads, const std::function<void(int)>& run) {
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t) pool.emplace_back(run, t);
  for (std::thread& thread : pool) thread.join();
}

std::shared_ptr<SharedBreaker> OpenBreaker(const BreakerOptions& options) {
  auto breaker =
      std::make_shared<SharedBreaker>(BreakerId{"t", "s", "m"}, options, MakeBreaker(options, kStart, Random(1)), kStart, nullptr);
  for (int i = 0; i < 100 && breaker->state() == BreakerState::kClosed; ++i) {
    breaker->Record(breaker->TryAcquire(kStart, kUnary).permit, kStart, Result(absl::StatusCode::kUnavailable));
  }
  return breaker;
}

/// 64 threads arrive at 10,000 breakers, one after the other, at the instant each one's wait ends. Expects `allowed` admissions each.
void ExpectProbesAtTheEndOfTheWait(const BreakerOptions& options, int allowed) {
  constexpr int kThreads = 64;
  constexpr int kRounds = 100;
  constexpr int kBreakers = 100;
  std::vector<std::shared_ptr<SharedBreaker>> breakers(kBreakers);
  std::vector<std::atomic<int>> admitted(kBreakers);
  Barrier barrier(kThreads);
  RunThreads(kThreads, [&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      if (thread == 0) {
        for (auto& breaker : breakers) breaker = OpenBreaker(options);
        for (auto& count : admitted) count = 0;
      }
      barrier.Wait();
      for (int i = 0; i < kBreakers; ++i) {
        const Time end = kStart + breakers[i]->Snapshot(kStart).retry_after;
        if (breakers[i]->TryAcquire(end, kUnary).admitted) ++admitted[i];
      }
      barrier.Wait();
      if (thread != 0) continue;
      for (int i = 0; i < kBreakers; ++i) {
        ASSERT_EQ(admitted[i], allowed);
        const BreakerSnapshot snapshot = breakers[i]->Snapshot(kStart);
        ASSERT_EQ(snapshot.probes_in_flight, allowed);
        ASSERT_EQ(snapshot.invariant_violations, 0u);
      }
    }
  });
}

// resilience4j #1432, opossum #119: a crowd at the end of the wait was let through.
TEST(SharedBreakerStress, ACrowdAtTheEndOfTheWaitGetsTheAllowedProbesOfAStandardBreaker) {
  StandardBreakerOptions standard = QuickBreaker();
  standard.permitted_half_open_calls = 3;
  BreakerOptions options;
  options.kind = standard;
  ExpectProbesAtTheEndOfTheWait(options, 3);
}

TEST(SharedBreakerStress, ACrowdAtTheEndOfTheWaitGetsOneProbeOfAnAdaptiveBreaker) { ExpectProbesAtTheEndOfTheWait({}, 1); }

/// Transitions as a listener may assume them: one at a time, each beginning where the one before ended, none left out.
class ChainChecker {
 public:
  void operator()(const BreakerTransition& t) {
    EXPECT_FALSE(telling_.exchange(true)) << "two transitions told at once";
    EXPECT_EQ(t.from, state_);
    EXPECT_NE(t.to, t.from);
    EXPECT_EQ(t.generation, generation_ + 1);
    state_ = t.to;
    generation_ = t.generation;
    ++transitions_;
    telling_ = false;
  }
  BreakerState state() const { return state_; }
  std::uint64_t generation() const { return generation_; }
  int transitions() const { return transitions_; }

 private:
  std::atomic<bool> telling_{false};
  BreakerState state_ = BreakerState::kClosed;
  std::uint64_t generation_ = 1;
  int transitions_ = 0;
};

// resilience4j #562, #646, #674; Hystrix #1640, #1633, #1781: transitions by hand and by traffic at once left a breaker stuck, or threw.
void ExpectOneEventPerTransition(const BreakerOptions& options) {
  ChainChecker chain;
  const auto breaker = std::make_shared<SharedBreaker>(BreakerId{"t", "s", "m"}, options, MakeBreaker(options, kStart, Random(1)), kStart,
                                                       [&](const SharedBreaker&, const BreakerTransition& t) { chain(t); });
  std::atomic<std::int64_t> clock{0};
  const auto now = [&] { return kStart + kMs * clock.fetch_add(1, std::memory_order_relaxed) / 4; };
  RunThreads(32, [&](int thread) {
    Random random(1000 + thread);
    for (int i = 0; i < 2000; ++i) {
      const double dice = random.Uniform();
      if (dice < 0.02) breaker->ForceOpen(now());
      if (dice > 0.02 && dice < 0.03) breaker->Disable(now());
      if (dice > 0.03 && dice < 0.10) breaker->Reset(now());
      if (dice > 0.10 && dice < 0.15) breaker->FreshEvidence(now());
      const Admission admission = breaker->TryAcquire(now(), kUnary);
      if (!admission.admitted) continue;
      if (random.Uniform() < 0.1) {
        breaker->Drop(admission.permit, now());
      } else {
        const bool works = (i / 100) % 2 == 0;
        breaker->Record(admission.permit, now(), Result(works ? absl::StatusCode::kOk : absl::StatusCode::kUnavailable));
      }
    }
  });
  const BreakerSnapshot snapshot = breaker->Snapshot(now());
  EXPECT_EQ(snapshot.state, chain.state());
  EXPECT_EQ(snapshot.generation, chain.generation());
  EXPECT_EQ(snapshot.permits_in_flight, 0);
  EXPECT_EQ(snapshot.probes_in_flight, 0);
  EXPECT_EQ(snapshot.invariant_violations, 0u);
  EXPECT_GT(chain.transitions(), 100);

  // Not stuck: after a reset it admits and learns again.
  breaker->Reset(now());
  EXPECT_TRUE(breaker->TryAcquire(now(), kUnary).admitted);
}

TEST(SharedBreakerStress, RandomTransitionsOfAStandardBreakerMakeOneEventEach) {
  StandardBreakerOptions standard = QuickBreaker();
  standard.wait = std::chrono::milliseconds(20);
  BreakerOptions options;
  options.kind = standard;
  ExpectOneEventPerTransition(options);
}

TEST(SharedBreakerStress, RandomTransitionsOfAnAdaptiveBreakerMakeOneEventEach) { ExpectOneEventPerTransition({}); }

// Sentinel #2230: a reader at the edge of a time bucket lost samples, or spun.
TEST(SharedBreakerStress, WritersAndAReaderAtBucketEdgesLoseNothing) {
  constexpr int kWriters = 4;
  constexpr int kCalls = 5000;
  StandardBreakerOptions standard;
  standard.window = StandardBreakerOptions::Window::kTime;
  standard.window_time = std::chrono::milliseconds(100);  // ten buckets
  BreakerOptions options;
  options.kind = standard;
  SharedBreaker breaker(BreakerId{"t", "s", "m"}, options, MakeBreaker(options, kStart, Random(1)), kStart, nullptr);
  // All calls fall into nine tenths of the window, so none is too old at the end.
  std::atomic<int> ticks{0};
  const auto now = [&] { return kStart + std::chrono::milliseconds(90) * ticks.fetch_add(1) / (2 * kWriters * kCalls); };
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::int64_t last = 0;
    while (!done) {
      const std::int64_t calls = breaker.Snapshot(kStart).window_calls;
      EXPECT_GE(calls, last);
      EXPECT_LE(calls, kWriters * kCalls);
      last = calls;
    }
  });
  RunThreads(kWriters, [&](int) {
    for (int i = 0; i < kCalls; ++i) {
      const Admission admission = breaker.TryAcquire(now(), kUnary);
      breaker.Record(admission.permit, now(), Result(absl::StatusCode::kOk));
    }
  });
  done = true;
  reader.join();
  EXPECT_EQ(breaker.Snapshot(kStart + std::chrono::milliseconds(90)).window_calls, kWriters * kCalls);
}

}  // namespace
}  // namespace recloser
