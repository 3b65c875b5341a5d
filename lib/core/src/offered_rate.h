// The offered load: an exponentially weighted moving average of arrivals per second, decayed to `now` when read.
#ifndef RECLOSER_CORE_SRC_OFFERED_RATE_H_
#define RECLOSER_CORE_SRC_OFFERED_RATE_H_

#include <cmath>

#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class OfferedRate {
 public:
  OfferedRate(Duration time_constant, Time now) : time_constant_inverse_(1 / ToSeconds(time_constant)), latest_(now) {}

  void Arrive(Time now) {
    rate_ = At(now) + time_constant_inverse_;
    latest_ = now;
  }

  /// The rate stays; from now on it follows the load at another pace.
  void SetTimeConstant(Duration time_constant, Time now) { Set(At(now), time_constant, now); }
  void Set(double rate, Duration time_constant, Time now) {
    rate_ = rate;
    latest_ = now;
    time_constant_inverse_ = 1 / ToSeconds(time_constant);
  }

  double At(Time now) const { return rate_ * Decay(ToSeconds(Elapsed(latest_, now)) * time_constant_inverse_); }

 private:
  /// exp(-x). Between two arrivals of a busy link x is tiny; the series is then exact to 1e-9 and costs a tenth.
  static double Decay(double x) { return x < 1e-3 ? 1 - x + x * x / 2 : std::exp(-x); }

  double time_constant_inverse_;  // 1/s
  Time latest_;
  double rate_ = 0;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_OFFERED_RATE_H_
