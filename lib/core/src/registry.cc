#include "recloser/core/registry.h"

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "breaker_identity.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

std::string Key(absl::string_view target, absl::string_view name) { return absl::StrCat(target, "\n", name); }

/// The id under its `number`-th name: "Method", "Method#2", ...
BreakerId Numbered(const BreakerId& id, int number) {
  BreakerId numbered = id;
  if (number == 1) return numbered;
  if (!id.method.empty()) {
    absl::StrAppend(&numbered.method, "#", number);
  } else {
    numbered.service = absl::StrCat(id.name(), "#", number);
  }
  return numbered;
}

/// Is `weak` of `source`? Without a moment's hold on it: who holds a source last destroys it, with its hooks, and under a lock it must not
/// be.
template <class T>
bool IsOf(const std::weak_ptr<T>& weak, const std::shared_ptr<T>& source) {
  return !weak.owner_before(source) && !source.owner_before(weak);
}

std::uint64_t SystemEntropy() noexcept {
  try {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32) | device();
  } catch (const std::exception&) {
    // No source of entropy: equal draws in several processes only mean that their jitter does not spread them.
    return 1;
  }
}

}  // namespace

const std::shared_ptr<Registry>& Registry::Global() {
  // Leaked: calls may still be running while static objects are destroyed.
  static const auto* const global = new std::shared_ptr<Registry>(Create());
  return *global;
}

std::shared_ptr<Registry> Registry::Create(const RegistryOptions& options) { return std::shared_ptr<Registry>(new Registry(options)); }

Registry::Registry(const RegistryOptions& options) : options_(options), seed_(options.seed != 0 ? options.seed : SystemEntropy()) {}

void Registry::AddObserver(std::shared_ptr<Observer> observer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  observers_.push_back(std::move(observer));
}

std::vector<std::shared_ptr<Observer>> Registry::observers() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return observers_;
}

void Registry::SetBreakerMaker(BreakerMaker maker) {
  const std::lock_guard<std::mutex> lock(mutex_);
  maker_ = std::move(maker);
}

std::shared_ptr<SharedBreaker> Registry::FindOrCreate(BreakerId id, const BreakerOptions& options, Time now, const PolicyStamp& stamp) {
  if (options.mode == BreakerMode::kDisabled) {
    Rest(id, options, now, stamp);
    return nullptr;
  }
  std::shared_ptr<SharedBreaker> made;
  while (true) {
    BreakerId name;
    std::shared_ptr<Entry> taken;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      Place place = FindPlace(id, options, stamp);
      if (place.taken != nullptr) {
        taken = std::move(place.taken);
        taken->Claim(options, stamp);
      } else if (!place.free.has_value()) {
        break;
      } else if (made != nullptr && made->id() == *place.free) {
        auto entry = std::make_shared<Entry>();
        entry->breaker = made;
        entry->given = entry->wanted = made->options();
        entry->Claim(options, stamp);
        breakers_.emplace(Key(made->id().target, made->id().name()), std::move(entry));
        return made;
      } else {
        name = *std::move(place.free);
      }
    }
    // Outside the lock, because code of the user runs; meanwhile another thread may have taken the name.
    if (taken != nullptr) return Settle(*taken, now);
    made = Make(name, options, now);
    if (made == nullptr) return nullptr;
  }
  if (breakers_refused_.fetch_add(1, std::memory_order_relaxed) == 0) {
    Report({Problem::Kind::kTooManyBreakers, id.target,
            absl::StrCat("no breaker for ", id.name(), ": there are ", options_.max_breakers, " already (RegistryOptions::max_breakers)")});
  }
  return nullptr;
}

bool Registry::Entry::IsFor(const PolicyStamp& stamp) const {
  if (!of_source) return stamp.source == nullptr;
  return source.expired() || IsOf(source, stamp.source);
}

bool Registry::Entry::IsAheadOf(const PolicyStamp& stamp) const {
  return stamp.source != nullptr && IsOf(source, stamp.source) && std::max(generation, rested) > stamp.generation;
}

void Registry::Entry::Claim(const BreakerOptions& options, const PolicyStamp& stamp) {
  if (IsAheadOf(stamp)) return;
  of_source = stamp.source != nullptr;
  source = stamp.source;
  generation = stamp.generation;
  rested = 0;
  if (!SameBreaker(*wanted, options)) wanted = std::make_shared<const BreakerOptions>(options);
}

Registry::Place Registry::FindPlace(const BreakerId& id, const BreakerOptions& options, const PolicyStamp& stamp) const {
  // In this order: one that is as it should be; one that is ahead of `stamp`, whose link will follow; one that nobody has asked for since
  // the update.
  std::shared_ptr<Entry> ahead;
  std::shared_ptr<Entry> outdated;
  for (int number = 1;; ++number) {
    BreakerId numbered = Numbered(id, number);
    const auto it = breakers_.find(Key(numbered.target, numbered.name()));
    if (it == breakers_.end()) {
      if (ahead != nullptr) return {ahead, std::nullopt};
      if (outdated != nullptr) return {outdated, std::nullopt};
      if (breakers_.size() >= static_cast<std::size_t>(std::max(options_.max_breakers, 1))) return {};
      return {nullptr, std::move(numbered)};
    }
    const std::shared_ptr<Entry>& entry = it->second;
    if (!entry->IsFor(stamp)) continue;
    if (SameBreaker(*entry->wanted, options)) return {entry, std::nullopt};
    if (stamp.source == nullptr) continue;
    if (ahead == nullptr && entry->IsAheadOf(stamp)) ahead = entry;
    if (outdated == nullptr && (entry->source.expired() || entry->generation < stamp.generation)) outdated = entry;
  }
}

std::shared_ptr<SharedBreaker> Registry::Settle(Entry& entry, Time now) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (entry.changing) return entry.breaker;
  entry.changing = true;
  while (entry.given != entry.wanted) {
    entry.given = entry.wanted;
    const std::shared_ptr<const BreakerOptions> options = entry.given;
    lock.unlock();
    if (!entry.breaker->Reconfigure(*options, now, Random(NextSeed()))) {
      listener_errors_.fetch_add(1, std::memory_order_relaxed);
      Report({Problem::Kind::kHookThrew, entry.breaker->id().target,
              absl::StrCat("the breaker ", entry.breaker->id().name(), " stays as it is: the factory of the new one threw or gave none")});
    }
    lock.lock();
  }
  entry.changing = false;
  return entry.breaker;
}

void Registry::Rest(const BreakerId& id, const BreakerOptions& options, Time now, const PolicyStamp& stamp) {
  if (stamp.source == nullptr) return;
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    entry = FindPlace(id, options, stamp).taken;
    if (entry == nullptr || entry->generation >= stamp.generation || entry->IsAheadOf(stamp)) return;
    entry->rested = stamp.generation;
    // Not claimed: another entry of the same policies may still ask for it. It keeps its kind, whatever else `options` say.
    BreakerOptions resting = *entry->wanted;
    resting.mode = BreakerMode::kDisabled;
    if (!SameBreaker(*entry->wanted, resting)) entry->wanted = std::make_shared<const BreakerOptions>(std::move(resting));
  }
  Settle(*entry, now);
}

std::shared_ptr<SharedBreaker> Registry::Make(const BreakerId& id, const BreakerOptions& options, Time now) {
  // Weak: a handle to a breaker may outlive its registry.
  auto tell = [registry = weak_from_this()](const SharedBreaker& breaker, const BreakerTransition& transition) {
    if (const auto self = registry.lock()) self->Notify([&](Observer& observer) { observer.OnTransition(breaker, transition); });
  };
  BreakerMaker maker;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    maker = maker_;
  }
  std::unique_ptr<CircuitBreaker> breaker;
  const auto make = [&] { breaker = maker ? maker(id, options, now, Random(NextSeed())) : MakeBreaker(options, now, Random(NextSeed())); };
  if (!Guard(make) || breaker == nullptr) {
    Report({Problem::Kind::kHookThrew, id.target, absl::StrCat("no breaker for ", id.name(), ": its factory threw or gave none")});
    return nullptr;
  }
  return std::make_shared<SharedBreaker>(id, options, std::move(breaker), now, std::move(tell), std::move(maker));
}

std::shared_ptr<SharedBreaker> Registry::Find(absl::string_view target, absl::string_view name) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = breakers_.find(Key(target, name));
  return it == breakers_.end() ? nullptr : it->second->breaker;
}

std::vector<std::shared_ptr<SharedBreaker>> Registry::List() const {
  std::vector<std::shared_ptr<SharedBreaker>> list;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    list.reserve(breakers_.size());
    for (const auto& [key, entry] : breakers_) list.push_back(entry->breaker);
  }
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
    return std::make_pair(a->id().target, a->id().name()) < std::make_pair(b->id().target, b->id().name());
  });
  return list;
}

std::vector<Registry::BudgetState> Registry::Budgets() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<BudgetState> states;
  for (const auto& [target, weak] : budgets_) {
    if (const auto budget = weak.lock()) states.push_back({target, budget->tokens(), budget->max_tokens()});
  }
  return states;
}

void Registry::AddBudget(const std::string& target, std::weak_ptr<const RetryBudget> budget) {
  const std::lock_guard<std::mutex> lock(mutex_);
  budgets_.erase(std::remove_if(budgets_.begin(), budgets_.end(), [](const auto& entry) { return entry.second.expired(); }),
                 budgets_.end());
  budgets_.emplace_back(target, std::move(budget));
}

std::vector<std::shared_ptr<PolicySource>> Registry::Sources() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<PolicySource>> living;
  for (const std::weak_ptr<PolicySource>& weak : sources_) {
    if (auto source = weak.lock()) living.push_back(std::move(source));
  }
  return living;
}

void Registry::AddSource(const std::shared_ptr<PolicySource>& source) {
  if (source == nullptr) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  sources_.erase(std::remove_if(sources_.begin(), sources_.end(), [](const auto& weak) { return weak.expired(); }), sources_.end());
  const auto same = [&](const auto& weak) { return IsOf(weak, source); };
  if (std::none_of(sources_.begin(), sources_.end(), same)) sources_.push_back(source);
}

void Registry::Report(const Problem& problem) {
  Notify([&](Observer& observer) { observer.OnProblem(problem); });
}

std::uint64_t Registry::NextSeed() {
  // SplitMix64's increment: neighbouring seeds are far apart.
  return seed_.fetch_add(0x9e3779b97f4a7c15u, std::memory_order_relaxed);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
