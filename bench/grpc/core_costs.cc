#include "core_costs.h"

#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "busy_breaker.h"
#include "recloser/channel.h"
#include "recloser/core/shared_breaker.h"

namespace recloser::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTimes = 20'000;
constexpr int kBreakers = 64;
constexpr int kCallsToFillAWindow = 5'000;

template <class Value>
void Use(const Value& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

void ReadClocks(int times) {
  for (int i = 0; i < times; ++i) Use(Now());
}

void Add(std::atomic<std::int64_t>* counter, int times) {
  for (int i = 0; i < times; ++i) counter->fetch_add(1, std::memory_order_relaxed);
}

void Lock(std::mutex* mutex, int times) {
  std::int64_t guarded = 0;
  for (int i = 0; i < times; ++i) {
    const std::lock_guard<std::mutex> lock(*mutex);
    Use(++guarded);
  }
}

void PermitAndRecord(SharedBreaker* breaker, int times) {
  const AttemptResult healthy;
  for (int i = 0; i < times; ++i) {
    const Admission admission = breaker->TryAcquire(Now(), {});
    Use(breaker->Record(admission.permit, Now(), healthy));
  }
}

using Body = std::function<void(int times)>;

double NanosecondsEach(const Body& body) {
  const Clock::time_point begin = Clock::now();
  body(kTimes);
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kTimes;
}

/// The mean of two threads that do it at the same time.
double NanosecondsEachOfTwo(const Body& body) {
  std::atomic<int> ready{0};
  const auto run = [&] {
    ready.fetch_add(1);
    while (ready.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    return NanosecondsEach(body);
  };
  double other = 0;
  std::thread thread([&] { other = run(); });
  const double mine = run();
  thread.join();
  return (mine + other) / 2;
}

double HeapBytes() {
  const struct mallinfo2 heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd);
}

/// Two threads call it: it has a shard for each.
double BytesPerBreaker() {
  std::vector<std::shared_ptr<SharedBreaker>> breakers;
  breakers.reserve(kBreakers);
  const double before = HeapBytes();
  for (int i = 0; i < kBreakers; ++i) {
    breakers.push_back(MakeShared({}, Now()));
    const auto fill = [&breakers] { PermitAndRecord(breakers.back().get(), kCallsToFillAWindow); };
    std::thread thread(fill);
    fill();
    thread.join();
  }
  return (HeapBytes() - before) / kBreakers;
}

}  // namespace

const CoreCosts::Operation* CoreCosts::Find(const std::string& name) const {
  for (const Operation& operation : operations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

std::vector<double> CoreCosts::PermitAndRecordAlone() const {
  std::vector<double> alone;
  const Operation* const whole = Find(kPermitAndRecord);
  const Operation* const clock = Find(kClockRead);
  if (whole == nullptr || clock == nullptr) return alone;
  for (std::size_t i = 0; i < whole->one_thread.size() && i < clock->one_thread.size(); ++i) {
    alone.push_back(whole->one_thread[i] - 2 * clock->one_thread[i]);
  }
  return alone;
}

std::vector<double> CoreCosts::TwoThreadsByOne() const {
  std::vector<double> ratios;
  const Operation* const operation = Find(kPermitAndRecord);
  if (operation == nullptr) return ratios;
  for (std::size_t i = 0; i < operation->two_threads.size() && i < operation->one_thread.size(); ++i) {
    ratios.push_back(operation->two_threads[i] / operation->one_thread[i]);
  }
  return ratios;
}

CoreCosts MeasureCore(int rounds, const demo::Interrupt& interrupt) {
  CoreCosts costs;
  costs.bytes_per_breaker = BytesPerBreaker();
  const std::shared_ptr<SharedBreaker> breaker = MakeBusy({}, Now());
  std::atomic<std::int64_t> counter{0};
  std::mutex mutex;
  const std::vector<std::pair<std::string, Body>> bodies = {
      {kClockRead, ReadClocks},
      {kAtomicAdd, [&](int times) { Add(&counter, times); }},
      {kMutex, [&](int times) { Lock(&mutex, times); }},
      {kPermitAndRecord, [&](int times) { PermitAndRecord(breaker.get(), times); }},
  };
  for (const auto& [name, body] : bodies) {
    body(kTimes);
    costs.operations.push_back({name, {}, {}});
  }
  for (int round = 0; round < rounds && !interrupt.requested(); ++round) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      costs.operations[i].one_thread.push_back(NanosecondsEach(bodies[i].second));
      costs.operations[i].two_threads.push_back(NanosecondsEachOfTwo(bodies[i].second));
    }
  }
  return costs;
}

}  // namespace recloser::bench
