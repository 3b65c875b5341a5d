#include "demo_services/fault/engine.h"

#include <utility>

#include "demo_services/fault/plan.h"
#include "recloser/config/duration.h"

namespace recloser::demo {

void FaultEngine::Todo::Run() {
  for (auto& [proceed, status] : calls) proceed(status);
  for (const std::function<void()>& watcher : watchers) watcher();
}

FaultEngine::FaultEngine(Scheduler* scheduler, std::uint64_t seed) : scheduler_(scheduler), model_(seed, Scheduler::Now()), counts_(1) {}

absl::Status FaultEngine::SetPlan(const v1::FaultPlan& plan) {
  if (absl::Status status = CheckPlan(plan); !status.ok()) return status;
  StartPlan(plan);
  return absl::OkStatus();
}

void FaultEngine::Reset() { StartPlan(v1::FaultPlan()); }

void FaultEngine::StartPlan(v1::FaultPlan plan) {
  Todo before;
  Todo after;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Time now = Scheduler::Now();
    before = Advance(now);
    counts_.assign(static_cast<std::size_t>(plan.phases_size()) + 1, Counts());
    model_.SetPlan(std::move(plan), now);
    after = Advance(now);
  }
  before.Run();
  after.Run();
}

FaultEngine::Todo FaultEngine::Advance(Time now) {
  Todo todo;
  for (const std::shared_ptr<FaultTicket>& ticket : model_.Advance(now)) {
    // Null: the call has left. It kept its place and is done with it.
    if (ticket->proceed != nullptr) todo.calls.emplace_back(std::exchange(ticket->proceed, nullptr), ticket->status);
  }
  if (model_.changes() != changes_told_) {
    changes_told_ = model_.changes();
    for (const auto& [id, watcher] : watchers_) todo.watchers.push_back(watcher);
  }
  Arm(now);
  return todo;
}

void FaultEngine::Arm(Time now) {
  const Time next = model_.NextEvent(now);
  if (timer_.has_value() && timer_->first == next) return;
  if (timer_.has_value()) scheduler_->Cancel(*timer_);
  timer_.reset();
  ++timer_number_;
  if (next != kInfiniteFuture) timer_ = scheduler_->At(next, [this, number = timer_number_] { OnTimer(number); });
}

void FaultEngine::OnTimer(std::uint64_t number) {
  Todo todo;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (number != timer_number_) return;  // replaced while it waited for the lock
    timer_.reset();
    todo = Advance(Scheduler::Now());
  }
  todo.Run();
}

std::shared_ptr<CallGate::Ticket> FaultEngine::Arrive() {
  Todo todo;
  std::shared_ptr<FaultTicket> ticket;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    todo = Advance(Scheduler::Now());
    ticket = model_.Arrive();
    ++in_flight_;
    ++CountsOf(*ticket)->received;
  }
  todo.Run();
  return ticket;
}

void FaultEngine::Await(const std::shared_ptr<Ticket>& ticket, Proceed proceed) {
  Todo todo;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto fault_ticket = std::static_pointer_cast<FaultTicket>(ticket);
    fault_ticket->proceed = std::move(proceed);
    const Time now = Scheduler::Now();
    model_.Admit(fault_ticket, now);
    todo = Advance(now);
  }
  todo.Run();
}

void FaultEngine::Leave(const std::shared_ptr<Ticket>& ticket, CallResult result) {
  Proceed dropped;  // destroyed after the lock: it may hold the call
  const std::lock_guard<std::mutex> lock(mutex_);
  FaultTicket& fault_ticket = static_cast<FaultTicket&>(*ticket);
  dropped = std::exchange(fault_ticket.proceed, nullptr);
  model_.Leave(fault_ticket);
  --in_flight_;
  Counts* counts = CountsOf(fault_ticket);
  if (counts == nullptr) return;
  switch (result) {
    case CallResult::kOk:
      ++counts->ok;
      break;
    case CallResult::kFailed:
      ++counts->errors;
      break;
    case CallResult::kCancelled:
      ++(cutting_ ? counts->cut : counts->abandoned);
      break;
  }
}

FaultEngine::Counts* FaultEngine::CountsOf(const FaultTicket& ticket) {
  return ticket.plan == model_.plan_number() ? &counts_[ticket.phase] : nullptr;
}

void FaultEngine::set_cutting(bool cutting) {
  const std::lock_guard<std::mutex> lock(mutex_);
  cutting_ = cutting;
}

std::uint64_t FaultEngine::Watch(std::function<void()> watcher) {
  const std::lock_guard<std::mutex> lock(mutex_);
  watchers_.emplace(next_watcher_, std::move(watcher));
  return next_watcher_++;
}

void FaultEngine::Unwatch(std::uint64_t id) {
  std::function<void()> dropped;  // destroyed after the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = watchers_.find(id);
  if (found == watchers_.end()) return;
  dropped = std::move(found->second);
  watchers_.erase(found);
}

void FaultEngine::TellWatchers() {
  Todo todo;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, watcher] : watchers_) todo.watchers.push_back(watcher);
  }
  todo.Run();
}

bool FaultEngine::Refuses() {
  Todo todo;
  bool refuses = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    todo = Advance(Scheduler::Now());
    refuses = model_.timeline().outage() == v1::Outage::REFUSE;
  }
  todo.Run();
  return refuses;
}

v1::FaultStatus FaultEngine::Status() {
  Todo todo;
  v1::FaultStatus status;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Time now = Scheduler::Now();
    todo = Advance(now);
    const FaultTimeline& timeline = model_.timeline();
    status.set_phase(timeline.index());
    status.set_phase_name(timeline.NameOf(timeline.index()));
    *status.mutable_since() = ToProto(Elapsed(timeline.phase_start(), now));
    *status.mutable_plan_age() = ToProto(Elapsed(timeline.plan_start(), now));
    status.set_plan_generation(model_.plan_number());
    status.set_outage(timeline.outage());
    status.set_capacity(timeline.CapacityAt(now));
    status.set_in_flight(in_flight_);
    status.set_queue_length(model_.queue_length());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      v1::PhaseCounts& counts = *status.add_counts();
      counts.set_phase_name(timeline.NameOf(static_cast<int>(i)));
      counts.set_received(counts_[i].received);
      counts.set_ok(counts_[i].ok);
      counts.set_errors(counts_[i].errors);
      counts.set_abandoned(counts_[i].abandoned);
      counts.set_cut(counts_[i].cut);
    }
  }
  todo.Run();
  return status;
}

}  // namespace recloser::demo
