#include "server.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace recloser::sim {
Server::Server(const Service& service, FaultTimeline timeline, Duration round_trip, Random* seeds, EventQueue* events,
               Pool<Attempt>* attempts)
    : service_(service),
      timeline_(std::move(timeline)),
      round_trip_(round_trip),
      service_time_(ToSeconds(service.service_time), service.sigma),
      errors_(seeds->Next()),
      service_times_(seeds->Next()),
      events_(events),
      attempts_(attempts) {}

void Server::Arrive(Time now, std::uint32_t index) {
  const Conditions& conditions = At(now);
  Attempt& attempt = attempts_->at(index);
  attempt.fails = errors_.Uniform() < conditions.error_share;
  attempt.excused = attempt.fails && conditions.error_share <= kExcusedErrorShare;
  if (conditions.refused) {
    attempt.excused = false;
    Answer(now, index, absl::StatusCode::kUnavailable);
    return;
  }
  if (conditions.blackhole) return;  // nobody will ever refer to it
  attempt.held = true;
  attempt.code = attempt.fails ? conditions.error_code : absl::StatusCode::kOk;
  if (waiting_ == 0 && busy_ < Workers(conditions)) {
    Start(now, index, conditions);
  } else if (waiting_ < static_cast<std::size_t>(service_.queue_limit)) {
    attempt.stage = Attempt::Stage::kQueued;
    queue_.push_back(index);
    ++waiting_;
    StartWaiting(now);  // the number of workers may have grown
  } else {
    attempt.excused = false;
    Answer(now, index, service_.when_full);
  }
}

void Server::Served(Time now) {
  --busy_;
  StartWaiting(now);
}

void Server::Answer(Time now, std::uint32_t index, absl::StatusCode code) {
  Attempt& attempt = attempts_->at(index);
  attempt.stage = Attempt::Stage::kAnswered;
  attempt.held = true;
  attempt.code = code;
  events_->Push(SaturatingAdd(now, SaturatingAdd(round_trip_, At(now).delay)), EventKind::kAnswer, index, attempt.serial);
}

void Server::Abandon(std::uint32_t index) {
  Attempt& attempt = attempts_->at(index);
  if (service_.finishes_abandoned || attempt.stage != Attempt::Stage::kQueued) return;
  attempt.stage = Attempt::Stage::kGone;
  --waiting_;
}

void Server::Cut(Time now, std::uint32_t server) {
  for (; first_ < queue_.size(); ++first_) {
    const std::uint32_t index = queue_[first_];
    if (attempts_->at(index).stage == Attempt::Stage::kGone) attempts_->Free(index);
  }
  queue_.clear();
  first_ = waiting_ = 0;
  busy_ = 0;
  for (std::uint32_t index = 0; index < attempts_->size(); ++index) {
    Attempt& attempt = attempts_->at(index);
    if (attempt.serial == 0 || attempt.server != server || !attempt.held || attempt.stage == Attempt::Stage::kAnswered) continue;
    attempt.excused = false;
    Answer(now, index, absl::StatusCode::kUnavailable);
  }
}

int Server::Workers(const Conditions& conditions) const {
  if (conditions.workers_share == 1) return service_.workers;
  return std::max(1, static_cast<int>(std::lround(service_.workers * conditions.workers_share)));
}

void Server::StartWaiting(Time now) {
  if (first_ == queue_.size()) return;
  const Conditions& conditions = At(now);
  const int workers = Workers(conditions);
  while (first_ < queue_.size() && busy_ < workers) {
    const std::uint32_t index = queue_[first_++];
    if (attempts_->at(index).stage == Attempt::Stage::kGone) {
      attempts_->Free(index);
    } else {
      --waiting_;
      Start(now, index, conditions);
    }
  }
  // Half of the memory is behind: move up.
  constexpr std::size_t kWorthMoving = 64;
  if (first_ >= kWorthMoving && 2 * first_ >= queue_.size()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

void Server::Start(Time now, std::uint32_t index, const Conditions& conditions) {
  Attempt& attempt = attempts_->at(index);
  attempt.stage = Attempt::Stage::kServing;
  ++busy_;
  const Duration takes = FromSeconds(service_time_.Draw(&service_times_) * conditions.slow_factor);
  events_->Push(SaturatingAdd(now, takes), EventKind::kServed, index, attempt.serial);
}

}  // namespace recloser::sim
