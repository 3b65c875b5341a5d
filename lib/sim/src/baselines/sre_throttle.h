// `sre`: client-side throttling as in "Site Reliability Engineering", chapter 21 "Handling Overload", in the form of go-zero
// (core/breaker/googlebreaker.go): over 10 s in 40 buckets each attempt is dropped with probability
//
//   max(0, (total - 5 - 1.5 accepts) / (total + 1)),
//
// where a dropped attempt counts into total. It has no states; it is shown as half-open while it drops.
#ifndef RECLOSER_SIM_SRC_BASELINES_SRE_THROTTLE_H_
#define RECLOSER_SIM_SRC_BASELINES_SRE_THROTTLE_H_

#include <array>
#include <cstdint>

#include "baselines/baseline_breaker.h"
#include "recloser/core/random.h"

namespace recloser::sim {

class SreThrottle final : public BaselineBreaker {
 public:
  SreThrottle(Time now, Random random) : BaselineBreaker(now), random_(random) {}

 private:
  static constexpr int kBuckets = 40;

  bool Admit(Time now) override;
  void Learn(Time now, const Ended& ended) override;

  void Advance(Time now);
  void Count(Time now, bool accepted);

  struct Counts {
    std::int64_t total = 0;
    std::int64_t accepts = 0;
  };

  Random random_;
  std::array<Counts, kBuckets> buckets_;
  Counts sum_;
  std::int64_t current_ = 0;  // number of the newest bucket since the clock's origin
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_BASELINES_SRE_THROTTLE_H_
