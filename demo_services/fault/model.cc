#include "demo_services/fault/model.h"

#include <algorithm>
#include <utility>

#include "demo_services/fault/draws.h"

namespace recloser::demo {
namespace {

grpc::Status DrawError(const v1::Phase& phase, Random& random) {
  if (phase.errors().empty()) return grpc::Status::OK;
  double u = random.Uniform();
  for (const v1::ErrorRate& error : phase.errors()) {
    if (u < error.probability()) {
      return {static_cast<grpc::StatusCode>(error.code()), error.message().empty() ? "injected by the fault plan" : error.message()};
    }
    u -= error.probability();
  }
  return grpc::Status::OK;
}

}  // namespace

FaultModel::FaultModel(std::uint64_t seed, Time now) : seed_(seed), random_(seed), workers_(&random_) {
  timeline_.emplace(v1::FaultPlan(), now, &random_);
}

void FaultModel::SetPlan(v1::FaultPlan plan, Time now) {
  random_ = Random(plan.seed() != 0 ? plan.seed() : seed_);
  timeline_.emplace(std::move(plan), now, &random_);
  ++plan_number_;
  ++changes_;
  TellWorkers(now);
}

std::shared_ptr<FaultTicket> FaultModel::Arrive() {
  auto ticket = std::make_shared<FaultTicket>();
  ticket->plan = plan_number_;
  const v1::Phase* phase = timeline_->phase();
  ticket->phase = static_cast<std::size_t>(phase != nullptr ? timeline_->index() : timeline_->plan().phases_size());
  if (phase == nullptr) return ticket;
  switch (timeline_->outage()) {
    case v1::Outage::ANSWER_UNAVAILABLE:
      ticket->status = {grpc::StatusCode::UNAVAILABLE, "down by the fault plan"};
      return ticket;
    case v1::Outage::REFUSE:
    case v1::Outage::BLACKHOLE:
      ticket->never_answered = true;
      return ticket;
    default:
      break;
  }
  ticket->uses_workers = timeline_->pool() != nullptr;
  if (phase->has_delay()) ticket->delay = Draw(phase->delay(), random_);
  ticket->status = DrawError(*phase, random_);
  return ticket;
}

void FaultModel::Admit(const std::shared_ptr<FaultTicket>& ticket, Time now) {
  if (ticket->never_answered) return;
  // The pool can be gone since the call arrived.
  if (!ticket->uses_workers || timeline_->pool() == nullptr) {
    delayed_.emplace(SaturatingAdd(now, ticket->delay), ticket);
    return;
  }
  if (workers_.Enqueue(ticket, *timeline_, now)) return;
  const v1::WorkerPool::WhenFull when_full = timeline_->pool()->when_full();
  if (when_full == v1::WorkerPool::NEVER_ANSWER) {
    ticket->never_answered = true;
    return;
  }
  const bool unavailable = when_full == v1::WorkerPool::ANSWER_UNAVAILABLE;
  ticket->status = {unavailable ? grpc::StatusCode::UNAVAILABLE : grpc::StatusCode::RESOURCE_EXHAUSTED, "the queue is full"};
  delayed_.emplace(now, ticket);
}

void FaultModel::Leave(FaultTicket& ticket) {
  if (timeline_->pool() != nullptr && timeline_->pool()->skip_abandoned()) workers_.Skip(ticket);
}

FaultModel::Tickets FaultModel::Advance(Time now) {
  Tickets due;
  while (timeline_->NextChange() <= now) {
    const Time t = timeline_->NextChange();
    AdvanceCalls(t, &due);
    timeline_->Change();
    ++changes_;
    // As in a crash: what the service was doing is lost.
    if (timeline_->outage() == v1::Outage::REFUSE) delayed_.clear();
    TellWorkers(t);
  }
  AdvanceCalls(now, &due);
  return due;
}

void FaultModel::AdvanceCalls(Time now, Tickets* due) {
  std::vector<FaultWorkers::Served> served;
  workers_.Advance(*timeline_, now, &served);
  Delay(&served);
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    due->push_back(std::move(delayed_.begin()->second));
    delayed_.erase(delayed_.begin());
  }
}

void FaultModel::TellWorkers(Time now) {
  std::vector<FaultWorkers::Served> served;
  workers_.TimelineChanged(*timeline_, now, &served);
  Delay(&served);
}

void FaultModel::Delay(std::vector<FaultWorkers::Served>* served) {
  for (auto& [time, ticket] : *served) delayed_.emplace(SaturatingAdd(time, ticket->delay), std::move(ticket));
}

Time FaultModel::NextEvent(Time now) const {
  Time next = std::min(timeline_->NextChange(), workers_.NextEvent(*timeline_, now));
  if (!delayed_.empty()) next = std::min(next, delayed_.begin()->first);
  return next;
}

}  // namespace recloser::demo
