// The built-in metrics, and the ambient ones.
#include <algorithm>
#include <cmath>
#include <utility>

#include "recloser/core/rating.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

class Errors final : public Metric {
 public:
  absl::string_view name() const override { return "errors"; }
  std::optional<double> Score(const AttemptObservation& a) const override {
    if (a.marked) return std::nullopt;
    return a.outcome == Outcome::kFailure ? 0 : 1;
  }
};

class Latency final : public Metric {
 public:
  absl::string_view name() const override { return "latency"; }
  std::optional<double> Score(const AttemptObservation& a) const override {
    // A failure says nothing about latency: a service that refuses in 50 us is not a fast one.
    if (a.streaming || (!a.marked && a.outcome != Outcome::kSuccess)) return std::nullopt;
    if (a.duration >= a.slow_call_duration) return 0;
    if (!a.healthy_latency.has_value()) return 1;
    const double usual = 2 * ToSeconds(*a.healthy_latency);
    const double slow = ToSeconds(a.slow_call_duration);
    const double took = ToSeconds(a.duration);
    return took <= usual ? 1 : (slow - took) / (slow - usual);
  }
};

class Throughput final : public Metric {
 public:
  absl::string_view name() const override { return "throughput"; }
  std::optional<double> Score(const AttemptObservation& a) const override { return a.marked && !a.anything_completed ? 0 : 1; }
};

// An ambient report in 64 bits: 16 of score, 48 of signed milliseconds (4400 years).
constexpr int kTimeBits = 48;
constexpr std::uint64_t kNoReport = 0xffff;
constexpr double kScoreSteps = 65534;

}  // namespace

std::shared_ptr<const Metric> ErrorsMetric() {
  static const auto* metric = new std::shared_ptr<const Metric>(std::make_shared<Errors>());
  return *metric;
}

std::shared_ptr<const Metric> LatencyMetric() {
  static const auto* metric = new std::shared_ptr<const Metric>(std::make_shared<Latency>());
  return *metric;
}

std::shared_ptr<const Metric> ThroughputMetric() {
  static const auto* metric = new std::shared_ptr<const Metric>(std::make_shared<Throughput>());
  return *metric;
}

AmbientMetric::AmbientMetric(std::string name, Duration age_limit)
    : name_(std::move(name)), age_limit_(age_limit), bits_(kNoReport << kTimeBits) {}

void AmbientMetric::Report(double score, Time at) {
  const std::uint64_t steps =
      std::isnan(score) ? kNoReport : static_cast<std::uint64_t>(std::lround(std::clamp(score, 0.0, 1.0) * kScoreSteps));
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const std::uint64_t time = static_cast<std::uint64_t>(ms) & ((std::uint64_t{1} << kTimeBits) - 1);
  bits_.store(steps << kTimeBits | time, std::memory_order_relaxed);
}

std::optional<double> AmbientMetric::Score(const AttemptObservation& attempt) const {
  const std::uint64_t bits = bits_.load(std::memory_order_relaxed);
  const std::uint64_t steps = bits >> kTimeBits;
  if (steps == kNoReport) return std::nullopt;
  constexpr int kSignShift = 64 - kTimeBits;
  const std::chrono::milliseconds ms(static_cast<std::int64_t>(bits << kSignShift) >> kSignShift);
  if (Elapsed(Time(ms), attempt.now) > age_limit_) return std::nullopt;
  return static_cast<double>(steps) / kScoreSteps;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
