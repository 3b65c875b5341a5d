// A link: one channel's policies applied to one target. It resolves, once per method, everything that a call needs.
//
//   auto link = Link::Create("dns:///orders:443", policies, Registry::Global());
//   CallSession session(link->Method("/orders.Orders/Get", traits, now), {}, link->registry().NextSeed());
//
// A link made with a `PolicySource` follows it: calls that begin after an update begin under the new policies, calls in flight end under
// those that they began with. What is shared changes for all at once: a breaker judges by its new options, the retry budget has its new
// size. Thread safety: any member from any thread.
#ifndef RECLOSER_CORE_LINK_H_
#define RECLOSER_CORE_LINK_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/method_context.h"
#include "recloser/core/policies.h"
#include "recloser/core/policy_source.h"
#include "recloser/core/registry.h"
#include "recloser/core/retry.h"

namespace recloser {
inline namespace RECLOSER_API {

class LinkMethods;

/// Methods that one link keeps apart. All further names, of a proxy that passes on whatever it is asked for, are one method `other` without
/// breaker and retries under the defaults' deadlines, which is told as a Problem.
inline constexpr int kMaxMethodsPerLink = 10000;

class Link {
 public:
  /// `policies` must be valid.
  static std::shared_ptr<Link> Create(std::string target, Policies policies, std::shared_ptr<Registry> registry);
  /// Follows `source`, which is not null, and adds it to the registry's.
  static std::shared_ptr<Link> Create(std::string target, std::shared_ptr<PolicySource> source, std::shared_ptr<Registry> registry);

  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// `full_name`: "/package.Service/Method". `traits` count at the first call for a name; later calls take no lock.
  MethodRef Method(absl::string_view full_name, const MethodTraits& traits, Time now);

  /// The method if a call was made before, else none: saves finding out its traits. Takes no lock.
  MethodRef Find(absl::string_view full_name) const;

  /// The connection to the target is back: open breakers may probe (`CircuitBreaker::FreshEvidence`).
  void FreshEvidence(Time now);

  const std::string& target() const { return target_; }
  /// Those in force for calls that begin now.
  std::shared_ptr<const Policies> policies() const { return version().policies; }
  Registry& registry() const { return *registry_; }

 private:
  struct Version {
    std::shared_ptr<const Policies> policies;
    std::uint64_t generation = 0;
  };

  Link(std::string target, std::shared_ptr<PolicySource> source, std::shared_ptr<Registry> registry);
  /// Makes `next` the version in force unless a later one is.
  void Begin(Version next);
  void Follow(const PolicyVersion& next, Time now);
  /// Gives the methods that are of an older version their contexts of this one.
  void Apply(const Version& version, Time now);
  Version version() const;

  MethodContext Resolve(const Version& version, absl::string_view full_name, const MethodTraits& traits, Time now) const;
  MethodContext Bare(MethodId id, const MethodPolicy& policy, const MethodTraits& traits) const;
  std::vector<std::shared_ptr<MethodObserver>> ObserversOf(const MethodId& id) const;

  const std::string target_;
  const std::shared_ptr<PolicySource> source_;  // null: the policies never change
  const std::shared_ptr<Registry> registry_;
  const std::shared_ptr<RetryBudget> budget_;
  const std::shared_ptr<std::atomic<bool>> hook_problem_told_;
  const std::unique_ptr<LinkMethods> methods_;
  mutable std::mutex mutex_;
  Version version_;  // guarded by `mutex_`
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_LINK_H_
