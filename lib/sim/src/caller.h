// One channel to one service with the product's own objects behind it: registry, link, breaker, budget. A client has one; so has a service
// for each service that it calls.
//
// Thread safety: none.
#ifndef RECLOSER_SIM_SRC_CALLER_H_
#define RECLOSER_SIM_SRC_CALLER_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "invariant_monitor.h"
#include "recloser/core/link.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"

namespace recloser::sim {

class Caller {
 public:
  using TransitionListener = std::function<void(const BreakerTransition&)>;

  /// `service`: the index of the service that it calls. `seed` != 0.
  Caller(int service, const Policies& policies, Time now, std::uint64_t seed, TransitionListener listener);

  int service() const { return service_; }
  const MethodContext& method() const { return *method_; }
  const SharedBreaker* breaker() const { return method_->breaker.get(); }
  std::uint64_t NextSeed() { return registry_->NextSeed(); }
  /// Endpoints in turns.
  int NextEndpoint(int endpoints) { return endpoints == 1 ? 0 : next_endpoint_++ % endpoints; }
  InvariantMonitor& monitor() { return *monitor_; }

 private:
  const int service_;
  int next_endpoint_ = 0;
  std::shared_ptr<Registry> registry_;
  std::shared_ptr<Link> link_;
  const MethodContext* method_;
  std::unique_ptr<InvariantMonitor> monitor_;
};

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_CALLER_H_
