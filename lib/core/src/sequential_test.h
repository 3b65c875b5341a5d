// The decision to open: a cumulative sum of the deficit of each attempt's rating.
//
//   S <- max(0, S + (theta_open - r) / (w_errors - (1 - theta_open))),   open when S >= h,
//
// with every unknown score taken as 1. In form this is Page's CUSUM (Biometrika 41, 1954). With the default weights a failure or a slow
// answer adds 1, a good answer takes 1 away, a hang adds 3. The samples since S was last 0 are the context: their mean rating is at most
// theta_open.
#ifndef RECLOSER_CORE_SRC_SEQUENTIAL_TEST_H_
#define RECLOSER_CORE_SRC_SEQUENTIAL_TEST_H_

#include <optional>

#include "recloser/core/adaptive_window.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/rating.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class SequentialTest {
 public:
  /// Both are referred to, and may change.
  SequentialTest(const AdaptiveBreakerOptions& options, const Rating& rating) : options_(options), rating_(rating) {}

  void Add(const WindowSample& sample);
  /// Is there enough evidence to open, at this offered rate?
  bool Opens(double offered_rate) const;
  void Clear();
  void Rearrange(const MetricOrder& former) { context_.Rearrange(former); }

  double evidence() const { return evidence_; }
  double Limit(double offered_rate) const;
  int consecutive_bad() const { return consecutive_bad_; }
  /// So many bad attempts in a row open too; nothing at a rate at which they don't.
  std::optional<int> ConsecutiveLimit(double offered_rate) const {
    return offered_rate < options_.low_rate ? std::optional<int>(options_.consecutive_bad) : std::nullopt;
  }
  /// Sums over the context; ratings are the optimistic ones.
  const WindowTotals& context() const { return context_; }

 private:
  const AdaptiveBreakerOptions& options_;
  const Rating& rating_;
  double evidence_ = 0;
  int consecutive_bad_ = 0;
  WindowTotals context_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_SEQUENTIAL_TEST_H_
