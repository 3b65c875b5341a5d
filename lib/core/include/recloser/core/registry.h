// The breakers of a process, their observers, and what went wrong: where state is read and breakers are controlled by hand.
//
//   for (const auto& breaker : Registry::Global()->List()) {
//     BreakerSnapshot s = breaker->Snapshot(recloser::Now());
//     std::cout << breaker->id().target << ' ' << breaker->id().name() << ' ' << StateName(s.state) << '\n';
//   }
//
// Channels that name the same target share their breakers, when their breaker options are equal; to keep two apart, give each channel a
// registry of its own. Thread safety: any member from any thread.
#ifndef RECLOSER_CORE_REGISTRY_H_
#define RECLOSER_CORE_REGISTRY_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "recloser/core/observer.h"
#include "recloser/core/policies.h"
#include "recloser/core/retry.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {

class PolicySource;

struct RegistryOptions {
  /// At most this many breakers; methods beyond run without one, which is told as a Problem and counted. At least 1 (less counts as 1).
  /// Default 1024.
  int max_breakers = 1024;
  /// Of all random draws. 0: from the system's entropy.
  std::uint64_t seed = 0;
};

/// Makes the breakers of a registry: what `MakeBreaker(options, now, Random(seed))` gives, or something around it that watches what goes
/// into it (recloser/events/decision_trace.h does). The result is used under its `SharedBreaker`'s lock, like any breaker. Never null.
using BreakerMaker =
    std::function<std::unique_ptr<CircuitBreaker>(const BreakerId& id, const BreakerOptions& options, Time now, std::uint64_t seed)>;

class Registry : public std::enable_shared_from_this<Registry> {
 public:
  /// The process's registry, which channels use when none is given. Never destroyed.
  static const std::shared_ptr<Registry>& Global();

  static std::shared_ptr<Registry> Create(const RegistryOptions& options = {});

  /// Add observers before the channels whose events they are to see.
  void AddObserver(std::shared_ptr<Observer> observer);
  std::vector<std::shared_ptr<Observer>> observers() const;

  /// Makes the breakers from now on; empty: `MakeBreaker` again, the default. Breakers that are there already stay as they are.
  void SetBreakerMaker(BreakerMaker maker);

  /// The breaker `id`, made at `now` when it is not there. Null when there are too many, when `options.mode` is kDisabled, or
  /// when it can't be made because code of the user threw, which is told as a Problem. When one is there
  /// with other options, a new one takes the next free name ("Method#2").
  std::shared_ptr<SharedBreaker> FindOrCreate(BreakerId id, const BreakerOptions& options, Time now);
  /// Null when there is none. `name`: as `BreakerId::name`.
  std::shared_ptr<SharedBreaker> Find(absl::string_view target, absl::string_view name) const;
  std::vector<std::shared_ptr<SharedBreaker>> List() const;

  struct BudgetState {
    std::string target;
    double tokens = 0;
    double max_tokens = 0;
  };
  /// Budgets of the living channels.
  std::vector<BudgetState> Budgets() const;
  void AddBudget(const std::string& target, std::weak_ptr<const RetryBudget> budget);

  /// Where the policies of this registry's channels come from: the sources that live, in the order in which they were added. A channel adds
  /// its own; adding twice changes nothing.
  std::vector<std::shared_ptr<PolicySource>> Sources() const;
  void AddSource(const std::shared_ptr<PolicySource>& source);

  /// Runs `notify` for each observer, catching and counting what it throws.
  template <class Function>
  void Notify(Function&& notify);
  void Report(const Problem& problem);
  /// Runs a call of user code; false and counted if it threw.
  template <class Function>
  bool Guard(Function&& call) noexcept;

  std::uint64_t listener_errors() const { return listener_errors_.load(std::memory_order_relaxed); }
  std::uint64_t breakers_refused() const { return breakers_refused_.load(std::memory_order_relaxed); }
  std::uint64_t NextSeed();

 private:
  explicit Registry(const RegistryOptions& options);

  struct Place {
    std::shared_ptr<SharedBreaker> taken;  // by a breaker that may be shared
    std::optional<BreakerId> free;         // the name for a new one; nothing when there are too many
  };
  /// Where a breaker of `options` is, or may be. Under `mutex_`.
  Place FindPlace(const BreakerId& id, const BreakerOptions& options) const;
  /// Null when the user's parts of the breaker throw.
  std::shared_ptr<SharedBreaker> Make(const BreakerId& id, const BreakerOptions& options, Time now);

  const RegistryOptions options_;
  std::atomic<std::uint64_t> listener_errors_{0};
  std::atomic<std::uint64_t> breakers_refused_{0};
  std::atomic<std::uint64_t> seed_;
  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  std::vector<std::shared_ptr<Observer>> observers_;
  BreakerMaker maker_;
  absl::flat_hash_map<std::string, std::shared_ptr<SharedBreaker>> breakers_;  // by target + '\n' + name
  std::vector<std::pair<std::string, std::weak_ptr<const RetryBudget>>> budgets_;
  std::vector<std::weak_ptr<PolicySource>> sources_;
};

template <class Function>
bool Registry::Guard(Function&& call) noexcept {
  try {
    call();
    return true;
  } catch (...) {
    listener_errors_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
}

template <class Function>
void Registry::Notify(Function&& notify) {
  for (const std::shared_ptr<Observer>& observer : observers()) Guard([&] { notify(*observer); });
}

}  // namespace recloser

#endif  // RECLOSER_CORE_REGISTRY_H_
