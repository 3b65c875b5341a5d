#include "caller.h"

#include <utility>

namespace recloser::sim {
namespace {

class Listening final : public Observer {
 public:
  explicit Listening(Caller::TransitionListener listener) : listener_(std::move(listener)) {}
  void OnTransition(const SharedBreaker&, const BreakerTransition& transition) override { listener_(transition); }

 private:
  const Caller::TransitionListener listener_;
};

std::shared_ptr<Registry> MakeRegistry(std::uint64_t seed) {
  RegistryOptions options;
  options.seed = seed;
  return Registry::Create(options);
}

}  // namespace

Caller::Caller(int service, const Policies& policies, Time now, std::uint64_t seed, TransitionListener listener)
    : service_(service), registry_(MakeRegistry(seed)) {
  registry_->AddObserver(std::make_shared<Listening>([this, tell = std::move(listener)](const BreakerTransition& transition) {
    monitor_->OnTransition(transition);
    tell(transition);
  }));
  link_ = Link::Create("sim:///service", policies, registry_);
  MethodTraits traits;
  traits.idempotent = true;
  method_ = &*link_->Method("/sim.Service/Call", traits, now);
  monitor_ = std::make_unique<InvariantMonitor>(breaker());
}

}  // namespace recloser::sim
