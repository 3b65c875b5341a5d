// A permit and its record on one shared breaker, with one and two threads, beside what they are to be measured against: an atomic addition,
// a mutex and two reads of the steady clock, in the same run.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "busy_breaker.h"
#include "clock.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {
namespace {

void AtomicAdd(benchmark::State& state) {
  static std::atomic<std::int64_t> counter{0};
  for (auto _ : state) counter.fetch_add(1, std::memory_order_relaxed);
}
BENCHMARK(AtomicAdd)->Threads(1)->Threads(2)->UseRealTime();

void MutexLock(benchmark::State& state) {
  static std::mutex mutex;
  static std::int64_t counter = 0;
  for (auto _ : state) {
    const std::lock_guard<std::mutex> lock(mutex);
    benchmark::DoNotOptimize(++counter);
  }
}
BENCHMARK(MutexLock)->Threads(1)->Threads(2)->UseRealTime();

void TwoClockReads(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(ReadClock());
    benchmark::DoNotOptimize(ReadClock());
  }
}
BENCHMARK(TwoClockReads)->Threads(1)->Threads(2)->UseRealTime();

BreakerOptions Standard() {
  BreakerOptions options;
  options.kind = StandardBreakerOptions{};
  return options;
}

/// One healthy attempt per round: the clock read at its start and its end, as every caller must.
void PermitAndRecord(benchmark::State& state, const BreakerOptions& options) {
  static std::shared_ptr<SharedBreaker> breaker;
  if (state.thread_index() == 0) breaker = MakeBusy(options, ReadClock());
  const AttemptResult healthy;
  for (auto _ : state) {
    const Admission admission = breaker->TryAcquire(ReadClock(), {});
    benchmark::DoNotOptimize(breaker->Record(admission.permit, ReadClock(), healthy));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(PermitAndRecord, adaptive, BreakerOptions{})->Threads(1)->Threads(2)->UseRealTime();
BENCHMARK_CAPTURE(PermitAndRecord, standard, Standard())->Threads(1)->Threads(2)->UseRealTime();

/// Bytes that a breaker takes which as many threads call as there are processors: machine, window, shards. They are the counter `bytes`.
void BreakerMemory(benchmark::State& state) {
  constexpr int kBreakers = 64;
  double bytes = 0;
  for (auto _ : state) {
    std::vector<std::shared_ptr<SharedBreaker>> breakers;
    breakers.reserve(kBreakers);
    const std::size_t before = mallinfo2().uordblks;
    for (int i = 0; i < kBreakers; ++i) breakers.push_back(MakeShared({}, ReadClock()));
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
      threads.emplace_back([&] {
        for (const auto& breaker : breakers) {
          for (int i = 0; i < 1000; ++i) breaker->Record(breaker->TryAcquire(ReadClock(), {}).permit, ReadClock(), {});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    bytes = static_cast<double>(mallinfo2().uordblks - before) / kBreakers;
  }
  state.counters["bytes"] = bytes;
}
BENCHMARK(BreakerMemory)->Iterations(1);

/// What a caller pays whom an open breaker turns away.
void Reject(benchmark::State& state) {
  static std::shared_ptr<SharedBreaker> breaker;
  if (state.thread_index() == 0) {
    breaker = MakeShared({}, ReadClock());
    breaker->ForceOpen(ReadClock());
  }
  for (auto _ : state) benchmark::DoNotOptimize(breaker->TryAcquire(ReadClock(), {}).admitted);
}
BENCHMARK(Reject)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace recloser
