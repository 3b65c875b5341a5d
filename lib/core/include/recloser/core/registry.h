// The breakers of a process, their observers, and what went wrong: where state is read and breakers are controlled by hand.
//
//   for (const auto& breaker : Registry::Global()->List()) {
//     BreakerSnapshot s = breaker->Snapshot(recloser::Now());
//     std::cout << breaker->id().target << ' ' << breaker->id().name() << ' ' << StateName(s.state) << '\n';
//   }
//
// Which channels to one target share a breaker:
//   * those of fixed policies, when their breaker options are equal;
//   * those of one `PolicySource`. Its breakers are its own: when its policies change they follow (`SharedBreaker::Reconfigure`) and keep
//     their names. When nobody has the source any more, the next source to ask for such a breaker takes it over, as it is.
// Others never share. Who comes second gets the next free name, "Method#2": one source for all channels of a process keeps the names plain.
// When one source wants several breakers of one name at once (a scope wider than a method, in entries whose breaker options differ) an
// update gives each the breaker whose options it already wants, or else the first that nobody has asked for yet since the update. To keep
// two channels apart, give each a registry of its own.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_CORE_REGISTRY_H_
#define RECLOSER_CORE_REGISTRY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/observer.h"
#include "recloser/core/policies.h"
#include "recloser/core/retry.h"
#include "recloser/core/shared_breaker.h"

namespace recloser {
inline namespace RECLOSER_API {

class PolicySource;

/// For whom a breaker is: a version of the policies of a source; no source: policies that never change.
struct PolicyStamp {
  std::shared_ptr<const PolicySource> source;
  std::uint64_t generation = 0;
};

struct RegistryOptions {
  /// At most this many breakers; methods beyond run without one, which is told as a Problem and counted. At least 1 (less counts as 1).
  /// Default 1024.
  int max_breakers = 1024;
  /// Of all random draws. 0: from the system's entropy.
  std::uint64_t seed = 0;
};

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
  /// that is not to be shared (see above), a new one takes the next free name ("Method#2"). One of the same source is given `options`.
  /// A source that turns it off (kDisabled) lets it rest and finds it again.
  std::shared_ptr<SharedBreaker> FindOrCreate(BreakerId id, const BreakerOptions& options, Time now, const PolicyStamp& stamp = {});
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

  /// A breaker and for whom it is.
  struct Entry {
    std::shared_ptr<SharedBreaker> breaker;
    std::shared_ptr<const BreakerOptions> given;
    std::shared_ptr<const BreakerOptions> wanted;  // differs from `given` as long as a thread is about to give it
    bool changing = false;                         // a thread is at it
    bool of_source = false;
    std::weak_ptr<const PolicySource> source;
    std::uint64_t generation = 0;  // of the source's policies, when it was last asked for
    std::uint64_t rested = 0;      // and when it was last turned off

    /// May be shared with those of `stamp`, now or once it is given other options.
    bool IsFor(const PolicyStamp& stamp) const;
    /// Later policies of the same source decided about it already.
    bool IsAheadOf(const PolicyStamp& stamp) const;
    void Claim(const BreakerOptions& options, const PolicyStamp& stamp);
  };
  struct Place {
    std::shared_ptr<Entry> taken;
    std::optional<BreakerId> free;  // the name for a new one; nothing when there are too many
  };
  /// Where a breaker of `options` is, or may be. Under `mutex_`.
  Place FindPlace(const BreakerId& id, const BreakerOptions& options, const PolicyStamp& stamp) const;
  /// Gives the breaker what is wanted. Not under `mutex_`: code of the user may run.
  std::shared_ptr<SharedBreaker> Settle(Entry& entry, Time now);
  /// `options` turn it off: the source's breaker, when there is one and nobody else of the source wants it, rests.
  void Rest(const BreakerId& id, const BreakerOptions& options, Time now, const PolicyStamp& stamp);
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
  absl::flat_hash_map<std::string, std::shared_ptr<Entry>> breakers_;  // by target + '\n' + name
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

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_REGISTRY_H_
