// Around a breaker: tells a sink everything that goes into it and what it says.
//
// It is used where the breaker would be, so under the lock of a SharedBreaker, and so sees what the breaker sees, in that order. Asking
// (state, snapshot) changes nothing and is not recorded.
#ifndef RECLOSER_EVENTS_SRC_TRACED_BREAKER_H_
#define RECLOSER_EVENTS_SRC_TRACED_BREAKER_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "recloser/core/breaker.h"
#include "recloser/core/breaker_options.h"
#include "recloser/core/random.h"
#include "recloser/core/shared_breaker.h"
#include "recloser/events/v1/trace.pb.h"
#include "trace_sink.h"
#include "user_scores.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {

namespace v1 = events::v1;

class TracedBreaker final : public CircuitBreaker {
 public:
  /// Makes the breaker and records that. `number`: its name in the trace, unique and above 0.
  TracedBreaker(std::uint32_t number, const BreakerId& id, const BreakerOptions& options, Time now, const Random& random,
                std::shared_ptr<TraceSink> sink);
  /// False: a factory of the user gave none.
  bool has_breaker() const { return breaker_ != nullptr; }

  Admission TryAcquire(Time now, const AttemptInfo& info) override;
  Outcome Record(const Permit& permit, Time now, const AttemptResult& result) override;
  void Drop(const Permit& permit, Time now) override;
  void StreamStarted(const Permit& permit, Time now) override;
  void FreshEvidence(Time now) override;
  void ForceOpen(Time now) override;
  void Disable(Time now) override;
  void Reset(Time now) override;
  bool Reconfigure(const BreakerOptions& options, Time now) override;
  void TakeOver(const BreakerSnapshot& before, Time now) override;
  std::optional<Duration> healthy_latency() const override { return breaker_->healthy_latency(); }
  Duration slow_call_duration() const override { return breaker_->slow_call_duration(); }
  BreakerState state() const override { return breaker_->state(); }
  BreakerSnapshot Snapshot(Time now) const override { return breaker_->Snapshot(now); }

 private:
  /// Hands on the transitions that the breaker made, and the step to the sink. `describe` fills the record's step.
  template <class Describe>
  void Step(Time now, Describe&& describe);

  const std::uint32_t number_;
  const std::shared_ptr<TraceSink> sink_;
  ScoreNotes notes_;
  std::unique_ptr<CircuitBreaker> breaker_;
  v1::TraceRecord record_;  // kept for its memory
};

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_EVENTS_SRC_TRACED_BREAKER_H_
