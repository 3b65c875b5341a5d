// Listens to Recloser: counts attempts and rejections, keeps the breaker's state, tells its changes.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_WATCHER_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_WATCHER_H_

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "demo_services/load_client/recorder.h"
#include "recloser/core/observer.h"

namespace recloser::demo {

/// Thread safety: any member from any thread.
class Watcher final : public Observer {
 public:
  using OnChange = std::function<void(const BreakerTransition&)>;

  /// `initial_state`: shown until the first change. `on_change` is told each change, one at a time.
  Watcher(std::shared_ptr<Recorder> recorder, std::string initial_state, OnChange on_change);

  std::string breaker_state() const;

  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId& id) override;
  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) override;

 private:
  const std::shared_ptr<Recorder> recorder_;
  const OnChange on_change_;
  mutable std::mutex mutex_;
  std::string breaker_state_;
};

/// When a transition happened, on the steady clock.
SteadyTime TimeOf(const BreakerTransition& transition);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_WATCHER_H_
