#include "recloser/core/adaptive_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr double kMillion = 1e6;
// A context is made of about this many buckets, by count or by age.
constexpr double kBucketsPerContext = 16;
constexpr int kBucketsPerAge = 32;
// n* grows or shrinks by a factor of two in a second at most: ln 2.
constexpr double kLogResize = 0.69314718056;

// Of a value in [0, 1].
std::int64_t Millionths(double value) { return static_cast<std::int64_t>(value * kMillion + 0.5); }

/// Into the totals or a bucket, which differ in the width of their counts.
template <class Sums, class Count>
void AddSample(const WindowSample& sample, int metrics, Sums* sums, Count* known, std::int64_t* score_millionths) {
  ++sums->samples;
  sums->failed += sample.failed ? 1 : 0;
  sums->slow += sample.slow ? 1 : 0;
  if (sample.rating.rating.has_value()) {
    ++sums->rated;
    sums->rating_millionths += Millionths(*sample.rating.rating);
  }
  for (int i = 0; i < metrics; ++i) {
    const std::optional<double>& score = sample.rating.scores[static_cast<std::size_t>(i)];
    if (!score.has_value()) continue;
    ++known[i];
    score_millionths[i] += Millionths(*score);
  }
}

template <class Count>
void RearrangeSums(const MetricOrder& former, const Count* from, int metrics, Count* to) {
  for (int i = 0; i < metrics; ++i) {
    const int was = former[static_cast<std::size_t>(i)];
    to[i] = was < 0 ? 0 : from[was];
  }
}

}  // namespace

absl::Status WindowOptions::Validate(absl::string_view path) const {
  Validator v(path);
  v.InRange("context", context, std::chrono::milliseconds(1), std::chrono::seconds(60));
  v.InRange("max_calls", max_calls, 1, 100000);
  v.InRange("min_calls", min_calls, 1, max_calls);
  v.InRange("max_age", max_age, std::chrono::milliseconds(100), std::chrono::hours(1));
  return v.status();
}

void WindowTotals::Add(const WindowSample& sample) { AddSample(sample, kMaxMetrics, this, known.data(), score_millionths.data()); }

void WindowTotals::Rearrange(const MetricOrder& former) {
  const auto former_known = known;
  const auto former_scores = score_millionths;
  RearrangeSums(former, former_known.data(), kMaxMetrics, known.data());
  RearrangeSums(former, former_scores.data(), kMaxMetrics, score_millionths.data());
}

std::optional<double> WindowTotals::rating() const {
  if (rated == 0) return std::nullopt;
  return static_cast<double>(rating_millionths) / kMillion / static_cast<double>(rated);
}

std::optional<double> WindowTotals::score(int metric) const {
  const auto i = static_cast<std::size_t>(metric);
  if (known[i] == 0) return std::nullopt;
  return static_cast<double>(score_millionths[i]) / kMillion / static_cast<double>(known[i]);
}

AdaptiveWindow::AdaptiveWindow(const WindowOptions& options, int metrics)
    : options_(options),
      target_(options.min_calls),
      metrics_(metrics),
      score_millionths_(static_cast<std::size_t>(kBuckets * metrics)),
      known_(static_cast<std::size_t>(kBuckets * metrics)) {}

inline bool AdaptiveWindow::IsFull(std::int32_t samples, double target) { return samples >= std::max(1.0, target / kBucketsPerContext); }

inline bool AdaptiveWindow::IsOld(const Bucket& bucket, Time now) const {
  return Elapsed(bucket.opened, now) >= options_.max_age / kBucketsPerAge;
}

inline Time AdaptiveWindow::TakesUntil(const Bucket& newest) const {
  const Time expiry = SaturatingAdd(SaturatingAdd(at(0).newest, options_.max_age), Duration(1));
  return std::min(SaturatingAdd(newest.opened, options_.max_age / kBucketsPerAge), expiry);
}

inline bool AdaptiveWindow::IsExpired(const Bucket& bucket, Time now) const { return Elapsed(bucket.newest, now) > options_.max_age; }

inline double AdaptiveWindow::Resized(double target, Duration elapsed, double offered_rate) const {
  const double goal = std::clamp(offered_rate * ToSeconds(options_.context), static_cast<double>(options_.min_calls),
                                 static_cast<double>(options_.max_calls));
  if (goal == target) return target;
  const double seconds = ToSeconds(elapsed);
  // Between two calls of a busy link the power is 1 + x ln 2 to 1e-7, at a tenth of the cost.
  const double factor = seconds < 1e-3 ? 1 + seconds * kLogResize : std::exp(seconds * kLogResize);
  return std::clamp(goal, target / factor, target * factor);
}

void AdaptiveWindow::Enter(Time now, double offered_rate) {
  if (latest_.has_value()) target_ = Resized(target_, Elapsed(*latest_, now), offered_rate);
  latest_ = std::max(now, latest_.value_or(now));
}

void AdaptiveWindow::Add(Time now, const WindowSample& sample, double offered_rate) {
  Enter(now, offered_rate);
  const Place place = CurrentBucket();
  place.bucket->newest = *latest_;
  AddSample(sample, metrics_, place.bucket, place.known, place.scores);
}

void AdaptiveWindow::AddPerfect(absl::Span<const Moment> samples) {
  // As `Add`, but what one bucket takes is added to it in one go, and what changes with each sample is kept in registers.
  while (!samples.empty()) {
    Enter(Time(samples.front().at), samples.front().offered_rate);
    const Place place = CurrentBucket();
    const Bucket& bucket = *place.bucket;
    Time latest = *latest_;
    double target = target_;
    // Until then it takes samples: not older than that, and the oldest of all is still remembered.
    const Time until = TakesUntil(bucket);
    std::size_t count = 1;
    for (; count < samples.size(); ++count) {
      const Time now = std::max(latest, Time(samples[count].at));
      const double resized = Resized(target, Elapsed(latest, now), samples[count].offered_rate);
      if (now >= until || IsFull(bucket.samples + static_cast<std::int32_t>(count), resized)) break;
      latest = now;
      target = resized;
    }
    latest_ = latest;
    target_ = target;
    place.bucket->newest = latest;
    AddPerfect(static_cast<std::int32_t>(count), place);
    samples.remove_prefix(count);
  }
}

void AdaptiveWindow::AddPerfect(std::int32_t count, const Place& place) const {
  const std::int64_t millionths = count * static_cast<std::int64_t>(kMillion);
  place.bucket->samples += count;
  place.bucket->rated += count;
  place.bucket->rating_millionths += millionths;
  for (int i = 0; i < metrics_; ++i) {
    place.known[i] += count;
    place.scores[i] += millionths;
  }
}

WindowTotals AdaptiveWindow::Context(Time now) const {
  WindowTotals totals;
  if (!latest_.has_value()) return totals;
  now = std::max(now, *latest_);
  for (int i = used_ - 1; i >= 0 && totals.samples < target_calls(); --i) {
    const Bucket& bucket = at(i);
    if (IsExpired(bucket, now)) break;
    AddTo(i, &totals);
    totals.span = Elapsed(bucket.opened, now);
  }
  return totals;
}

int AdaptiveWindow::target_calls() const { return static_cast<int>(target_); }

void AdaptiveWindow::Clear() { used_ = 0; }

void AdaptiveWindow::Reconfigure(const WindowOptions& options) {
  options_ = options;
  target_ = std::clamp(target_, static_cast<double>(options.min_calls), static_cast<double>(options.max_calls));
}

void AdaptiveWindow::Rearrange(const MetricOrder& former, int metrics) {
  const auto scores = std::exchange(score_millionths_, std::vector<std::int64_t>(static_cast<std::size_t>(kBuckets * metrics)));
  const auto known = std::exchange(known_, std::vector<std::int32_t>(static_cast<std::size_t>(kBuckets * metrics)));
  for (int i = 0; i < kBuckets; ++i) {
    RearrangeSums(former, scores.data() + i * metrics_, metrics, score_millionths_.data() + i * metrics);
    RearrangeSums(former, known.data() + i * metrics_, metrics, known_.data() + i * metrics);
  }
  metrics_ = metrics;
}

AdaptiveWindow::Place AdaptiveWindow::place(int i) {
  const int bucket = index(i);
  return {&ring_[static_cast<std::size_t>(bucket)], score_millionths_.data() + bucket * metrics_, known_.data() + bucket * metrics_};
}

void AdaptiveWindow::AddTo(int i, WindowTotals* totals) const {
  const Bucket& bucket = at(i);
  totals->samples += bucket.samples;
  totals->failed += bucket.failed;
  totals->slow += bucket.slow;
  totals->rated += bucket.rated;
  totals->rating_millionths += bucket.rating_millionths;
  for (int m = 0; m < metrics_; ++m) {
    const auto from = static_cast<std::size_t>(index(i) * metrics_ + m);
    totals->known[static_cast<std::size_t>(m)] += known_[from];
    totals->score_millionths[static_cast<std::size_t>(m)] += score_millionths_[from];
  }
}

void AdaptiveWindow::DropExpired() {
  while (used_ > 0 && IsExpired(at(0), *latest_)) {
    first_ = (first_ + 1) % kBuckets;
    --used_;
  }
}

AdaptiveWindow::Place AdaptiveWindow::CurrentBucket() {
  DropExpired();
  if (used_ > 0) {
    const Place last = place(used_ - 1);
    if (!IsFull(last.bucket->samples, target_) && !IsOld(*last.bucket, *latest_)) return last;
  }
  if (used_ == kBuckets) MergeOldest();
  const Place next = place(used_++);
  *next.bucket = Bucket();
  next.bucket->opened = *latest_;
  std::fill_n(next.known, metrics_, 0);
  std::fill_n(next.scores, metrics_, 0);
  return next;
}

void AdaptiveWindow::MergeOldest() {
  const Place older = place(0);
  const Place merged = place(1);
  merged.bucket->opened = older.bucket->opened;
  merged.bucket->samples += older.bucket->samples;
  merged.bucket->failed += older.bucket->failed;
  merged.bucket->slow += older.bucket->slow;
  merged.bucket->rated += older.bucket->rated;
  merged.bucket->rating_millionths += older.bucket->rating_millionths;
  for (int i = 0; i < metrics_; ++i) {
    merged.known[i] += older.known[i];
    merged.scores[i] += older.scores[i];
  }
  first_ = (first_ + 1) % kBuckets;
  --used_;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
