// A link: one channel's policies applied to one target. It resolves, once per method, everything that a call needs.
//
//   auto link = Link::Create("dns:///orders:443", policies, Registry::Global());
//   const MethodContext& method = link->Method("/orders.Orders/Get", traits, now);
//   CallSession session(method, {}, link->registry().NextSeed());
//
// Thread safety: any member from any thread. A `MethodContext` lives as long as its link and is immutable.
#ifndef RECLOSER_CORE_LINK_H_
#define RECLOSER_CORE_LINK_H_

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
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
  std::shared_ptr<SharedBreaker> breaker;         // null: no breaker
  std::shared_ptr<SharedBreaker> shadow_breaker;  // null: none beside it
  std::shared_ptr<RetryBudget> budget;            // never null
  std::shared_ptr<Registry> registry;             // never null
  std::vector<std::shared_ptr<MethodObserver>> observers;
  /// The link's: a throwing hook was told as a Problem already.
  std::shared_ptr<std::atomic<bool>> hook_problem_told = std::make_shared<std::atomic<bool>>(false);

  /// Tells the observers; what they throw is caught and counted.
  template <class Function>
  void Notify(Function&& notify) const {
    for (const std::shared_ptr<MethodObserver>& observer : observers) registry->Guard([&] { notify(*observer); });
  }
};

/// Methods that one link keeps apart. All further names, of a proxy that passes on whatever it is asked for, are one method `other` without
/// breaker and retries under the defaults' deadlines, which is told as a Problem.
inline constexpr int kMaxMethodsPerLink = 10000;

class Link {
 public:
  /// `policies` must be valid.
  static std::shared_ptr<Link> Create(std::string target, Policies policies, std::shared_ptr<Registry> registry);

  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// `full_name`: "/package.Service/Method". `traits` count at the first call for a name; later calls take no lock.
  const MethodContext& Method(absl::string_view full_name, const MethodTraits& traits, Time now);

  /// The method if a call was made before, else null: saves finding out its traits. Takes no lock.
  const MethodContext* Find(absl::string_view full_name) const;

  /// The connection to the target is back: open breakers may probe (`CircuitBreaker::FreshEvidence`).
  void FreshEvidence(Time now);

  const std::string& target() const { return target_; }
  const Policies& policies() const { return policies_; }
  Registry& registry() const { return *registry_; }

 private:
  Link(std::string target, Policies policies, std::shared_ptr<Registry> registry);
  MethodContext Resolve(absl::string_view full_name, const MethodTraits& traits, Time now) const;
  MethodContext Bare(MethodId id, const MethodPolicy& policy, bool streaming) const;

  // Every call looks its method up, few ever add one: a hash table of lists that only grow, read without a lock.
  struct Node {
    std::string full_name;
    MethodContext context;
    Node* next;
  };
  static constexpr std::size_t kSlots = 256;
  static const MethodContext* Search(const Node* node, absl::string_view full_name);

  const std::string target_;
  const Policies policies_;
  const std::shared_ptr<Registry> registry_;
  const std::shared_ptr<RetryBudget> budget_;
  const std::shared_ptr<std::atomic<bool>> hook_problem_told_;
  const MethodContext& Overflow(bool streaming);
  /// The entry of this name that is there already, else `context`.
  const MethodContext& Insert(absl::string_view full_name, MethodContext context);

  std::mutex adding_;
  std::atomic<int> methods_{0};
  std::array<std::atomic<Node*>, kSlots> slots_{};
};

}  // namespace recloser

#endif  // RECLOSER_CORE_LINK_H_
