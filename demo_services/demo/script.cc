#include "demo_services/demo/script.h"

#include <google/protobuf/util/time_util.h>

#include <iterator>
#include <utility>

namespace recloser::demo {
namespace {

using google::protobuf::util::TimeUtil;

constexpr std::uint32_t kWorkers = 5;
constexpr double kServiceSeconds = 0.020;
constexpr double kServiceSigma = 0.5;
constexpr double kSlowCapacity = 1.0 / 40;
constexpr double kColdCapacity = 0.25;
static_assert(kWorkers / kServiceSeconds > kCapacity - 1 && kWorkers / kServiceSeconds < kCapacity + 1);

void AddPool(v1::FaultPlan* plan) {
  v1::WorkerPool& pool = *plan->mutable_pool();
  pool.set_workers(kWorkers);
  v1::Distribution::LogNormal& time = *pool.mutable_service_time()->mutable_lognormal();
  *time.mutable_mean() = TimeUtil::MicrosecondsToDuration(static_cast<std::int64_t>(kServiceSeconds * 1e6));
  time.set_sigma(kServiceSigma);
}

v1::Phase* AddPhase(v1::FaultPlan* plan, const ScriptPhase& phase) {
  v1::Phase* added = plan->add_phases();
  added->set_name(phase.name);
  *added->mutable_length() = TimeUtil::NanosecondsToDuration((phase.end - phase.start).count());
  return added;
}

}  // namespace

Script::Script(double scale) {
  const std::pair<const char*, double> phases[] = {{"healthy", 6}, {"slow", 5}, {"blackhole", 6}, {"healthy", 3},
                                                   {"dead", 4},    {"cold", 6}, {"healthy", 10}};
  Duration at = Duration::zero();
  for (const auto& [name, seconds] : phases) {
    const Duration end = at + FromSeconds(seconds * scale);
    phases_.push_back({name, at, end});
    at = end;
  }
}

const ScriptPhase& Script::PhaseAt(Duration at) const {
  for (const ScriptPhase& phase : phases_) {
    if (at < phase.end) return phase;
  }
  return phases_.back();
}

v1::FaultPlan Script::FirstPlan() const {
  v1::FaultPlan plan;
  AddPool(&plan);
  AddPhase(&plan, phases_[kHealthy]);
  v1::CapacityCurve& slow = *AddPhase(&plan, phases_[kSlow])->mutable_capacity();
  slow.set_start(kSlowCapacity);
  slow.set_end(kSlowCapacity);
  AddPhase(&plan, phases_[kBlackhole])->set_outage(v1::Outage::BLACKHOLE);
  AddPhase(&plan, phases_[kGap])->clear_length();  // until it is killed
  return plan;
}

v1::FaultPlan Script::RestartPlan() const {
  v1::FaultPlan plan;
  AddPool(&plan);
  v1::Phase* cold = AddPhase(&plan, phases_[kCold]);
  cold->mutable_capacity()->set_start(kColdCapacity);
  cold->mutable_capacity()->set_end(1);
  *cold->mutable_capacity()->mutable_over() = cold->length();
  AddPhase(&plan, phases_[kEnd])->clear_length();
  return plan;
}

Timeline Script::TimelineOf(SteadyTime plan_started, SteadyTime killed, SteadyTime ready) const {
  const auto at = [&](Index phase) { return plan_started + phases_[phase].start; };
  const SteadyTime warm = ready + LengthOf(kCold);
  Timeline timeline;
  timeline.restarted = ready;
  timeline.stretches = {
      {at(kHealthy), at(kSlow), false, kCapacity, kCapacity},
      {at(kSlow), at(kBlackhole), false, 0, 0},  // its mean answer comes after the SLO
      {at(kBlackhole), at(kGap), true, 0, 0},
      {at(kGap), killed, false, kCapacity, kCapacity},
      {killed, ready, true, 0, 0},
      {ready, warm, false, kColdCapacity * kCapacity, kCapacity},
      {warm, SteadyTime::max(), false, kCapacity, kCapacity},
  };
  return timeline;
}

}  // namespace recloser::demo
