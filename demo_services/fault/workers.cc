#include "demo_services/fault/workers.h"

#include <algorithm>
#include <cmath>

#include "demo_services/fault/draws.h"

namespace recloser::demo {
namespace {

constexpr std::size_t kDefaultQueueLimit = 2000;

bool ScalesWorkers(const FaultTimeline& timeline) {
  return timeline.phase() != nullptr && timeline.phase()->has_capacity() &&
         timeline.phase()->capacity().scales() == v1::CapacityCurve::WORKERS;
}

}  // namespace

std::size_t FaultWorkers::WorkersAt(const FaultTimeline& timeline, Time t) {
  const std::size_t workers = timeline.pool()->workers();
  if (!ScalesWorkers(timeline)) return workers;
  return static_cast<std::size_t>(std::max(1.0, std::round(static_cast<double>(workers) * timeline.CapacityAt(t))));
}

bool FaultWorkers::Enqueue(std::shared_ptr<FaultTicket> ticket, const FaultTimeline& timeline, Time now) {
  const v1::WorkerPool& pool = *timeline.pool();
  const std::size_t limit = pool.has_queue_limit() ? pool.queue_limit().value() : kDefaultQueueLimit;
  const std::size_t workers = WorkersAt(timeline, now);
  const std::size_t idle = workers - std::min(workers, busy_.size());
  if (waiting_ >= limit + idle) return false;
  ticket->waiting = true;
  queue_.push_back(std::move(ticket));
  ++waiting_;
  StartWaiting(timeline, now);
  return true;
}

void FaultWorkers::StartWaiting(const FaultTimeline& timeline, Time now) {
  const std::size_t workers = WorkersAt(timeline, now);
  const double speed = ScalesWorkers(timeline) ? 1 : timeline.CapacityAt(now);
  while (!queue_.empty() && busy_.size() < workers) {
    std::shared_ptr<FaultTicket> ticket = std::move(queue_.front());
    queue_.pop_front();
    if (ticket->skipped) continue;
    ticket->waiting = false;
    --waiting_;
    const Duration service = FromSeconds(ToSeconds(Draw(timeline.pool()->service_time(), *random_)) / speed);
    busy_.emplace(SaturatingAdd(now, service), std::move(ticket));
  }
}

void FaultWorkers::Advance(const FaultTimeline& timeline, Time now, std::vector<Served>* served) {
  while (!busy_.empty() && busy_.begin()->first <= now) {
    const Time done = busy_.begin()->first;
    served->emplace_back(done, std::move(busy_.begin()->second));
    busy_.erase(busy_.begin());
    if (timeline.pool() != nullptr) StartWaiting(timeline, done);
  }
  if (timeline.pool() != nullptr) StartWaiting(timeline, now);
}

void FaultWorkers::TimelineChanged(const FaultTimeline& timeline, Time now, std::vector<Served>* served) {
  const bool refuses = timeline.outage() == v1::Outage::REFUSE;
  if (!refuses && timeline.pool() != nullptr) return StartWaiting(timeline, now);
  for (auto& [done, ticket] : busy_) {
    if (!refuses) served->emplace_back(now, std::move(ticket));
  }
  for (auto& ticket : queue_) {
    ticket->waiting = false;
    if (!refuses) served->emplace_back(now, std::move(ticket));
  }
  busy_.clear();
  queue_.clear();
  waiting_ = 0;
}

void FaultWorkers::Skip(FaultTicket& ticket) {
  if (!ticket.waiting || ticket.skipped) return;
  ticket.skipped = true;
  --waiting_;
}

Time FaultWorkers::NextEvent(const FaultTimeline& timeline, Time now) const {
  // How often workers that a curve adds look into the queue.
  constexpr Duration kTick = std::chrono::milliseconds(5);
  Time next = busy_.empty() ? kInfiniteFuture : busy_.begin()->first;
  if (waiting_ > 0 && timeline.pool() != nullptr && ScalesWorkers(timeline)) next = std::min(next, SaturatingAdd(now, kTick));
  return next;
}

}  // namespace recloser::demo
