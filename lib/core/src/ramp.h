// How much to admit while half-open, and when that is enough.
//
// A stage admits a share of the calls and is judged on their outcomes: it passes at the first n >= 3 with a mean rating of at least
// `close_threshold`, and the share grows fourfold; with two bad outcomes and a mean rating below `open_threshold` it has failed: in part
// (the service answers some: overload), then the share is halved, or altogether, then the link opens again. A stage passed at a share of 1
// ends the ramp. A share is never below `ramp_free_rate` calls per second, so a link with little load goes through one stage that rejects
// nothing.
//
// The first share is learnt: doubled after a ramp without setback, divided by four after one that failed.
#ifndef RECLOSER_CORE_SRC_RAMP_H_
#define RECLOSER_CORE_SRC_RAMP_H_

#include <cstdint>

#include "recloser/core/adaptive_window.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/rating.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class Ramp {
 public:
  enum class Verdict { kGoOn, kPassed, kFailed };

  /// Outcomes of a stage that must be bad for it to have failed.
  static constexpr int kBadOutcomesToFail = 2;

  /// Both are referred to, and may change.
  Ramp(const AdaptiveBreakerOptions& options, const Rating& rating)
      : options_(options), rating_(rating), first_share_(options.ramp_start) {}

  void Start();
  Verdict Add(const WindowSample& sample, double offered_rate);
  /// The share of calls to admit.
  double Share(double offered_rate) const;
  /// Sums over the stage's outcomes.
  const WindowTotals& stage() const { return stage_; }
  /// Those of them that were rated below `open_threshold`.
  std::int64_t bad() const { return bad_; }
  /// Forgets what was learnt.
  void Reset();
  /// The options were `before` until now. The stage goes on; a first share that was learnt stays.
  void Reconfigured(const AdaptiveBreakerOptions& before);
  void Rearrange(const MetricOrder& former) { stage_.Rearrange(former); }

 private:
  void NextStage(double share);
  Verdict PassStage(double offered_rate);
  Verdict FailStage(double offered_rate);

  const AdaptiveBreakerOptions& options_;
  const Rating& rating_;
  double first_share_;
  double share_ = 1;
  bool setback_ = false;
  std::int64_t bad_ = 0;
  WindowTotals stage_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_RAMP_H_
