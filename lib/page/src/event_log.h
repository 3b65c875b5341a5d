// What happened since the page was started: the last transitions of each breaker, the last problems.
//
// Thread safety: any member from any thread.
#ifndef RECLOSER_PAGE_SRC_EVENT_LOG_H_
#define RECLOSER_PAGE_SRC_EVENT_LOG_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "recloser/core/breaker.h"
#include "recloser/core/observer.h"
#include "recloser/core/shared_breaker.h"
#include "recloser/core/time.h"

namespace recloser::page {

inline constexpr std::size_t kProblemsKept = 50;

class EventLog {
 public:
  using Clock = Time (*)();

  struct Transition {
    BreakerTransition transition;
    double unix_time_seconds;
  };
  struct ProblemTold {
    Problem problem;
    Time at;
    double unix_time_seconds;
  };

  /// Keeps `transitions_kept` per breaker.
  EventLog(std::size_t transitions_kept, Clock clock) : transitions_kept_(transitions_kept), clock_(clock) {}

  void Add(const BreakerId& id, const BreakerTransition& transition);
  void Add(const Problem& problem);

  /// Newest first.
  std::vector<Transition> Transitions(const BreakerId& id) const;
  std::vector<ProblemTold> Problems() const;

 private:
  const std::size_t transitions_kept_;
  const Clock clock_;
  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  absl::flat_hash_map<std::pair<std::string, std::string>, std::deque<Transition>> transitions_;  // by target and name
  std::deque<ProblemTold> problems_;
};

/// Feeds `log` for as long as that lives: a registry keeps its observers for ever, a page may be stopped.
std::shared_ptr<Observer> ObserverFor(std::weak_ptr<EventLog> log);

/// When `at` was by the wall clock; `now` is the clock's time at this moment.
double UnixSeconds(Time at, Time now);

}  // namespace recloser::page

#endif  // RECLOSER_PAGE_SRC_EVENT_LOG_H_
