// Policies that change while channels use them.
//
//   auto source = PolicySource::Create({Policies::Defaults(), {}}, {"built in", ""});
//   auto channel = recloser::CreateChannel(target, credentials, source);       // any number of channels
//   absl::Status status = source->Update(new_set, {"policies.json", "9f86d081884c7d65"}, recloser::Now());
//
// An update is applied whole or refused whole. States, windows, learnt values, retry tokens (by their share of the bucket) and generations
// are kept; calls in flight finish under the policies that they began with. `recloser/config/policy_file.h` keeps a source up to date
// with a file.
//
// Thread safety: any member from any thread, also from observers and from within an update. No lock is held while channels follow an
// update.
#ifndef RECLOSER_CORE_POLICY_SOURCE_H_
#define RECLOSER_CORE_POLICY_SOURCE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "recloser/core/export.h"
#include "recloser/core/policies.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

/// Policies of all channels of a process.
struct PolicySet {
  Policies defaults = Policies::Defaults();
  /// By target, as given to the channel; these stand for `defaults` whole.
  std::map<std::string, Policies> targets;

  const Policies& For(absl::string_view target) const;
  /// As `Policies::Validate`, with the target in the path: "targets[dns:///orders:443].methods[a.B/C].retry.max_attempts: ...".
  absl::Status Validate() const;
};

/// Where policies came from, for people and for metrics.
struct PolicyOrigin {
  std::string name;  // "/etc/recloser/policies.json"; "built in"
  std::string hash;  // of the content; "" when there is none
};

/// What a source can tell of itself.
struct PolicySourceStatus {
  PolicyOrigin origin;           // of the set in force
  std::uint64_t generation = 1;  // 1 at creation, one more with each update that was applied
  std::uint64_t applied = 0;     // updates
  std::uint64_t unchanged = 0;   // updates that said the same again
  std::uint64_t refused = 0;
  std::string last_error;  // of the latest update if that was refused; "" else
};

/// A set and its number.
struct PolicyVersion {
  std::shared_ptr<const PolicySet> set;
  std::uint64_t generation = 0;
};

class PolicySource {
 public:
  /// `set` must be valid (`PolicySet::Validate`); channels made with an invalid one refuse every call.
  static std::shared_ptr<PolicySource> Create(PolicySet set, PolicyOrigin origin);

  /// INVALID_ARGUMENT with the field, its value and what is allowed: nothing changed then. An equal set changes nothing but the origin.
  /// When it returns, all channels follow it; only when another update is on its way they follow after that one, in order. Hooks can't be
  /// compared: a set whose `classify` was given anew counts as changed, one copied from `current()` does not.
  absl::Status Update(PolicySet set, PolicyOrigin origin, Time now);

  /// Counts an update that could not even be read.
  void Refused(const absl::Status& why);

  std::shared_ptr<const PolicySet> current() const { return version().set; }
  PolicyVersion version() const;
  PolicySourceStatus status() const;

  /// Runs `follow` with each version after the one that is returned, in order and one at a time, as long as `subscriber` lives, which
  /// is kept alive meanwhile. `follow` must not throw; if it does, the others still follow.
  using Follow = std::function<void(const PolicyVersion&, Time now)>;
  PolicyVersion Subscribe(std::weak_ptr<const void> subscriber, Follow follow);

 private:
  PolicySource(PolicySet set, PolicyOrigin origin);
  void Deliver();

  struct Subscription {
    std::weak_ptr<const void> subscriber;
    std::shared_ptr<const Follow> follow;
    std::uint64_t after = 0;  // the generation that it began with
  };

  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  PolicyVersion current_;
  PolicySourceStatus status_;
  std::vector<Subscription> subscriptions_;
  std::deque<std::pair<PolicyVersion, Time>> pending_;
  bool delivering_ = false;  // a thread is at it; it takes what comes meanwhile too
};

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_CORE_POLICY_SOURCE_H_
