// The rating of a link: a convex combination of any number of performance metrics, 1 = healthy, 0 = as bad as it gets.
//
// Each metric gives a score in [0, 1] or "unknown". The rating of an attempt is the weighted mean of the scores known at its end,
//   r = sum_A w_i s_i / sum_A w_i,
// unknown when less than `min_known_weight` of the weight is known. The rating of a context is the mean of its attempts' ratings:
// again a convex combination. After Pashko, Paprotskyi, Hlybovets, Terenchuk (2026), DOI 10.17721/1812-5409.2026/1.30.
//
// Three metrics are built in and measure independent things: `errors` (what came back wrong), `latency` (how slowly), `throughput`
// (how much comes back at all). A user's own metric is one more object with a weight:
//
//   class Freshness final : public Metric {
//     absl::string_view name() const override { return "freshness"; }
//     std::optional<double> Score(const AttemptObservation& a) const override { return a.result ? ReadAge(*a.result) : std::nullopt; }
//   };
//   options.rating.metrics.push_back({std::make_shared<Freshness>(), 0.5});
//
// Thread safety: `Rating` is immutable; `Metric::Score` is called under a breaker's lock, possibly from many threads: be quick, do
// not block, do not call back into Recloser.
#ifndef RECLOSER_CORE_RATING_H_
#define RECLOSER_CORE_RATING_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/outcome.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// What a metric sees of one attempt: at its end, or when it is marked slow while still in flight.
struct AttemptObservation {
  Time now{};
  /// kSuccess or kFailure at the end. Ignored attempts are not observed. Meaningless when `marked`.
  Outcome outcome = Outcome::kSuccess;
  /// Still in flight, longer than `slow_call_duration`: its outcome is not known.
  bool marked = false;
  /// Streams have no latency.
  bool streaming = false;
  /// From the attempt's start to its end, or until now.
  Duration duration = Duration::zero();
  /// The service's usual latency, learnt while healthy.
  std::optional<Duration> healthy_latency;
  /// From this duration on an answer is slow.
  Duration slow_call_duration = Duration::zero();
  /// Some attempt of this breaker completed since this one began.
  bool anything_completed = true;
  /// How the attempt ended; null when `marked`.
  const AttemptResult* result = nullptr;
};

/// One performance metric.
class Metric {
 public:
  virtual ~Metric() = default;
  /// Lower-case, stable: it becomes a label value. Two metrics of one rating may not share it.
  virtual absl::string_view name() const = 0;
  /// The score of one attempt in [0, 1], 1 = healthy; nothing = unknown. Values outside are clamped; NaN counts as unknown,
  /// and so does what it throws.
  virtual std::optional<double> Score(const AttemptObservation& attempt) const = 0;
};

/// 0 if the outcome is a failure, else 1; unknown while in flight.
std::shared_ptr<const Metric> ErrorsMetric();
/// Of successes and marked attempts: 1 up to twice the healthy latency, falling linearly to 0 at `slow_call_duration`.
std::shared_ptr<const Metric> LatencyMetric();
/// Of marked attempts: 0 if nothing completed since it began, else 1; of ended ones 1.
std::shared_ptr<const Metric> ThroughputMetric();

/// A score that holds for a while: a server's load report, a health check, the channel's connectivity. `Report` may be called from
/// any thread; a report older than `age_limit` is unknown.
class AmbientMetric final : public Metric {
 public:
  AmbientMetric(std::string name, Duration age_limit);
  void Report(double score, Time at);
  absl::string_view name() const override { return name_; }
  std::optional<double> Score(const AttemptObservation& attempt) const override;

 private:
  const std::string name_;
  const Duration age_limit_;
  std::atomic<std::uint64_t> bits_;  // the score in 65534ths above the report's time in milliseconds: one atomic fact
};

struct WeightedMetric {
  std::shared_ptr<const Metric> metric;
  /// Range: 0 to 1e6, at least one above 0; only the ratios between weights matter.
  double weight = 1;
};

inline constexpr int kMaxMetrics = 8;
/// Between the two thresholds.
inline constexpr double kMinHysteresis = 0.05;

struct RatingOptions {
  /// Default: errors, latency, throughput with equal weights. At most kMaxMetrics, names distinct.
  std::vector<WeightedMetric> metrics = {{ErrorsMetric(), 1}, {LatencyMetric(), 1}, {ThroughputMetric(), 1}};
  /// The link opens at or below this rating. Range: 0 to 1. Default 5/6: with equal weights, half of the attempts failed. A
  /// `wasted_attempt_cost` above its default raises it.
  double open_threshold = 5.0 / 6;
  /// The link may close at or above this rating. At least `open_threshold` + 0.05, at most 1. Default 11/12. Raised with
  /// `open_threshold` where the distance would become less.
  double close_threshold = 11.0 / 12;
  /// Below this share of known weight the rating of an attempt is unknown. Range: 0 to 1. Default 0.25.
  double min_known_weight = 0.25;

  /// Also refuses weights under which `errors` could never open the link (its normalised weight must exceed 1 - open_threshold).
  absl::Status Validate(absl::string_view path) const;
};

/// Scores and rating of one attempt, or means over a context.
struct RatingSample {
  std::array<std::optional<double>, kMaxMetrics> scores;
  /// Weighted mean of the known scores; nothing when too little is known.
  std::optional<double> rating;
  /// The same with every unknown score taken as 1: what opening is decided on, so that silence never opens.
  double optimistic_rating = 1;
};

/// The validated, normalised form of `RatingOptions`. Immutable.
class Rating {
 public:
  /// `options` must be valid.
  explicit Rating(const RatingOptions& options);

  RatingSample Rate(const AttemptObservation& attempt) const;

  int size() const { return static_cast<int>(metrics_.size()); }
  absl::string_view name(int i) const { return metrics_[i].metric->name(); }
  /// Normalised: they add up to 1.
  double weight(int i) const { return metrics_[i].weight; }
  /// The normalised weight of the metric named `errors`.
  double errors_weight() const { return errors_weight_; }
  double open_threshold() const { return open_threshold_; }
  double close_threshold() const { return close_threshold_; }

 private:
  std::vector<WeightedMetric> metrics_;
  double errors_weight_ = 0;
  double open_threshold_;
  double close_threshold_;
  double min_known_weight_;
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_RATING_H_
