// Random reloads between random events, against what must hold whatever happens.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "pick.h"
#include "shared_driver.h"

namespace recloser {
namespace {

const Time kBegin{hours(1)};

BreakerOptions AnyOptions() {
  BreakerOptions options;
  options.mode = static_cast<BreakerMode>(Pick(0, 3));
  if (Pick(0, 2) == 0) {
    StandardBreakerOptions standard = SmallStandard();
    standard.window = static_cast<StandardBreakerOptions::Window>(Pick(0, 2));
    standard.window_calls = Pick(1, 40);
    standard.window_time = milliseconds(Pick(100, 30000));
    standard.minimum_calls = Pick(1, 20);
    standard.failure_rate_threshold = 0.1 + 0.9 * PickFraction();
    standard.wait = milliseconds(Pick(1, 5000));
    standard.wait_multiplier = Pick(1, 4);
    standard.wait_jitter = PickFraction();
    standard.permitted_half_open_calls = Pick(1, 8);
    standard.permit_lease = milliseconds(Pick(1, 10000));
    options.kind = standard;
    return options;
  }
  AdaptiveBreakerOptions adaptive;
  adaptive.wasted_attempt_cost = Pick(1, 30);
  adaptive.judge_in_flight = Pick(0, 2) == 0;
  adaptive.sequential_opening = Pick(0, 2) == 0;
  adaptive.slow_call_duration = milliseconds(Pick(1, 1000));
  adaptive.evidence_min = Pick(1, 10);
  adaptive.evidence_max = adaptive.evidence_min + Pick(0, 10);
  adaptive.probe_interval_max = milliseconds(Pick(50, 4000));
  adaptive.probes_in_flight_max = Pick(1, 6);
  adaptive.ramp_floor = 0.01 + 0.5 * PickFraction();
  adaptive.ramp_start = adaptive.ramp_floor + (1 - adaptive.ramp_floor) * PickFraction();
  adaptive.ramp_stage_outcomes = Pick(1, 8);
  adaptive.ramp_free_rate = Pick(0, 40);
  adaptive.window.min_calls = Pick(1, 50);
  adaptive.window.max_calls = adaptive.window.min_calls + Pick(0, 100);
  adaptive.window.max_age = milliseconds(Pick(100, 20000));
  adaptive.rate_time_constant = milliseconds(Pick(10, 5000));
  adaptive.permit_lease = milliseconds(Pick(10, 10000));
  if (Pick(0, 2) == 0) std::swap(adaptive.rating.metrics[0], adaptive.rating.metrics[2]);
  if (Pick(0, 2) == 0)
    adaptive.rating.metrics.insert(adaptive.rating.metrics.begin(), {std::make_shared<AmbientMetric>("load", hours(1)), 0.1});
  options.kind = adaptive;
  return options;
}

/// A walk over one breaker: calls, time, control by hand, and reloads.
class Walk {
 public:
  Walk() : driver_(AnyOptions()) { last_ = driver_.Snapshot(); }

  void Step() {
    switch (Pick(0, 16)) {
      case 0:
      case 1:
      case 2:
        Reload();
        break;
      case 3:
        Pick(0, 2) == 0 ? driver_.breaker->ForceOpen(driver_.now) : driver_.breaker->Disable(driver_.now);
        break;
      case 4:
      case 5:
        driver_.breaker->Reset(driver_.now);
        break;
      case 6:
        driver_.Step(milliseconds(Pick(0, 7000)));
        break;
      case 7:
      case 8:
        driver_.Calls(12, Pick(0, 2) == 0 ? Ok() : Unavailable());
        break;
      case 9:
      case 10:
      case 11:
        GiveBack();
        break;
      default:
        driver_.Step(milliseconds(Pick(0, 50)));
        if (const Admission admission = driver_.Acquire(); admission.permit.id != 0) out_.push_back(admission.permit);
    }
    CheckEvents();
    CheckSnapshot();
  }

  void End() {
    while (!out_.empty()) {
      GiveBack();
      CheckEvents();
    }
    CheckSnapshot();
    RC_ASSERT(last_.permits_in_flight == 0);
  }

 private:
  void Reload() {
    CheckEvents();
    const BreakerOptions options = AnyOptions();
    const bool same_kind = options.kind.index() == driver_.breaker->options()->kind.index();
    const BreakerSnapshot before = driver_.Snapshot();
    RC_ASSERT(options.Validate("").ok());
    RC_ASSERT(driver_.Reconfigure(options));
    const BreakerSnapshot after = driver_.Snapshot();
    RC_ASSERT(driver_.events.empty());
    RC_ASSERT(after.state == before.state);
    RC_ASSERT(after.since == before.since);
    RC_ASSERT(after.time_in_state == before.time_in_state);
    RC_ASSERT(after.rejected == before.rejected && after.stale_results == before.stale_results && after.probes == before.probes);
    if (same_kind) {
      RC_ASSERT(after.generation == before.generation);
      RC_ASSERT(after.permits_in_flight == before.permits_in_flight && after.probes_in_flight == before.probes_in_flight);
      RC_ASSERT(after.evidence == before.evidence && after.healthy_latency == before.healthy_latency);
      RC_ASSERT(after.retry_after <= before.retry_after);
    } else {
      RC_ASSERT(after.generation > before.generation);
      RC_ASSERT(after.permits_in_flight == 0);
    }
    generation_ = after.generation;
    first_of_machine_ = same_kind ? first_of_machine_ : after.generation;
  }

  void GiveBack() {
    if (out_.empty()) return;
    std::swap(out_[Pick<std::size_t>(0, out_.size())], out_.back());
    const Permit permit = out_.back();
    out_.pop_back();
    const BreakerSnapshot before = driver_.Snapshot();
    if (Pick(0, 4) == 0) {
      driver_.breaker->Drop(permit, driver_.now);
    } else {
      driver_.breaker->Record(permit, driver_.now, Pick(0, 2) == 0 ? Ok() : Unavailable());
    }
    // Of an earlier machine: nothing moves.
    if (permit.generation >= first_of_machine_) return;
    RC_ASSERT(driver_.events.empty());
    RC_ASSERT(driver_.Snapshot().window_calls == before.window_calls);
    RC_ASSERT(driver_.Snapshot().permits_in_flight == before.permits_in_flight);
  }

  void CheckEvents() {
    for (const BreakerTransition& event : std::exchange(driver_.events, {})) {
      RC_ASSERT(event.from == state_ && event.to != event.from);
      RC_ASSERT(event.generation == generation_ + 1);
      state_ = event.to;
      generation_ = event.generation;
    }
    RC_ASSERT(driver_.state() == state_);
  }

  void CheckSnapshot() {
    const BreakerSnapshot snapshot = driver_.Snapshot();
    RC_ASSERT(snapshot.generation == generation_);
    RC_ASSERT(snapshot.invariant_violations == 0u);
    RC_ASSERT(snapshot.permits_in_flight >= 0 && snapshot.permits_in_flight <= static_cast<std::int64_t>(out_.size()));
    RC_ASSERT(snapshot.rejected >= last_.rejected && snapshot.stale_results >= last_.stale_results);
    RC_ASSERT(snapshot.leases_expired >= last_.leases_expired);
    RC_ASSERT(std::equal(last_.probes.begin(), last_.probes.end(), snapshot.probes.begin(), std::less_equal<>()));
    RC_ASSERT(std::accumulate(snapshot.time_in_state.begin(), snapshot.time_in_state.end(), Duration::zero()) == driver_.now - kBegin);
    last_ = snapshot;
  }

  SharedDriver driver_;
  std::vector<Permit> out_;
  BreakerState state_ = BreakerState::kClosed;
  std::uint64_t generation_ = 1;
  std::uint64_t first_of_machine_ = 1;
  BreakerSnapshot last_;
};

TEST(ReloadProperty, WhateverIsReloadedWhenNothingIsResetAndNothingGoesBack) {
  EXPECT_TRUE(rc::check([] {
    Walk walk;
    const int steps = Pick(1, 200);
    for (int i = 0; i < steps; ++i) walk.Step();
    walk.End();
  }));
}

/// The same calls to two breakers, one of which is given other options between any two of them; they differ only in how long a lease
/// lasts, which no call here reaches.
void CheckTwins(BreakerOptions options, const std::function<void(BreakerOptions&, Duration)>& set_lease) {
  EXPECT_TRUE(rc::check([&] {
    SharedDriver plain(options, 5);
    SharedDriver reloaded(options, 5);
    for (int i = 0; i < 300; ++i) {
      const Duration pause = milliseconds(Pick(0, 100));
      const AttemptResult result = Pick(0, 1000) < (i / 60 % 2 == 0 ? 50 : 800) ? Unavailable() : Ok();
      plain.Step(pause);
      reloaded.Step(pause);
      set_lease(options, minutes(5 + i % 7));
      RC_ASSERT(reloaded.Reconfigure(options));
      RC_ASSERT(plain.Call(result) == reloaded.Call(result));
      const BreakerSnapshot a = plain.Snapshot();
      const BreakerSnapshot b = reloaded.Snapshot();
      RC_ASSERT(a.state == b.state && a.generation == b.generation && a.since == b.since);
      RC_ASSERT(a.retry_after == b.retry_after && a.admitted_share == b.admitted_share);
      RC_ASSERT(a.window_calls == b.window_calls && a.rating == b.rating && a.evidence == b.evidence);
      RC_ASSERT(a.failure_rate == b.failure_rate && a.healthy_latency == b.healthy_latency);
      RC_ASSERT(a.rejected == b.rejected && a.probes == b.probes);
    }
    RC_ASSERT(plain.events.size() == reloaded.events.size());
  }));
}

TEST(ReloadProperty, AnAdaptiveBreakerDecidesAsItWouldHaveWithoutReloads) {
  CheckTwins(BreakerOptions(),
             [](BreakerOptions& options, Duration lease) { std::get<AdaptiveBreakerOptions>(options.kind).permit_lease = lease; });
}

TEST(ReloadProperty, AStandardBreakerDecidesAsItWouldHaveWithoutReloads) {
  StandardBreakerOptions jittered = SmallStandard();
  jittered.wait_jitter = 0.5;
  jittered.wait_multiplier = 2;
  for (const auto window : {StandardBreakerOptions::Window::kCount, StandardBreakerOptions::Window::kTime}) {
    jittered.window = window;
    CheckTwins(Options(jittered),
               [](BreakerOptions& options, Duration lease) { std::get<StandardBreakerOptions>(options.kind).permit_lease = lease; });
  }
}

}  // namespace
}  // namespace recloser
