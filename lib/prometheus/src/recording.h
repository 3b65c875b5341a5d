// What calls write into: a counter and a histogram without locks.
//
// prometheus::Histogram takes a mutex in Observe (1.0.1), so two calls of one method would wait for each other, and a scrape for both; here
// a record is one atomic addition per field. Counts are integers: a double stops counting ones at 2^53.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_PROMETHEUS_SRC_RECORDING_H_
#define RECLOSER_PROMETHEUS_SRC_RECORDING_H_

#include <prometheus/client_metric.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class Count {
 public:
  void Increment() { Add(1); }
  void Add(std::uint64_t n) { value_.fetch_add(n, std::memory_order_release); }
  /// What happened before an increment that is seen here is seen too: read "ended" before "started", and never more ended than started.
  std::uint64_t value() const { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Threads write to different copies of a hot counter, or they would wait for each other's cache line; a scrape adds the copies up.
inline constexpr std::size_t kShards = 8;

/// The calling thread's copy.
inline std::size_t ThreadShard() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t shard = threads.fetch_add(1, std::memory_order_relaxed) % kShards;
  return shard;
}

/// Upper bounds of the buckets, ascending; the last bucket, without a bound, makes 16.
using Bounds = std::array<Duration, 15>;

/// A cut of gRFC A66's latency buckets: each bound is one of theirs, so that sums over both agree.
inline constexpr Bounds kLatencyBounds = {std::chrono::microseconds(100), std::chrono::microseconds(300), std::chrono::milliseconds(1),
                                          std::chrono::milliseconds(2),   std::chrono::milliseconds(5),   std::chrono::milliseconds(10),
                                          std::chrono::milliseconds(25),  std::chrono::milliseconds(50),  std::chrono::milliseconds(100),
                                          std::chrono::milliseconds(250), std::chrono::milliseconds(500), std::chrono::seconds(1),
                                          std::chrono::seconds(2),        std::chrono::seconds(5),        std::chrono::seconds(10)};

/// From the shortest back-off worth seeing to the longest pushback that is honoured.
inline constexpr Bounds kBackoffBounds = {std::chrono::milliseconds(1),   std::chrono::microseconds(2500), std::chrono::milliseconds(5),
                                          std::chrono::milliseconds(10),  std::chrono::milliseconds(25),   std::chrono::milliseconds(50),
                                          std::chrono::milliseconds(100), std::chrono::milliseconds(250),  std::chrono::milliseconds(500),
                                          std::chrono::seconds(1),        std::chrono::milliseconds(2500), std::chrono::seconds(5),
                                          std::chrono::seconds(10),       std::chrono::seconds(60),        std::chrono::seconds(300)};

/// From the shortest wait for a probe to an hour.
inline constexpr Bounds kOpenBounds = {std::chrono::milliseconds(50),  std::chrono::milliseconds(100), std::chrono::milliseconds(250),
                                       std::chrono::milliseconds(500), std::chrono::seconds(1),        std::chrono::seconds(2),
                                       std::chrono::seconds(5),        std::chrono::seconds(10),       std::chrono::seconds(20),
                                       std::chrono::seconds(30),       std::chrono::seconds(60),       std::chrono::seconds(120),
                                       std::chrono::seconds(300),      std::chrono::seconds(600),      std::chrono::seconds(3600)};

/// What several histograms with the same bounds hold together.
struct DurationTotals {
  std::array<std::uint64_t, std::tuple_size<Bounds>::value + 1> buckets{};
  std::uint64_t sum_units = 0;

  /// The count is the sum of the buckets, so the two always agree; the sum of durations may run ahead by observations being made.
  prometheus::ClientMetric::Histogram Export(const Bounds& bounds) const;
};

class DurationHistogram {
 public:
  /// `bounds` must outlive the histogram.
  explicit DurationHistogram(const Bounds& bounds) : bounds_(&bounds) {}

  /// Negative counts as zero.
  void Observe(Duration duration);
  void AddTo(DurationTotals* totals) const;

 private:
  const Bounds* bounds_;
  std::array<Count, std::tuple_size<Bounds>::value + 1> buckets_;
  Count sum_units_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_SRC_RECORDING_H_
