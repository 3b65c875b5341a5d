#include "recloser/core/policy_source.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "policy_identity.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

std::shared_ptr<const PolicySet> Identified(PolicySet set) {
  set.defaults = WithIdentifiedHooks(std::move(set.defaults));
  for (auto& [target, policies] : set.targets) policies = WithIdentifiedHooks(std::move(policies));
  return std::make_shared<const PolicySet>(std::move(set));
}

bool SameSet(const PolicySet& a, const PolicySet& b) {
  return SamePolicies(a.defaults, b.defaults) &&
         std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && SamePolicies(x.second, y.second); });
}

}  // namespace

const Policies& PolicySet::For(absl::string_view target) const {
  const auto it = targets.find(std::string(target));
  return it == targets.end() ? defaults : it->second;
}

absl::Status PolicySet::Validate() const {
  if (const absl::Status status = defaults.Validate(); !status.ok()) return status;
  for (const auto& [target, policies] : targets) {
    const absl::Status status = policies.Validate();
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat("targets[", target, "].", absl::StripPrefix(status.message(), "policies.")));
    }
  }
  return absl::OkStatus();
}

std::shared_ptr<PolicySource> PolicySource::Create(PolicySet set, PolicyOrigin origin) {
  return std::shared_ptr<PolicySource>(new PolicySource(std::move(set), std::move(origin)));
}

PolicySource::PolicySource(PolicySet set, PolicyOrigin origin) : current_{Identified(std::move(set)), 1} {
  status_.origin = std::move(origin);
}

absl::Status PolicySource::Update(PolicySet set, PolicyOrigin origin, Time now) {
  if (const absl::Status status = set.Validate(); !status.ok()) {
    Refused(status);
    return status;
  }
  std::shared_ptr<const PolicySet> next = Identified(std::move(set));  // then the set before, whose hooks must not die under the lock
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    status_.origin = std::move(origin);
    status_.last_error.clear();
    if (SameSet(*next, *current_.set)) {
      ++status_.unchanged;
      return absl::OkStatus();
    }
    ++status_.applied;
    std::swap(current_.set, next);
    current_.generation = ++status_.generation;
    pending_.emplace_back(current_, now);
    if (std::exchange(delivering_, true)) return absl::OkStatus();
  }
  Deliver();
  return absl::OkStatus();
}

void PolicySource::Deliver() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!pending_.empty()) {
    const auto [version, now] = std::move(pending_.front());
    pending_.pop_front();
    const std::vector<Subscription> subscriptions = subscriptions_;
    lock.unlock();
    for (const Subscription& subscription : subscriptions) {
      if (subscription.after >= version.generation) continue;
      const std::shared_ptr<const void> alive = subscription.subscriber.lock();
      if (alive == nullptr) continue;
      try {
        (*subscription.follow)(version, now);
      } catch (...) {  // one that breaks the rule must not keep this and all later updates from the others
      }
    }
    lock.lock();
  }
  delivering_ = false;
}

void PolicySource::Refused(const absl::Status& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++status_.refused;
  status_.last_error = std::string(why.message());
}

PolicyVersion PolicySource::version() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return current_;
}

PolicySourceStatus PolicySource::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

PolicyVersion PolicySource::Subscribe(std::weak_ptr<const void> subscriber, Follow follow) {
  auto shared = std::make_shared<const Follow>(std::move(follow));
  std::vector<Subscription> dead;  // what their functions hold dies after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto first_dead = std::stable_partition(subscriptions_.begin(), subscriptions_.end(),
                                                [](const Subscription& subscription) { return !subscription.subscriber.expired(); });
  dead.assign(std::make_move_iterator(first_dead), std::make_move_iterator(subscriptions_.end()));
  subscriptions_.erase(first_dead, subscriptions_.end());
  subscriptions_.push_back({std::move(subscriber), std::move(shared), current_.generation});
  return current_;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
