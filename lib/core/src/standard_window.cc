#include "standard_window.h"

#include <algorithm>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

Duration Slice(const StandardBreakerOptions& options) { return std::min<Duration>(std::chrono::seconds(1), options.window_time / 10); }

constexpr std::uint8_t kFailedBit = 1;
constexpr std::uint8_t kSlowBit = 2;

}  // namespace

void CallCounts::Add(const CallCounts& other) {
  calls += other.calls;
  failed += other.failed;
  slow += other.slow;
}

void CallCounts::Subtract(const CallCounts& other) {
  calls -= other.calls;
  failed -= other.failed;
  slow -= other.slow;
}

StandardWindow::StandardWindow(const StandardBreakerOptions& options, Time now)
    : by_time_(options.window == StandardBreakerOptions::Window::kTime), slice_(Slice(options)), origin_(now) {
  if (by_time_) {
    buckets_.resize(static_cast<std::size_t>((options.window_time + slice_ - Duration(1)) / slice_));
  } else {
    ring_.resize(static_cast<std::size_t>(options.window_calls));
  }
}

void StandardWindow::Add(Time now, bool failed, bool slow) {
  const CallCounts call{1, failed ? 1 : 0, slow ? 1 : 0};
  by_time_ ? AddToTimeWindow(now, call) : AddToCountWindow(call);
}

CallCounts StandardWindow::Totals(Time now) const {
  if (!by_time_) return totals_;
  CallCounts totals = totals_;
  const auto size = static_cast<std::int64_t>(buckets_.size());
  const std::int64_t expired = std::min(SliceOf(now) - newest_, size);
  for (std::int64_t i = 1; i <= expired; ++i) totals.Subtract(buckets_[static_cast<std::size_t>((newest_ + i) % size)]);
  return totals;
}

void StandardWindow::Clear() {
  totals_ = {};
  next_ = 0;
  std::fill(buckets_.begin(), buckets_.end(), CallCounts());
}

StandardWindow StandardWindow::Reshaped(const StandardBreakerOptions& options, Time now) const {
  StandardWindow next(options, origin_);
  if (!by_time_) {
    const std::size_t size = ring_.size();
    const auto calls = static_cast<std::size_t>(totals_.calls);
    for (std::size_t i = size - calls; i < size; ++i) {
      const std::uint8_t entry = ring_[(next_ + i) % size];
      next.Add(now, (entry & kFailedBit) != 0, (entry & kSlowBit) != 0);
    }
    return next;
  }
  const auto size = static_cast<std::int64_t>(buckets_.size());
  for (std::int64_t slice = std::max<std::int64_t>(SliceOf(now) - size + 1, 0); slice <= newest_; ++slice) {
    const CallCounts& bucket = buckets_[static_cast<std::size_t>(slice % size)];
    next.by_time_ ? next.AddToTimeWindow(SaturatingAdd(origin_, slice * slice_), bucket) : next.AddMixed(bucket);
  }
  return next;
}

void StandardWindow::AddToCountWindow(const CallCounts& call) {
  const auto size = static_cast<std::int64_t>(ring_.size());
  std::uint8_t& entry = ring_[next_];
  if (totals_.calls == size) totals_.Subtract({1, (entry & kFailedBit) != 0 ? 1 : 0, (entry & kSlowBit) != 0 ? 1 : 0});
  entry = static_cast<std::uint8_t>((call.failed != 0 ? kFailedBit : 0) | (call.slow != 0 ? kSlowBit : 0));
  next_ = (next_ + 1) % ring_.size();
  totals_.Add(call);
}

void StandardWindow::AddToTimeWindow(Time now, const CallCounts& calls) {
  const auto size = static_cast<std::int64_t>(buckets_.size());
  const std::int64_t slice = SliceOf(now);
  const std::int64_t expired = std::min(slice - newest_, size);
  for (std::int64_t i = 1; i <= expired; ++i) {
    CallCounts& bucket = buckets_[static_cast<std::size_t>((newest_ + i) % size)];
    totals_.Subtract(bucket);
    bucket = {};
  }
  newest_ = std::max(newest_, slice);
  buckets_[static_cast<std::size_t>(newest_ % size)].Add(calls);
  totals_.Add(calls);
}

void StandardWindow::AddMixed(const CallCounts& calls) {
  // Bresenham's line: of the first i calls i * failed / calls have failed.
  const auto falls = [&](std::int64_t i, std::int64_t of) { return i * of / calls.calls - (i - 1) * of / calls.calls; };
  const std::int64_t fit = std::min(calls.calls, static_cast<std::int64_t>(ring_.size()));
  for (std::int64_t i = calls.calls - fit + 1; i <= calls.calls; ++i) AddToCountWindow({1, falls(i, calls.failed), falls(i, calls.slow)});
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
