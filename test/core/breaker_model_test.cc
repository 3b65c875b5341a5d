// Random sequences of everything that can be done to a breaker, against what must hold whatever happens.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <map>

#include "breaker_driver.h"
#include "pick.h"

namespace recloser {
namespace {

bool CountersGrow(const BreakerSnapshot& before, const BreakerSnapshot& after) {
  bool grow = after.rejected >= before.rejected && after.stale_results >= before.stale_results &&
              after.leases_expired >= before.leases_expired && after.clock_anomalies >= before.clock_anomalies &&
              after.generation >= before.generation;
  for (std::size_t i = 0; i < before.probes.size(); ++i) grow = grow && after.probes[i] >= before.probes[i];
  return grow;
}

bool TimesGrow(const BreakerSnapshot& before, const BreakerSnapshot& after) {
  return std::equal(before.time_in_state.begin(), before.time_in_state.end(), after.time_in_state.begin(), std::less_equal<>());
}

AttemptResult AnyResult() {
  AttemptResult result = Ended(static_cast<absl::StatusCode>(Pick(0, 17)));
  result.cancelled_by_caller = Pick(0, 8) == 0;
  result.rejected_by_recloser = Pick(0, 16) == 0;
  result.attempt_timed_out = Pick(0, 8) == 0;
  return result;
}

/// One breaker, the permits that are out, and what was seen so far.
class Walk {
 public:
  Walk(const BreakerOptions& options, int probe_limit) : driver_(options, Pick<std::uint64_t>(0, 1000)), probe_limit_(probe_limit) {
    last_ = driver_.Snapshot();
  }

  void Step() {
    const BreakerState before = driver_.state();
    switch (Pick(0, 24)) {
      case 0:
        driver_.breaker->ForceOpen(driver_.now);
        break;
      case 1:
        driver_.breaker->Disable(driver_.now);
        break;
      case 2:
      case 3:
        driver_.breaker->Reset(driver_.now);
        break;
      case 4:
        driver_.breaker->FreshEvidence(driver_.now);
        break;
      case 5:
        driver_.now -= milliseconds(Pick(0, 10000));
        break;
      case 6:
      case 7:
        driver_.Step(milliseconds(Pick(0, 7000)));
        break;
      case 8:
      case 9:
      case 10:
      case 11:
        GiveBack();
        break;
      case 12:
      case 13:
        // A run of one kind of result, so that the automatic transitions happen too.
        driver_.Calls(12, Pick(0, 2) == 0 ? Ok() : Unavailable());
        break;
      default:
        Acquire(before);
    }
    CheckTransitions();
    CheckSnapshot();
  }

  void GiveEverythingBack() {
    while (!out_.empty()) GiveBack();
    // What was never given back again is reclaimed when its lease ends.
    driver_.Step(hours(48));
    driver_.Acquire();
  }
  const Driver& driver() const { return driver_; }

 private:
  void Acquire(BreakerState before) {
    driver_.Step(milliseconds(Pick(0, 50)));
    const Admission admission = driver_.Acquire(Pick(0, 5) == 0);
    if (before == BreakerState::kForcedOpen) RC_ASSERT(!admission.admitted);
    if (before == BreakerState::kDisabled) RC_ASSERT(admission.admitted && admission.permit.id == 0);
    if (admission.admitted && admission.permit.id != 0) {
      RC_ASSERT(out_.emplace(admission.permit.id, admission.permit).second);
    }
  }

  void GiveBack() {
    if (out_.empty()) return;
    auto it = out_.begin();
    std::advance(it, Pick<std::size_t>(0, out_.size()));
    const Permit permit = it->second;
    out_.erase(it);
    if (permit.streaming && Pick(0, 2) == 0) driver_.breaker->StreamStarted(permit, driver_.now);
    Pick(0, 4) == 0 ? driver_.breaker->Drop(permit, driver_.now) : static_cast<void>(driver_.End(permit, AnyResult()));
  }

  void CheckTransitions() {
    for (const BreakerTransition& t : driver_.breaker->TakeTransitions()) {
      RC_ASSERT(t.from == state_);
      RC_ASSERT(t.to != t.from);
      RC_ASSERT(t.generation == ++generation_);
      RC_ASSERT(t.admitted_share >= 0 && t.admitted_share <= 1);
      RC_ASSERT(!Explain(t).empty());
      state_ = t.to;
    }
    RC_ASSERT(driver_.state() == state_);
  }

  void CheckSnapshot() {
    const BreakerSnapshot snapshot = driver_.Snapshot();
    RC_ASSERT(snapshot.generation == generation_);
    RC_ASSERT(snapshot.invariant_violations == 0u);
    RC_ASSERT(snapshot.permits_in_flight >= 0);
    RC_ASSERT(snapshot.permits_in_flight <= static_cast<std::int64_t>(out_.size()));
    RC_ASSERT(snapshot.probes_in_flight >= 0 && snapshot.probes_in_flight <= probe_limit_);
    RC_ASSERT(CountersGrow(last_, snapshot));
    // Asking does not move the breaker's clock, so what was asked for later than now may have been more.
    if (driver_.now >= asked_at_) RC_ASSERT(TimesGrow(last_, snapshot));
    asked_at_ = driver_.now;
    if (snapshot.rating.has_value()) RC_ASSERT(*snapshot.rating >= 0 && *snapshot.rating <= 1);
    last_ = snapshot;
  }

  Driver driver_;
  const int probe_limit_;
  std::map<std::uint64_t, Permit> out_;
  BreakerState state_ = BreakerState::kClosed;
  std::uint64_t generation_ = 1;
  BreakerSnapshot last_;
  Time asked_at_{};
};

void CheckWalks(const BreakerOptions& options, int probe_limit) {
  EXPECT_TRUE(rc::check([&] {
    Walk walk(options, probe_limit);
    const int steps = Pick(1, 300);
    for (int i = 0; i < steps; ++i) walk.Step();
    walk.GiveEverythingBack();
    RC_ASSERT(walk.driver().Snapshot().invariant_violations == 0u);
    RC_ASSERT(walk.driver().Snapshot().permits_in_flight <= 1);
  }));
}

TEST(BreakerModel, TheAdaptiveBreakerKeepsItsInvariants) { CheckWalks(BreakerOptions(), 3); }
TEST(BreakerModel, TheStandardBreakerKeepsItsInvariants) { CheckWalks(Options(SmallStandard()), 3); }

}  // namespace
}  // namespace recloser
