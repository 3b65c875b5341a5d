// A bounded history of every breaker's main numbers, so that a freshly opened page has charts to show.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_PAGE_SRC_COURSE_H_
#define RECLOSER_PAGE_SRC_COURSE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "recloser/core/breaker.h"
#include "recloser/core/registry.h"
#include "recloser/core/time.h"
#include "recloser/page/v1/status.pb.h"

namespace recloser::page {

class SampledCourse {
 public:
  /// Some 30 MB of JSON.
  static constexpr std::size_t kMaxPoints = 1'000'000;

  /// Keeps the last `samples` samples, which are taken over `length`; their times are told as seconds since `started`. At most `max_points`
  /// numbers of a kind, samples times breakers, are told at once.
  SampledCourse(std::size_t samples, Duration length, Time started, std::size_t max_points = kMaxPoints)
      : samples_(samples), length_(length), started_(started), max_points_(max_points) {}

  /// One sample of each of the registry's breakers.
  void Sample(Registry& registry, Time now);

  /// The samples numbered `first` and above, as far as they are kept; of more than `max_points` the newest, at least one. The first sample
  /// ever has number 0.
  v1::Course Since(std::uint64_t first) const;

 private:
  struct Point {
    float rating;  // NaN: unknown
    float offered_rate;
    float admitted_share;
    float rejected_rate;
  };
  struct Breaker {
    std::deque<Point> points;  // of the latest samples
    std::uint64_t rejected = 0;
    Time at{};  // of the last sample
  };
  using Key = std::pair<std::string, std::string>;  // target, name

  static Point Unknown();
  static Point PointOf(const BreakerSnapshot& snapshot, Time now, Breaker* breaker);
  v1::BreakerCourse CourseOf(const Key& key, const Breaker& breaker, std::size_t samples) const;

  const std::size_t samples_;
  const Duration length_;
  const Time started_;
  const std::size_t max_points_;
  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  std::uint64_t next_ = 0;    // number of the next sample
  std::deque<double> times_;  // of the samples kept
  absl::btree_map<Key, Breaker> breakers_;
};

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_COURSE_H_
