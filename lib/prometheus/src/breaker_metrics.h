// The series of the breakers. Most are read from snapshots when Prometheus scrapes; transitions and how long a breaker stayed open are
// events and are kept here.
//
// Thread safety: any member from any thread. The lock here is taken by transitions and scrapes only, never by a call of a closed breaker.
#ifndef RECLOSER_PROMETHEUS_SRC_BREAKER_METRICS_H_
#define RECLOSER_PROMETHEUS_SRC_BREAKER_METRICS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "page.h"
#include "recloser/core/shared_breaker.h"
#include "recording.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class BreakerMetrics {
 public:
  /// `unix_seconds`: when the transition happened, by the wall clock.
  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition, double unix_seconds);

  void Export(const SharedBreaker& breaker, Time now, Page& page) const;

 private:
  using ByReason = std::array<std::uint64_t, kTransitionReasons>;
  using Transitions = std::array<std::array<ByReason, kBreakerStates>, kBreakerStates>;  // [from][to][reason]

  /// What the events of one breaker add up to. Breakers are bounded in number by their registry, so these are too.
  struct History {
    std::array<Transitions, 2> transitions{};  // enforced, in shadow mode
    std::array<bool, 2> seen{};                // the modes that it ever was in; their series stay when the mode changes
    std::optional<double> last_transition_unix_seconds;
    DurationHistogram open_duration{kOpenBounds};
  };
  using Key = std::pair<std::string, std::string>;  // target, name

  /// With `mutex_` held.
  History& HistoryOf(const SharedBreaker& breaker) const;
  static void ExportHistory(const History& history, const Labels& labels, Page& page);
  static void ExportTransitions(const Transitions& transitions, BreakerMode mode, const Labels& labels, Page& page);

  mutable std::mutex mutex_;
  // Guarded by `mutex_`.
  mutable absl::flat_hash_map<Key, std::unique_ptr<History>> histories_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_SRC_BREAKER_METRICS_H_
