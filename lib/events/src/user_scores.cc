#include "user_scores.h"

#include <utility>
#include <variant>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

bool IsUsers(const Metric& metric) {
  return &metric != ErrorsMetric().get() && &metric != LatencyMetric().get() && &metric != ThroughputMetric().get();
}

class ScoreNotes::NotingMetric final : public Metric {
 public:
  NotingMetric(std::shared_ptr<const Metric> metric, std::shared_ptr<Scores> scores)
      : metric_(std::move(metric)), scores_(std::move(scores)) {}
  absl::string_view name() const override { return metric_->name(); }
  std::optional<double> Score(const AttemptObservation& attempt) const override {
    // What it throws is "unknown", as in the rating.
    std::optional<double>& score = scores_->emplace_back();
    try {
      score = metric_->Score(attempt);
    } catch (...) {
    }
    return score;
  }

 private:
  const std::shared_ptr<const Metric> metric_;
  const std::shared_ptr<Scores> scores_;
};

BreakerOptions ScoreNotes::Noting(const BreakerOptions& options) {
  BreakerOptions noting = options;
  auto* const adaptive = std::get_if<AdaptiveBreakerOptions>(&noting.kind);
  if (adaptive == nullptr) return noting;
  for (WeightedMetric& weighted : adaptive->rating.metrics) {
    if (!IsUsers(*weighted.metric)) continue;
    std::shared_ptr<const Metric>& form = forms_[weighted.metric];
    if (form == nullptr) form = std::make_shared<NotingMetric>(weighted.metric, scores_);
    weighted.metric = form;
  }
  return noting;
}

std::optional<double> RecordedMetric::Score(const AttemptObservation&) const {
  if (scores_->empty()) return std::nullopt;
  const std::optional<double> score = scores_->front();
  scores_->pop_front();
  return score;
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
