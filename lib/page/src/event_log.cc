#include "event_log.h"

#include <chrono>

namespace recloser::page {
namespace {

class Forwarder final : public Observer {
 public:
  explicit Forwarder(std::weak_ptr<EventLog> log) : log_(std::move(log)) {}
  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) override {
    if (const std::shared_ptr<EventLog> log = log_.lock()) log->Add(breaker.id(), transition);
  }
  void OnProblem(const Problem& problem) override {
    if (const std::shared_ptr<EventLog> log = log_.lock()) log->Add(problem);
  }

 private:
  const std::weak_ptr<EventLog> log_;
};

}  // namespace

double UnixSeconds(Time at, Time now) {
  const std::chrono::duration<double> wall = std::chrono::system_clock::now().time_since_epoch();
  return wall.count() - ToSeconds(Elapsed(at, now));
}

void EventLog::Add(const BreakerId& id, const BreakerTransition& transition) {
  Transition entry{transition, UnixSeconds(transition.at, clock_())};
  const std::lock_guard<std::mutex> lock(mutex_);
  std::deque<Transition>& kept = transitions_[{id.target, id.name()}];
  kept.push_front(std::move(entry));
  if (kept.size() > transitions_kept_) kept.pop_back();
}

void EventLog::Add(const Problem& problem) {
  const Time now = clock_();
  const std::lock_guard<std::mutex> lock(mutex_);
  problems_.push_front({problem, now, UnixSeconds(now, now)});
  if (problems_.size() > kProblemsKept) problems_.pop_back();
}

std::vector<EventLog::Transition> EventLog::Transitions(const BreakerId& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = transitions_.find({id.target, id.name()});
  if (found == transitions_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<EventLog::ProblemTold> EventLog::Problems() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {problems_.begin(), problems_.end()};
}

std::shared_ptr<Observer> ObserverFor(std::weak_ptr<EventLog> log) { return std::make_shared<Forwarder>(std::move(log)); }

}  // namespace recloser::page
