// Open-loop Poisson traffic through one breaker against a service that changes: enough of a simulation to see an outage from end to end.
#ifndef RECLOSER_TEST_CORE_OUTAGE_SIMULATION_H_
#define RECLOSER_TEST_CORE_OUTAGE_SIMULATION_H_

#include <cmath>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "breaker_driver.h"

namespace recloser {

/// What the service does with an attempt that begins at `t` (since the start): how it ends, and after how long.
struct Answer {
  Duration latency;
  AttemptResult result;
};
using Service = std::function<Answer(Duration t, Random* random)>;

/// Mean 20 ms, exponential above 5 ms.
inline Answer HealthyAnswer(Random* random) { return {FromSeconds(0.005 - 0.015 * std::log(1 - random->Uniform())), Ok()}; }
inline Answer Refused() { return {milliseconds(1), Unavailable()}; }
/// No answer: the attempt ends at its deadline.
inline Answer Swallowed() { return {seconds(1), Ended(absl::StatusCode::kDeadlineExceeded)}; }

struct Observed {
  std::int64_t calls = 0;
  std::int64_t rejected = 0;
  Duration last_rejection = Duration::zero();
  std::vector<BreakerTransition> transitions;
};

class Simulation {
 public:
  Simulation(const BreakerOptions& options, double rate, std::uint64_t seed)
      : rate_(rate), random_(seed), breaker_(MakeBreaker(options, kStart, Random(seed + 1))) {}

  Observed Run(Duration length, const Service& service) {
    Observed observed;
    const Time end = now_ + length;
    while (true) {
      const Time arrival = now_ + FromSeconds(-std::log(1 - random_.Uniform()) / rate_);
      if (arrival >= end) break;
      FinishUntil(arrival);
      now_ = arrival;
      Arrive(service, &observed);
    }
    FinishUntil(end);
    now_ = end;
    observed.transitions = breaker_->TakeTransitions();
    return observed;
  }

  CircuitBreaker& breaker() { return *breaker_; }
  Time now() const { return now_; }

 private:
  static constexpr Time kStart{hours(1)};

  struct InFlight {
    Time end;
    Permit permit;
    AttemptResult result;
    friend bool operator>(const InFlight& a, const InFlight& b) { return a.end > b.end; }
  };

  void Arrive(const Service& service, Observed* observed) {
    ++observed->calls;
    const Admission admission = breaker_->TryAcquire(now_, {});
    if (!admission.admitted) {
      ++observed->rejected;
      observed->last_rejection = now_ - kStart;
      return;
    }
    const Answer answer = service(now_ - kStart, &random_);
    in_flight_.push({now_ + answer.latency, admission.permit, answer.result});
  }

  void FinishUntil(Time limit) {
    for (; !in_flight_.empty() && in_flight_.top().end <= limit; in_flight_.pop()) {
      const InFlight& first = in_flight_.top();
      breaker_->Record(first.permit, first.end, first.result);
    }
  }

  const double rate_;
  Random random_;
  std::unique_ptr<CircuitBreaker> breaker_;
  Time now_ = kStart;
  std::priority_queue<InFlight, std::vector<InFlight>, std::greater<>> in_flight_;
};

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_OUTAGE_SIMULATION_H_
