#include "demo_services/fault/timeline.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "demo_services/fault/draws.h"
#include "recloser/config/duration.h"

namespace recloser::demo {

FaultTimeline::FaultTimeline(v1::FaultPlan plan, Time start, Random* random)
    : plan_(std::move(plan)), plan_start_(start), random_(random), phase_start_(start) {
  if (plan_.phases_size() > 0) EnterPhase(0, start);
}

Time FaultTimeline::NextChange() const { return std::min(phase_end_, next_turn_); }

void FaultTimeline::Change() {
  const Time t = NextChange();
  if (t == kInfiniteFuture) return;
  if (t == phase_end_) {
    EnterPhase(index_ + 1, t);
  } else {
    Turn(!down_, t);
  }
}

void FaultTimeline::EnterPhase(int index, Time t) {
  index_ = index < plan_.phases_size() ? index : -1;
  phase_start_ = t;
  phase_end_ = kInfiniteFuture;
  next_turn_ = kInfiniteFuture;
  down_ = false;
  if (phase() == nullptr) return;
  if (phase()->has_length()) phase_end_ = SaturatingAdd(t, FromProto(phase()->length()));
  if (phase()->has_flapping()) Turn(true, t);
}

void FaultTimeline::Turn(bool down, Time t) {
  const v1::Flapping& flapping = phase()->flapping();
  down_ = down;
  next_turn_ = SaturatingAdd(t, DrawJittered(FromProto(down ? flapping.down() : flapping.up()), flapping.jitter(), *random_));
}

const v1::Phase* FaultTimeline::phase() const { return index_ < 0 ? nullptr : &plan_.phases(index_); }

v1::Outage::Kind FaultTimeline::outage() const {
  if (phase() == nullptr) return v1::Outage::NONE;
  if (!down_) return phase()->outage();
  const v1::Outage::Kind means = phase()->flapping().down_means();
  return means == v1::Outage::NONE ? v1::Outage::REFUSE : means;
}

const v1::WorkerPool* FaultTimeline::pool() const {
  if (phase() == nullptr) return nullptr;
  if (phase()->has_pool()) return &phase()->pool();
  return plan_.has_pool() ? &plan_.pool() : nullptr;
}

double FaultTimeline::CapacityAt(Time t) const {
  if (phase() == nullptr || !phase()->has_capacity()) return 1;
  const v1::CapacityCurve& curve = phase()->capacity();
  const double over = ToSeconds(FromProto(curve.over()));
  const double done = over > 0 ? std::min(1.0, ToSeconds(Elapsed(phase_start_, t)) / over) : 1;
  return curve.start() + (curve.end() - curve.start()) * done;
}

std::string FaultTimeline::NameOf(int index) const {
  if (index < 0 || index >= plan_.phases_size()) return "healthy";
  const std::string& name = plan_.phases(index).name();
  return name.empty() ? absl::StrCat("phase ", index) : name;
}

}  // namespace recloser::demo
