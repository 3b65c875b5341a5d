// `pid`: a share of rejections steered by a PID controller, in the form of Shopify's Semian (lib/semian/pid_controller.rb, adaptive circuit
// breaker): once per window of 10 s
//
//   P = (error rate - ideal error rate) - rejection rate;   rejection rate += kp P + ki sum(P dt) + kd dP/dt, clamped to [0, 1],
//
// with kp = 1, ki = 0.2, kd = 0. The ideal error rate is the 90th percentile of the windows' error rates, at most 10 %; Semian estimates it
// with the P-square algorithm, here it is exact, over a history that begins with 15 minutes at 1 % as there. It is shown as open at a
// rejection rate of 1, closed at 0, half-open between.
#ifndef RECLOSER_SIM_SRC_BASELINES_PID_BREAKER_H_
#define RECLOSER_SIM_SRC_BASELINES_PID_BREAKER_H_

#include <cstdint>
#include <vector>

#include "baselines/baseline_breaker.h"
#include "recloser/core/random.h"

namespace recloser::sim {

class PidBreaker final : public BaselineBreaker {
 public:
  PidBreaker(Time now, Random random);

 private:
  bool Admit(Time now) override;
  void Learn(Time now, const Ended& ended) override;

  void Advance(Time now);
  void Update();
  double IdealErrorRate() const;

  Random random_;
  Time window_end_;
  std::int64_t succeeded_ = 0;
  std::int64_t failed_ = 0;
  std::vector<double> error_rates_;  // of past windows, sorted
  double rejection_rate_ = 0;
  double integral_ = 0;
  double previous_p_ = 0;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_BASELINES_PID_BREAKER_H_
