#include "traced_breaker.h"

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "breaker_config.h"
#include "step_message.h"
#include "transition_message.h"
#include "valid_text.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace events_internal {
namespace {

constexpr std::size_t kMaxName = 500;

}  // namespace

TracedBreaker::TracedBreaker(std::uint32_t number, const BreakerId& id, const BreakerOptions& options, Time now, const Random& random,
                             std::shared_ptr<TraceSink> sink)
    : number_(number), sink_(std::move(sink)), breaker_(MakeBreaker(notes_.Noting(options), now, random)) {
  if (breaker_ == nullptr) return;
  Step(now, [&](v1::TraceRecord* record) {
    v1::BreakerMade* const made = record->mutable_made();
    made->set_target(ValidText(id.target, kMaxName));
    made->set_service(ValidText(id.service, kMaxName));
    made->set_method(ValidText(id.method, kMaxName));
    for (const std::uint64_t word : random.state()) made->add_random(word);
    *made->mutable_config() = ToMessage(options);
  });
}

template <class Describe>
void TracedBreaker::Step(Time now, Describe&& describe) {
  std::vector<BreakerTransition> transitions;
  if (breaker_->has_transitions()) transitions = breaker_->TakeTransitions();
  if (sink_->active()) {
    record_.Clear();
    record_.set_breaker(number_);
    record_.set_now_ns(now.time_since_epoch().count());
    describe(&record_);
    for (const BreakerTransition& transition : transitions) ToMessage(transition, record_.add_transitions());
    for (const std::optional<double>& score : notes_.scores()) {
      v1::UserScore* const added = record_.add_scores();
      if (score.has_value()) added->set_score(*score);
    }
    sink_->Write(record_);
  }
  notes_.Clear();
  transitions_.insert(transitions_.end(), std::make_move_iterator(transitions.begin()), std::make_move_iterator(transitions.end()));
}

Admission TracedBreaker::TryAcquire(Time now, const AttemptInfo& info) {
  const Admission admission = breaker_->TryAcquire(now, info);
  Step(now, [&](v1::TraceRecord* record) { ToMessage(info, admission, record->mutable_try_acquire()); });
  return admission;
}

Outcome TracedBreaker::Record(const Permit& permit, Time now, const AttemptResult& result) {
  const Outcome outcome = breaker_->Record(permit, now, result);
  Step(now, [&](v1::TraceRecord* record) { ToMessage(permit, result, outcome, record->mutable_record()); });
  return outcome;
}

void TracedBreaker::Drop(const Permit& permit, Time now) {
  breaker_->Drop(permit, now);
  Step(now, [&](v1::TraceRecord* record) { record->mutable_drop()->set_permit(permit.id); });
}

void TracedBreaker::StreamStarted(const Permit& permit, Time now) {
  breaker_->StreamStarted(permit, now);
  Step(now, [&](v1::TraceRecord* record) { record->mutable_stream_started()->set_permit(permit.id); });
}

void TracedBreaker::FreshEvidence(Time now) {
  breaker_->FreshEvidence(now);
  Step(now, [](v1::TraceRecord* record) { record->mutable_fresh_evidence(); });
}

void TracedBreaker::ForceOpen(Time now) {
  breaker_->ForceOpen(now);
  Step(now, [](v1::TraceRecord* record) { record->mutable_force_open(); });
}

void TracedBreaker::Disable(Time now) {
  breaker_->Disable(now);
  Step(now, [](v1::TraceRecord* record) { record->mutable_disable(); });
}

void TracedBreaker::Reset(Time now) {
  breaker_->Reset(now);
  Step(now, [](v1::TraceRecord* record) { record->mutable_reset(); });
}

bool TracedBreaker::Reconfigure(const BreakerOptions& options, Time now) {
  const bool accepted = breaker_->Reconfigure(notes_.Noting(options), now);
  Step(now, [&](v1::TraceRecord* record) {
    *record->mutable_reconfigure()->mutable_config() = ToMessage(options);
    record->mutable_reconfigure()->set_accepted(accepted);
  });
  return accepted;
}

void TracedBreaker::TakeOver(const BreakerSnapshot& before, Time now) {
  breaker_->TakeOver(before, now);
  Step(now, [&](v1::TraceRecord* record) { ToMessage(before, record->mutable_take_over()); });
}

}  // namespace events_internal
}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
