// A link: one channel's policies applied to one target. It resolves, once per method, everything that a call needs.
//
//   auto link = Link::Create("dns:///orders:443", policies, Registry::Global());
//   const MethodContext& method = link->Method("/orders.Orders/Get", traits, now);
//   CallSession session(method, {});
//
// Thread safety: any member from any thread. A `MethodContext` lives as long as its link and is immutable.
#ifndef RECLOSER_CORE_LINK_H_
#define RECLOSER_CORE_LINK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "recloser/core/observer.h"
#include "recloser/core/policies.h"
#include "recloser/core/registry.h"
#include "recloser/core/retry.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {

/// What the transport knows about a method.
struct MethodTraits {
  bool streaming = false;
  /// The .proto declares idempotency_level NO_SIDE_EFFECTS or IDEMPOTENT.
  bool idempotent = false;
};

struct MethodContext {
  MethodId id;
  MethodPolicy policy;
  bool streaming = false;
  /// `policy.retry` allows more than one attempt for this method.
  bool retries = false;
  std::shared_ptr<SharedBreaker> breaker;     // null: no breaker
  std::shared_ptr<RetryBudget> budget;        // never null
  std::shared_ptr<Registry> registry;         // never null
  std::vector<std::shared_ptr<MethodObserver>> observers;

  /// Tells the observers; what they throw is caught and counted.
  template <class Function>
  void Notify(Function&& notify) const {
    for (const std::shared_ptr<MethodObserver>& observer : observers) registry->Guard([&] { notify(*observer); });
  }
};

class Link {
 public:
  /// `policies` must be valid.
  static std::shared_ptr<Link> Create(std::string target, Policies policies, std::shared_ptr<Registry> registry);

  /// `full_name`: "/package.Service/Method". `traits` count at the first call for a name.
  const MethodContext& Method(absl::string_view full_name, const MethodTraits& traits, Time now);

  const std::string& target() const { return target_; }
  const Policies& policies() const { return policies_; }
  Registry& registry() const { return *registry_; }

 private:
  Link(std::string target, Policies policies, std::shared_ptr<Registry> registry);
  MethodContext Resolve(absl::string_view full_name, const MethodTraits& traits, Time now) const;

  const std::string target_;
  const Policies policies_;
  const std::shared_ptr<Registry> registry_;
  const std::shared_ptr<RetryBudget> budget_;
  absl::Mutex mutex_;
  absl::node_hash_map<std::string, std::unique_ptr<const MethodContext>> methods_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace recloser

#endif  // RECLOSER_CORE_LINK_H_
