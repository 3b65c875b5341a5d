// Everything that can be done to a shared breaker, in any order and at any time, against what must hold whatever happens.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "core_options.h"
#include "recloser/core/shared_breaker.h"

namespace recloser::fuzz {
namespace {

/// Never less than before.
void CheckGrows(const BreakerSnapshot& before, const BreakerSnapshot& after) {
  FUZZ_CHECK(after.generation >= before.generation);
  FUZZ_CHECK(after.rejected >= before.rejected);
  FUZZ_CHECK(after.stale_results >= before.stale_results);
  FUZZ_CHECK(after.leases_expired >= before.leases_expired);
  FUZZ_CHECK(after.clock_anomalies >= before.clock_anomalies);
  for (std::size_t i = 0; i < before.probes.size(); ++i) FUZZ_CHECK(after.probes[i] >= before.probes[i]);
}

class Walk {
 public:
  explicit Walk(FuzzInput& input) : input_(input), options_(AnyBreaker(input)) {
    breaker_ = std::make_shared<SharedBreaker>(
        BreakerId{"t", "s", "m"}, options_, MakeBreaker(options_, now_, Random(1)), now_,
        [this](const SharedBreaker& breaker, const BreakerTransition& transition) { OnTransition(breaker, transition); });
    last_ = breaker_->Snapshot(now_);
  }

  void Run() {
    for (int i = 0; i < 2000 && !input_.empty(); ++i) {
      now_ = AnyLater(input_, now_);
      Step();
      CheckState();
    }
    while (!permits_.empty()) GiveBack();
    CheckState();
    if (now_ < Time::max() - std::chrono::hours(48)) {
      // What was never given back is reclaimed when its lease ends, by whoever asks next.
      now_ += std::chrono::hours(48);
      breaker_->TryAcquire(now_, {});
      FUZZ_CHECK(breaker_->Snapshot(now_).permits_in_flight <= 1);
    }
  }

 private:
  void Step() {
    switch (input_.Pick(32)) {
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
        options_ = AnyBreaker(input_);
        FUZZ_CHECK(breaker_->Reconfigure(options_, now_, Random(2)));
        return;
      case 6:
      case 7:
        return Spell();
      default:
        input_.Flip() ? Acquire() : GiveBack();
    }
  }

  /// Calls with one kind of end, so that the automatic transitions come too.
  void Spell() {
    const AttemptResult result = AnyResult(input_);
    const Duration each = std::chrono::milliseconds(input_.Byte());
    for (int i = input_.Pick(40); i > 0; --i) {
      const Admission admission = breaker_->TryAcquire(now_, {});
      now_ = SaturatingAdd(now_, each);
      if (admission.admitted) breaker_->Record(admission.permit, now_, result);
    }
  }

  void Acquire() {
    AttemptInfo info;
    info.streaming = input_.Pick(4) == 1;
    info.hypothetical = input_.Pick(16) == 1;
    const BreakerState before = breaker_->state();
    const Admission admission = breaker_->TryAcquire(now_, info);
    const bool acts = options_.mode == BreakerMode::kEnforce;
    if (acts && before == BreakerState::kForcedOpen) FUZZ_CHECK(!admission.admitted);
    if (before == BreakerState::kDisabled || !acts) FUZZ_CHECK(admission.admitted);
    if (admission.would_reject) FUZZ_CHECK(options_.mode == BreakerMode::kShadow);
    if (info.hypothetical) FUZZ_CHECK(admission.permit.id == 0);
    if (!admission.admitted) FUZZ_CHECK(admission.rejection.retry_after >= Duration::zero());
    if (admission.admitted && admission.permit.id != 0) {
      FUZZ_CHECK(permits_.emplace(std::pair(admission.permit.generation, admission.permit.id), admission.permit).second);
    }
  }

  void GiveBack() {
    if (permits_.empty()) return;
    const auto it = std::next(permits_.begin(), input_.Pick(static_cast<int>(std::min<std::size_t>(permits_.size(), 256))));
    const Permit permit = it->second;
    permits_.erase(it);
    switch (input_.Pick(8)) {
      case 0:
        return breaker_->Drop(permit, now_);
      case 1:
        return breaker_->Abandon(permit);
      case 2:
        breaker_->StreamStarted(permit, now_);
        [[fallthrough]];
      default:
        breaker_->Record(permit, now_, AnyResult(input_));
    }
  }

  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) {
    FUZZ_CHECK(&breaker == breaker_.get());
    FUZZ_CHECK(transition.from == told_.state && transition.to != transition.from);
    FUZZ_CHECK(transition.generation > told_.generation);
    FUZZ_CHECK(transition.admitted_share >= 0 && transition.admitted_share <= 1);
    FUZZ_CHECK(transition.time_in_from >= Duration::zero());
    FUZZ_CHECK(!Explain(transition).empty());
    told_ = {transition.to, transition.generation};
  }

  void CheckState() {
    const BreakerSnapshot snapshot = breaker_->Snapshot(now_);
    FUZZ_CHECK(snapshot.state == told_.state);
    FUZZ_CHECK(snapshot.invariant_violations == 0);
    FUZZ_CHECK(snapshot.permits_in_flight >= 0 && snapshot.permits_in_flight <= static_cast<std::int64_t>(permits_.size()));
    FUZZ_CHECK(snapshot.probes_in_flight >= 0 && snapshot.probes_in_flight <= snapshot.permits_in_flight);
    FUZZ_CHECK(snapshot.admitted_share >= 0 && snapshot.admitted_share <= 1);
    FUZZ_CHECK(snapshot.retry_after >= Duration::zero());
    FUZZ_CHECK(snapshot.offered_rate >= 0);
    if (snapshot.rating) FUZZ_CHECK(*snapshot.rating >= -1e-9 && *snapshot.rating <= 1 + 1e-9);
    for (const Duration spent : snapshot.time_in_state) FUZZ_CHECK(spent >= Duration::zero());
    CheckGrows(last_, snapshot);
    last_ = snapshot;
  }

  struct Told {
    BreakerState state = BreakerState::kClosed;
    std::uint64_t generation = 1;
  };

  FuzzInput& input_;
  BreakerOptions options_;
  Time now_{std::chrono::hours(1)};
  std::shared_ptr<SharedBreaker> breaker_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Permit> permits_;  // by generation and number
  Told told_;
  BreakerSnapshot last_;
};

}  // namespace
}  // namespace recloser::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  recloser::fuzz::FuzzInput input(data, size);
  recloser::fuzz::Walk(input).Run();
  return 0;
}
