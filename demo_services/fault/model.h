// A fault plan applied to calls: what happens to each, and when. Values in, decision out: reads no clock, so tests play plans in virtual
// time.
//
//   FaultModel model(seed, now);
//   model.SetPlan(plan, now);                       // checked before
//   auto ticket = model.Arrive(now);
//   model.Admit(ticket, now);
//   for (const auto& due : model.Advance(later)) due->proceed(due->status);
//
// `now` must not go back. Thread safety: none.
#ifndef RECLOSER_DEMO_SERVICES_FAULT_MODEL_H_
#define RECLOSER_DEMO_SERVICES_FAULT_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "demo_services/fault/ticket.h"
#include "demo_services/fault/timeline.h"
#include "demo_services/fault/workers.h"
#include "recloser/core/random.h"
#include "recloser/core/time.h"

namespace recloser::demo {

class FaultModel {
 public:
  using Tickets = std::vector<std::shared_ptr<FaultTicket>>;

  /// Healthy. `seed` is for plans that bring none.
  FaultModel(std::uint64_t seed, Time now);

  /// Starts a checked plan, or with an empty one makes the service healthy. Calls that wait go on under the new plan's workers.
  void SetPlan(v1::FaultPlan plan, Time now);

  /// Decides on a call that arrives, by the phase of the last Advance.
  std::shared_ptr<FaultTicket> Arrive();
  /// Sends a call on its way; it will be due from Advance(now) on, later, or never.
  void Admit(const std::shared_ptr<FaultTicket>& ticket, Time now);
  /// The call is over. Its place in the queue stays taken unless the plan says otherwise.
  void Leave(FaultTicket& ticket);

  /// Moves to `now`; the calls whose wait is over, in order.
  Tickets Advance(Time now);
  /// When Advance is needed next.
  Time NextEvent(Time now) const;

  const FaultTimeline& timeline() const { return *timeline_; }
  std::uint64_t plan_number() const { return plan_number_; }
  /// Grows with each change of plan, phase or outage.
  std::uint64_t changes() const { return changes_; }
  std::size_t queue_length() const { return workers_.queue_length(); }

 private:
  void AdvanceCalls(Time now, Tickets* due);
  void TellWorkers(Time now);
  void Delay(std::vector<FaultWorkers::Served>* served);

  const std::uint64_t seed_;
  Random random_;
  std::optional<FaultTimeline> timeline_;
  FaultWorkers workers_;
  std::multimap<Time, std::shared_ptr<FaultTicket>> delayed_;  // by the end of the delay
  std::uint64_t plan_number_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_FAULT_MODEL_H_
