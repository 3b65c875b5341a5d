// Scores of metrics that are code of the user: noted while a trace is recorded, given from the record when it is replayed.
//
// Thread safety: none; all of one breaker's are used under its lock.
#ifndef RECLOSER_EVENTS_SRC_USER_SCORES_H_
#define RECLOSER_EVENTS_SRC_USER_SCORES_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recloser/core/breaker_options.h"
#include "recloser/core/rating.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

/// True for metrics that are not built in.
bool IsUsers(const Metric& metric);

/// Scores given in the current step, in the order of asking.
class ScoreNotes {
 public:
  /// `options` with each of the user's metrics in a form that notes its scores here. The same metric becomes the same form.
  BreakerOptions Noting(const BreakerOptions& options);
  void Clear() { scores_->clear(); }
  const std::vector<std::optional<double>>& scores() const { return *scores_; }

 private:
  using Scores = std::vector<std::optional<double>>;
  class NotingMetric;

  std::shared_ptr<Scores> scores_ = std::make_shared<Scores>();
  std::map<std::shared_ptr<const Metric>, std::shared_ptr<const Metric>> forms_;
};

/// Stands for a metric of the user: answers with what was recorded, one score after the other.
class RecordedMetric final : public Metric {
 public:
  using Scores = std::deque<std::optional<double>>;

  RecordedMetric(std::string name, std::shared_ptr<Scores> scores) : name_(std::move(name)), scores_(std::move(scores)) {}
  absl::string_view name() const override { return name_; }
  /// Unknown when there is none left.
  std::optional<double> Score(const AttemptObservation& attempt) const override;

 private:
  const std::string name_;
  const std::shared_ptr<Scores> scores_;
};

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_USER_SCORES_H_
