// `threshold`: the rule of a public prototype of 2023 that the prediction breaker goes back to.
//
//   R = 0.40 (1 - F) + 0.15 (1 - S) + 0.35 Succ + 0.10 min(1, t_open / 10 s)
//
// with F the share of failures, S that of slow calls and Succ = 1 - F over the last 10 calls. CLOSED -> OPEN at F >= 40 % of at least 5
// calls, judged when a call ends; OPEN -> CLOSED at R >= 0.4 or after 10 s, judged when a call arrives. There is no half-open state, and
// the window is kept on closing; `threshold-cleared` is the same rule with the window cleared there.
#ifndef RECLOSER_SIM_SRC_BASELINES_THRESHOLD_BREAKER_H_
#define RECLOSER_SIM_SRC_BASELINES_THRESHOLD_BREAKER_H_

#include <array>

#include "baselines/baseline_breaker.h"

namespace recloser::sim {

class ThresholdBreaker final : public BaselineBreaker {
 public:
  ThresholdBreaker(Time now, bool clears_window) : BaselineBreaker(now), clears_window_(clears_window) {}

 private:
  static constexpr int kWindow = 10;

  bool Admit(Time now) override;
  void Learn(Time now, const Ended& ended) override;
  std::optional<double> rating(Time now) const override;

  double FailureShare() const;
  double SlowShare() const;

  struct Sample {
    bool failed = false;
    bool slow = false;
  };

  const bool clears_window_;
  std::array<Sample, kWindow> window_;
  int samples_ = 0;
  int next_ = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_BASELINES_THRESHOLD_BREAKER_H_
