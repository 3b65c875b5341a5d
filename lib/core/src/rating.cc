#include "recloser/core/rating.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "recloser/core/validation.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr double kRounding = 1e-9;

/// A user's metric may throw or answer nonsense; either is "unknown".
std::optional<double> SafeScore(const Metric& metric, const AttemptObservation& attempt) noexcept {
  try {
    const std::optional<double> score = metric.Score(attempt);
    if (!score.has_value() || std::isnan(*score)) return std::nullopt;
    return std::clamp(*score, 0.0, 1.0);
  } catch (...) {
    return std::nullopt;
  }
}

double TotalWeight(const std::vector<WeightedMetric>& metrics) {
  double total = 0;
  for (const WeightedMetric& m : metrics) total += m.weight;
  return total;
}

double ErrorsWeight(const std::vector<WeightedMetric>& metrics) {
  for (const WeightedMetric& m : metrics) {
    if (m.metric->name() == ErrorsMetric()->name()) return m.weight;
  }
  return 0;
}

void ValidateMetrics(const std::vector<WeightedMetric>& metrics, Validator* v) {
  const auto count = static_cast<int>(metrics.size());
  v->InRange("metrics", static_cast<double>(count), 1, kMaxMetrics);
  for (int i = 0; i < count; ++i) {
    const WeightedMetric& m = metrics[static_cast<std::size_t>(i)];
    const std::string field = absl::StrCat("metrics[", i, "]");
    v->Require(m.metric != nullptr, field, "null", "must be a metric");
    if (!v->status().ok()) return;
    v->Require(!m.metric->name().empty(), field, "an empty name", "a metric must have a name");
    v->InRange(absl::StrCat(field, ".weight"), m.weight, 0, 1e6);
    for (int j = 0; j < i; ++j) {
      v->Require(metrics[static_cast<std::size_t>(j)].metric->name() != m.metric->name(), field, m.metric->name(),
                 "the names of metrics must differ: each must measure something of its own");
    }
  }
  v->Require(TotalWeight(metrics) > 0, "metrics", "a total weight of 0", "at least one weight must be above 0");
}

}  // namespace

absl::Status RatingOptions::Validate(absl::string_view path) const {
  Validator v(path);
  ValidateMetrics(metrics, &v);
  v.InRange("open_threshold", open_threshold, 0, 1);
  v.InRange("close_threshold", close_threshold, 0, 1);
  v.Require(close_threshold - open_threshold >= kMinHysteresis - kRounding, "close_threshold", absl::StrCat(close_threshold),
            absl::StrCat("must be at least ", kMinHysteresis, " above open_threshold (", open_threshold, ")"));
  v.InRange("min_known_weight", min_known_weight, 0, 1);
  if (!v.status().ok()) return v.status();
  const double errors = ErrorsWeight(metrics) / TotalWeight(metrics);
  v.Require(errors > 1 - open_threshold + kRounding, "metrics", absl::StrCat("a share of ", errors, " for the weight of `errors`"),
            absl::StrCat("must be above 1 - open_threshold (", 1 - open_threshold, "), or errors alone could never open the link"));
  return v.status();
}

Rating::Rating(const RatingOptions& options)
    : metrics_(options.metrics),
      errors_weight_(ErrorsWeight(options.metrics) / TotalWeight(options.metrics)),
      open_threshold_(options.open_threshold),
      close_threshold_(options.close_threshold),
      min_known_weight_(options.min_known_weight) {
  const double total = TotalWeight(metrics_);
  for (WeightedMetric& m : metrics_) m.weight /= total;
}

RatingSample Rating::Rate(const AttemptObservation& attempt) const {
  RatingSample sample;
  double known = 0;
  double sum = 0;
  for (std::size_t i = 0; i < metrics_.size(); ++i) {
    sample.scores[i] = SafeScore(*metrics_[i].metric, attempt);
    if (!sample.scores[i].has_value()) continue;
    known += metrics_[i].weight;
    sum += metrics_[i].weight * *sample.scores[i];
  }
  if (known > 0 && known >= min_known_weight_ - kRounding) sample.rating = std::min(1.0, sum / known);
  sample.optimistic_rating = std::clamp(sum + (1 - known), 0.0, 1.0);
  return sample;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
