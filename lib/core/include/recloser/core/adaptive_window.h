// A sliding window that sizes itself by the load at run time.
//
// The context is the newest n* samples not older than `max_age`, n* = clamp(offered rate * `context`, min_calls, max_calls). Samples
// sit in a ring of buckets with integer sums; a bucket is closed after n*/16 samples or max_age/32, whichever comes first, so the context
// is exact to one bucket. Resizing moves no data, counts nothing twice and loses nothing within `max_age`: when the ring is full its two
// oldest buckets are merged. n* itself changes at a limited rate (a factor of two per second), so a square wave of load does not make it
// thrash.
//
//   AdaptiveWindow window(options);
//   window.Add(now, sample, offered_rate);
//   WindowTotals context = window.Context(now);
//
// Time that stands still or steps back is harmless: it counts as standing still. Thread safety: none.
#ifndef RECLOSER_CORE_ADAPTIVE_WINDOW_H_
#define RECLOSER_CORE_ADAPTIVE_WINDOW_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "recloser/core/export.h"
#include "recloser/core/rating.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

struct WindowOptions {
  /// How much time of the offered load makes a context. Range: 1 ms to 60 s. Default 100 ms.
  Duration context = std::chrono::milliseconds(100);
  /// Range: 1 to max_calls. Default 20.
  int min_calls = 20;
  /// Range: min_calls to 100000. Default 1000.
  int max_calls = 1000;
  /// Evidence older than this is dropped. Range: 100 ms to 1 h. Default 10 s.
  Duration max_age = std::chrono::seconds(10);

  absl::Status Validate(absl::string_view path) const;
};

/// One sample as the window keeps it.
struct WindowSample {
  bool failed = false;
  bool slow = false;
  RatingSample rating;
};

/// For each place in a list of metrics, the place where that metric was before; -1 for a new one.
using MetricOrder = std::array<int, kMaxMetrics>;

/// Sums over a part of the window. Scores and ratings are in millionths.
struct WindowTotals {
  std::int64_t samples = 0;
  std::int64_t failed = 0;
  std::int64_t slow = 0;  // slow answers and attempts marked in flight
  std::int64_t rated = 0;
  std::int64_t rating_millionths = 0;
  std::array<std::int64_t, kMaxMetrics> known{};
  std::array<std::int64_t, kMaxMetrics> score_millionths{};
  /// Age of the oldest sample's bucket; zero when empty.
  Duration span = Duration::zero();

  void Add(const WindowSample& sample);
  void Rearrange(const MetricOrder& former);
  std::optional<double> rating() const;
  std::optional<double> score(int metric) const;
};

class AdaptiveWindow {
 public:
  /// `metrics`: how many there are; samples have no scores beyond.
  explicit AdaptiveWindow(const WindowOptions& options, int metrics = kMaxMetrics);

  void Add(Time now, const WindowSample& sample, double offered_rate);

  struct Moment {
    /// Since the origin of the clock. Not a `Time`, which arrays of these would not leave uninitialised.
    Duration at;
    double offered_rate;
  };
  /// The same for good and quick attempts, one after the other: all their scores are 1.
  void AddPerfect(absl::Span<const Moment> samples);

  /// The sums over the context. Const: asking changes nothing.
  WindowTotals Context(Time now) const;
  /// n*, the size the context aims at.
  int target_calls() const;
  /// Forgets all samples; n* stays.
  void Clear();
  /// Other options for what there is: no sample is lost or counted again, as long as it is within the new bounds.
  void Reconfigure(const WindowOptions& options);
  /// There are `metrics` now, in other places: their sums move with them.
  void Rearrange(const MetricOrder& former, int metrics);

 private:
  /// A part of `WindowTotals`, packed: a breaker's idle memory is mostly these.
  struct Bucket {
    Time opened{};  // of its oldest sample
    Time newest{};
    std::int64_t rating_millionths = 0;
    std::int32_t samples = 0;
    std::int32_t failed = 0;
    std::int32_t slow = 0;
    std::int32_t rated = 0;
  };
  /// A bucket and its part of the sums by metric.
  struct Place {
    Bucket* bucket;
    std::int64_t* scores;
    std::int32_t* known;
  };
  /// 16 closed by count, 32 by age: more is only needed while n* grows.
  static constexpr int kBuckets = 40;

  WindowOptions options_;
  double target_;
  std::optional<Time> latest_;
  int first_ = 0;  // index of the oldest bucket
  int used_ = 0;
  int metrics_;
  std::array<Bucket, kBuckets> ring_;
  // For each bucket its metrics, one after the other.
  std::vector<std::int64_t> score_millionths_;
  std::vector<std::int32_t> known_;

  /// In `ring_`, of the bucket that is the `i`th from the oldest.
  int index(int i) const { return (first_ + i) % kBuckets; }
  const Bucket& at(int i) const { return ring_[static_cast<std::size_t>(index(i))]; }
  Place place(int i);
  /// No sample goes into a bucket of so many any more, with n* `target`.
  static bool IsFull(std::int32_t samples, double target);
  /// Nor into this one at `now`.
  bool IsOld(const Bucket& bucket, Time now) const;
  /// It is forgotten at `now`.
  bool IsExpired(const Bucket& bucket, Time now) const;
  /// From then on a sample finds this, the newest one, old, or the oldest one expired.
  Time TakesUntil(const Bucket& newest) const;
  void AddPerfect(std::int32_t count, const Place& place) const;
  void AddTo(int i, WindowTotals* totals) const;
  void Enter(Time now, double offered_rate);
  /// n* after that time, when it was `target`.
  double Resized(double target, Duration elapsed, double offered_rate) const;
  void DropExpired();
  /// The one that a sample of the latest time belongs into.
  Place CurrentBucket();
  void MergeOldest();
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_ADAPTIVE_WINDOW_H_
