// An observer that writes down what it is told, one line per event, so that a test reads like the log of a call.
#ifndef RECLOSER_TEST_CORE_EVENT_RECORDER_H_
#define RECLOSER_TEST_CORE_EVENT_RECORDER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recloser/core/observer.h"

namespace recloser {

class EventRecorder final : public Observer, public MethodObserver, public std::enable_shared_from_this<EventRecorder> {
 public:
  std::vector<std::string> events;
  std::vector<Duration> delays;
  std::vector<BreakerTransition> transitions;
  std::vector<Problem> problems;
  std::vector<std::string> shadow_decisions;

  std::vector<std::string> Take() { return std::exchange(events, {}); }

  int Count(absl::string_view prefix) const {
    int count = 0;
    for (const std::string& event : events) count += absl::StartsWith(event, prefix) ? 1 : 0;
    return count;
  }

  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return shared_from_this(); }
  void OnTransition(const SharedBreaker&, const BreakerTransition& t) override { transitions.push_back(t); }
  void OnProblem(const Problem& problem) override { problems.push_back(problem); }

  void OnCallStarted() override { events.push_back("call"); }
  void OnCallFinished(const CallFinished& f) override {
    events.push_back(absl::StrCat("end ", CodeName(f.code), f.local ? " local " : " server ", f.attempts));
  }
  void OnAttemptStarted(int number) override { events.push_back(absl::StrCat("attempt ", number)); }
  void OnAttemptFinished(const AttemptFinished& f) override {
    events.push_back(absl::StrCat("attempt ", f.number, " ", CodeName(f.code), " ", OutcomeName(f.outcome)));
  }
  void OnTimeout(TimeoutScope scope, TimeoutSource source) override {
    events.push_back(absl::StrCat("timeout ", TimeoutScopeName(scope), source == TimeoutSource::kPolicy ? " policy" : " caller"));
  }
  void OnRetryScheduled(RetryReason reason, Duration delay) override {
    events.push_back(absl::StrCat("retry ", RetryReasonName(reason)));
    delays.push_back(delay);
  }
  void OnRetryFinished(RetryReason reason, bool success) override {
    events.push_back(absl::StrCat("retried ", RetryReasonName(reason), success ? " success" : " failure"));
  }
  void OnRetrySuppressed(RetrySuppressed why) override { events.push_back(absl::StrCat("no retry ", RetrySuppressedName(why))); }
  void OnRejected(bool shadow) override { events.push_back(shadow ? "would reject" : "rejected"); }
  void OnShadowDecision(const ShadowDecision& decision) override {
    shadow_decisions.emplace_back(ShadowAgreementName(decision.agreement()));
  }
};

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_EVENT_RECORDER_H_
