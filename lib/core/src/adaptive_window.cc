#include "recloser/core/adaptive_window.h"

#include <algorithm>
#include <cmath>

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

// `Sums`: the totals or a bucket, which differ in the width of their counts.
template <class Sums>
void AddSample(const WindowSample& sample, Sums* sums) {
  ++sums->samples;
  sums->failed += sample.failed ? 1 : 0;
  sums->slow += sample.slow ? 1 : 0;
  if (sample.rating.rating.has_value()) {
    ++sums->rated;
    sums->rating_millionths += Millionths(*sample.rating.rating);
  }
  for (std::size_t i = 0; i < kMaxMetrics; ++i) {
    if (!sample.rating.scores[i].has_value()) continue;
    ++sums->known[i];
    sums->score_millionths[i] += Millionths(*sample.rating.scores[i]);
  }
}

template <class From, class To>
void AddSums(const From& from, To* to) {
  to->samples += from.samples;
  to->failed += from.failed;
  to->slow += from.slow;
  to->rated += from.rated;
  to->rating_millionths += from.rating_millionths;
  for (std::size_t i = 0; i < kMaxMetrics; ++i) {
    to->known[i] += from.known[i];
    to->score_millionths[i] += from.score_millionths[i];
  }
}

template <class Sums>
void RearrangeSums(const MetricOrder& former, Sums* sums) {
  const auto known = sums->known;
  const auto scores = sums->score_millionths;
  for (std::size_t i = 0; i < kMaxMetrics; ++i) {
    const bool is_new = former[i] < 0;
    sums->known[i] = is_new ? 0 : known[static_cast<std::size_t>(former[i])];
    sums->score_millionths[i] = is_new ? 0 : scores[static_cast<std::size_t>(former[i])];
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

void WindowTotals::Add(const WindowSample& sample) { AddSample(sample, this); }

void WindowTotals::Rearrange(const MetricOrder& former) { RearrangeSums(former, this); }

std::optional<double> WindowTotals::rating() const {
  if (rated == 0) return std::nullopt;
  return static_cast<double>(rating_millionths) / kMillion / static_cast<double>(rated);
}

std::optional<double> WindowTotals::score(int metric) const {
  const auto i = static_cast<std::size_t>(metric);
  if (known[i] == 0) return std::nullopt;
  return static_cast<double>(score_millionths[i]) / kMillion / static_cast<double>(known[i]);
}

void AdaptiveWindow::Bucket::Add(const WindowSample& sample) { AddSample(sample, this); }

void AdaptiveWindow::Bucket::Merge(const Bucket& older) {
  opened = older.opened;
  AddSums(older, this);
}

void AdaptiveWindow::Bucket::Rearrange(const MetricOrder& former) { RearrangeSums(former, this); }

void AdaptiveWindow::Bucket::AddTo(WindowTotals* totals) const { AddSums(*this, totals); }

AdaptiveWindow::AdaptiveWindow(const WindowOptions& options) : options_(options), target_(options.min_calls) {}

void AdaptiveWindow::Add(Time now, const WindowSample& sample, double offered_rate) {
  if (latest_.has_value()) Resize(Elapsed(*latest_, now), offered_rate);
  latest_ = std::max(now, latest_.value_or(now));
  DropExpired();
  Bucket& bucket = CurrentBucket();
  bucket.newest = *latest_;
  bucket.Add(sample);
}

WindowTotals AdaptiveWindow::Context(Time now) const {
  WindowTotals totals;
  if (!latest_.has_value()) return totals;
  now = std::max(now, *latest_);
  for (int i = used_ - 1; i >= 0 && totals.samples < target_calls(); --i) {
    const Bucket& bucket = at(i);
    if (Elapsed(bucket.newest, now) > options_.max_age) break;
    bucket.AddTo(&totals);
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

void AdaptiveWindow::Rearrange(const MetricOrder& former) {
  for (int i = 0; i < used_; ++i) at(i).Rearrange(former);
}

void AdaptiveWindow::Resize(Duration elapsed, double offered_rate) {
  const double goal = std::clamp(offered_rate * ToSeconds(options_.context), static_cast<double>(options_.min_calls),
                                 static_cast<double>(options_.max_calls));
  if (goal == target_) return;
  const double seconds = ToSeconds(elapsed);
  // Between two calls of a busy link the power is 1 + x ln 2 to 1e-7, at a tenth of the cost.
  const double factor = seconds < 1e-3 ? 1 + seconds * kLogResize : std::exp(seconds * kLogResize);
  target_ = std::clamp(goal, target_ / factor, target_ * factor);
}

void AdaptiveWindow::DropExpired() {
  while (used_ > 0 && Elapsed(at(0).newest, *latest_) > options_.max_age) {
    first_ = (first_ + 1) % kBuckets;
    --used_;
  }
}

AdaptiveWindow::Bucket& AdaptiveWindow::CurrentBucket() {
  if (used_ > 0) {
    Bucket& last = at(used_ - 1);
    const bool full = last.samples >= std::max(1.0, target_ / kBucketsPerContext);
    if (!full && Elapsed(last.opened, *latest_) < options_.max_age / kBucketsPerAge) return last;
  }
  if (used_ == kBuckets) {
    at(1).Merge(at(0));
    first_ = (first_ + 1) % kBuckets;
    --used_;
  }
  Bucket& bucket = at(used_++);
  bucket = Bucket();
  bucket.opened = *latest_;
  return bucket;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
