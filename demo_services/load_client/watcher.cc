#include "demo_services/load_client/watcher.h"

#include <utility>

namespace recloser::demo {
namespace {

class Attempts final : public MethodObserver {
 public:
  explicit Attempts(std::shared_ptr<Recorder> recorder) : recorder_(std::move(recorder)) {}
  void OnAttemptStarted(int /*number*/) override { recorder_->OnAttempt(std::chrono::steady_clock::now()); }
  void OnRejected(bool shadow) override {
    if (!shadow) recorder_->OnRejected(std::chrono::steady_clock::now());
  }

 private:
  const std::shared_ptr<Recorder> recorder_;
};

}  // namespace

Watcher::Watcher(std::shared_ptr<Recorder> recorder, std::string initial_state, OnChange on_change)
    : recorder_(std::move(recorder)), on_change_(std::move(on_change)), breaker_state_(std::move(initial_state)) {}

std::string Watcher::breaker_state() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return breaker_state_;
}

std::shared_ptr<MethodObserver> Watcher::ObserveMethod(const MethodId& /*id*/) { return std::make_shared<Attempts>(recorder_); }

void Watcher::OnTransition(const SharedBreaker& /*breaker*/, const BreakerTransition& transition) {
  const std::string to(StateName(transition.to));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    breaker_state_ = to;
  }
  recorder_->OnBreakerChange(TimeOf(transition), std::string(StateName(transition.from)), to);
  on_change_(transition);
}

SteadyTime TimeOf(const BreakerTransition& transition) {
  return SteadyTime(std::chrono::duration_cast<SteadyTime::duration>(transition.at.time_since_epoch()));
}

}  // namespace recloser::demo
