// A traced breaker behind its registry, driven in virtual time by everything that can happen to one.
#ifndef RECLOSER_TEST_EVENTS_TRACED_WALK_H_
#define RECLOSER_TEST_EVENTS_TRACED_WALK_H_

#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "breaker_driver.h"
#include "recloser/core/random.h"
#include "recloser/core/registry.h"
#include "recloser/core/shared_breaker.h"
#include "recloser/events/decision_trace.h"

namespace recloser {

/// Choices that are the same in every run. `random` must outlive it.
inline auto ChooseBy(Random* random) {
  return [random](int low, int high) { return low + static_cast<int>(random->Next() % static_cast<unsigned>(high - low)); };
}

/// `Choose(low, high)`: a number from low to below high.
template <class Choose>
class TracedWalk {
 public:
  TracedWalk(const BreakerOptions& options, Choose choose, std::uint64_t seed, const DecisionTraceOptions& trace = {})
      : choose_(choose), registry_(Registry::Create({16, seed})), trace_(DecisionTrace::Start(registry_, trace)) {
    breaker_ = registry_->FindOrCreate({"dns:///orders:443", "orders.Orders", "Get"}, options, now_);
  }

  /// From now on a step may be a change to one of these options.
  void ReconfigureTo(std::vector<BreakerOptions> options) { reconfigurations_ = std::move(options); }

  void Step() {
    now_ += milliseconds(choose_(0, 4) == 0 ? choose_(0, 2000) : choose_(0, 30));
    switch (choose_(0, 16)) {
      case 0:
        Rare();
        break;
      case 1:
      case 2:
        // A spell of one kind, so that there are transitions.
        Spell(choose_(0, 2) == 0 ? Ok() : Unavailable());
        break;
      case 3:
      case 4:
      case 5:
      case 6:
        GiveBack();
        break;
      default:
        Acquire(choose_(0, 6) == 0);
    }
  }

  std::string Take() { return trace_->Take(); }
  DecisionTrace& trace() { return *trace_; }
  SharedBreaker& breaker() { return *breaker_; }

 private:
  void Rare() {
    if (!reconfigurations_.empty() && choose_(0, 2) == 0) {
      const int next = choose_(0, static_cast<int>(reconfigurations_.size()));
      breaker_->Reconfigure(reconfigurations_[static_cast<std::size_t>(next)], now_, Random(static_cast<std::uint64_t>(choose_(0, 1000))));
      return;
    }
    switch (choose_(0, 7)) {
      case 0:
        return breaker_->ForceOpen(now_);
      case 1:
        return breaker_->Disable(now_);
      case 2:
      case 3:
        return breaker_->Reset(now_);
      case 4:
        return breaker_->FreshEvidence(now_);
      case 5:
        now_ -= milliseconds(choose_(0, 5000));
        return;
      default: {
        AttemptInfo info;
        info.hypothetical = true;
        breaker_->TryAcquire(now_, info);
      }
    }
  }

  void Spell(const AttemptResult& result) {
    for (int i = 0; i < 12; ++i) {
      const Admission admission = breaker_->TryAcquire(now_, {});
      now_ += milliseconds(choose_(1, 40));
      if (admission.admitted) breaker_->Record(admission.permit, now_, result);
    }
  }

  void Acquire(bool streaming) {
    AttemptInfo info;
    info.streaming = streaming;
    const Admission admission = breaker_->TryAcquire(now_, info);
    if (admission.admitted) out_[admission.permit.id] = admission.permit;
  }

  void GiveBack() {
    if (out_.empty()) return;
    auto it = out_.begin();
    std::advance(it, choose_(0, static_cast<int>(out_.size())));
    const Permit permit = it->second;
    out_.erase(it);
    if (permit.streaming && choose_(0, 2) == 0) breaker_->StreamStarted(permit, now_);
    switch (choose_(0, 6)) {
      case 0:
        return breaker_->Drop(permit, now_);
      case 1:
        return breaker_->Abandon(permit);
      default:
        breaker_->Record(permit, now_, AnyResult());
    }
  }

  AttemptResult AnyResult() {
    AttemptResult result = Ended(static_cast<absl::StatusCode>(choose_(0, 18)));
    result.cancelled_by_caller = choose_(0, 8) == 0;
    result.rejected_by_recloser = choose_(0, 16) == 0;
    result.attempt_timed_out = choose_(0, 8) == 0;
    if (choose_(0, 4) == 0) result.allowed = milliseconds(choose_(1, 100));
    if (choose_(0, 4) == 0) result.message = "Received message larger than max (5 vs. 4)";
    if (choose_(0, 16) == 0) result.outcome_by_hook = static_cast<Outcome>(choose_(0, 3));
    return result;
  }

  Choose choose_;
  Time now_ = Time(hours(1));
  std::shared_ptr<Registry> registry_;
  std::shared_ptr<DecisionTrace> trace_;
  std::shared_ptr<SharedBreaker> breaker_;
  std::map<std::uint64_t, Permit> out_;
  std::vector<BreakerOptions> reconfigurations_;
};

}  // namespace recloser

#endif  // RECLOSER_TEST_EVENTS_TRACED_WALK_H_
