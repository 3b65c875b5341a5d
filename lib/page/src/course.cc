#include "course.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "recloser/core/utf8.h"

namespace recloser::page {
namespace {

/// Three decimals are more than a chart shows, and keep the JSON short.
float Rounded(double value) { return static_cast<float>(std::round(value * 1000) / 1000); }

}  // namespace

SampledCourse::Point SampledCourse::Unknown() { return {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0}; }

SampledCourse::Point SampledCourse::PointOf(const BreakerSnapshot& snapshot, Time now, Breaker* breaker) {
  Point point = Unknown();
  if (snapshot.rating.has_value()) point.rating = Rounded(*snapshot.rating);
  point.offered_rate = Rounded(snapshot.offered_rate);
  point.admitted_share = Rounded(snapshot.admitted_share);
  const double seconds = ToSeconds(Elapsed(breaker->at, now));
  if (breaker->at != Time{} && seconds > 0) {
    point.rejected_rate = Rounded(static_cast<double>(snapshot.rejected - breaker->rejected) / seconds);
  }
  breaker->rejected = snapshot.rejected;
  breaker->at = now;
  return point;
}

void SampledCourse::Sample(Registry& registry, Time now) {
  std::vector<std::pair<Key, BreakerSnapshot>> snapshots;
  for (const std::shared_ptr<SharedBreaker>& breaker : registry.List()) {
    // A custom breaker is the application's code.
    registry.Guard([&] { snapshots.emplace_back(Key(breaker->id().target, breaker->id().name()), breaker->Snapshot(now)); });
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  ++next_;
  times_.push_back(ToSeconds(Elapsed(started_, now)));
  if (times_.size() > samples_) times_.pop_front();
  for (auto& [key, breaker] : breakers_) breaker.points.push_back(Unknown());
  for (const auto& [key, snapshot] : snapshots) {
    const auto [at, added] = breakers_.try_emplace(key);
    if (added) at->second.points.push_back(Unknown());
    at->second.points.back() = PointOf(snapshot, now, &at->second);
  }
  for (auto& [key, breaker] : breakers_) {
    if (breaker.points.size() > samples_) breaker.points.pop_front();
  }
}

v1::BreakerCourse SampledCourse::CourseOf(const Key& key, const Breaker& breaker, std::size_t samples) const {
  v1::BreakerCourse course;
  course.set_target(ToUtf8(key.first));
  course.set_name(ToUtf8(key.second));
  const std::size_t count = std::min(samples, breaker.points.size());
  for (auto point = breaker.points.end() - static_cast<std::ptrdiff_t>(count); point != breaker.points.end(); ++point) {
    course.add_rating(point->rating);
    course.add_offered_rate(point->offered_rate);
    course.add_admitted_share(point->admitted_share);
    course.add_rejected_rate(point->rejected_rate);
  }
  return course;
}

v1::Course SampledCourse::Since(std::uint64_t first) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::uint64_t oldest = next_ - times_.size();
  const std::uint64_t most = std::max<std::uint64_t>(max_points_ / std::max<std::size_t>(breakers_.size(), 1), 1);
  const std::uint64_t from = std::max(std::clamp(first, oldest, next_), next_ - std::min(next_, most));
  const auto samples = static_cast<std::size_t>(next_ - from);
  v1::Course course;
  course.set_first(static_cast<double>(from));
  course.set_length_seconds(ToSeconds(length_));
  for (auto time = times_.end() - static_cast<std::ptrdiff_t>(samples); time != times_.end(); ++time) {
    course.add_uptime_seconds(std::round(*time * 1000) / 1000);
  }
  for (const auto& [key, breaker] : breakers_) *course.add_breakers() = CourseOf(key, breaker, samples);
  return course;
}

}  // namespace recloser::page
