// What observers are told over one epoch, in totals.
#ifndef RECLOSER_TEST_STRESS_COUNTERS_H_
#define RECLOSER_TEST_STRESS_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "recloser/core/observer.h"

namespace recloser::stress {

struct Counters {
  std::atomic<std::int64_t> calls_started{0};
  std::atomic<std::int64_t> calls_finished{0};
  std::atomic<std::int64_t> attempts_started{0};
  std::atomic<std::int64_t> attempts_finished{0};
  std::atomic<std::int64_t> attempts_of_finished_calls{0};
  std::atomic<std::int64_t> calls_without_attempt{0};  // finished
  std::atomic<std::int64_t> transitions{0};
  std::atomic<std::int64_t> problems{0};
};

class CountingObserver final : public Observer {
 public:
  explicit CountingObserver(std::shared_ptr<Counters> counters) : counters_(std::move(counters)) {}
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return std::make_shared<OfMethod>(counters_); }
  void OnTransition(const SharedBreaker&, const BreakerTransition&) override { ++counters_->transitions; }
  void OnProblem(const Problem&) override { ++counters_->problems; }

 private:
  class OfMethod final : public MethodObserver {
   public:
    explicit OfMethod(std::shared_ptr<Counters> counters) : counters_(std::move(counters)) {}
    void OnCallStarted() override { ++counters_->calls_started; }
    void OnCallFinished(const CallFinished& call) override {
      ++counters_->calls_finished;
      counters_->attempts_of_finished_calls += call.attempts;
      if (call.attempts == 0) ++counters_->calls_without_attempt;
    }
    void OnAttemptStarted(int) override { ++counters_->attempts_started; }
    void OnAttemptFinished(const AttemptFinished&) override { ++counters_->attempts_finished; }

   private:
    const std::shared_ptr<Counters> counters_;
  };

  const std::shared_ptr<Counters> counters_;
};

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_COUNTERS_H_
