#include "demo_services/demo/timeline.h"

#include <algorithm>

namespace recloser::demo {

bool Timeline::IsDead(SteadyTime time) const { return At(time).dead; }

double Timeline::Answerable(SteadyTime time, double offered_rate) const {
  const Stretch& stretch = At(time);
  const double length = ToSeconds(stretch.end - stretch.begin);
  const double passed = length > 0 ? std::clamp(ToSeconds(time - stretch.begin) / length, 0.0, 1.0) : 0;
  const double capacity = stretch.capacity_begin + passed * (stretch.capacity_end - stretch.capacity_begin);
  return std::min(1.0, capacity / offered_rate);
}

const Timeline::Stretch& Timeline::At(SteadyTime time) const {
  for (const Stretch& stretch : stretches) {
    if (time < stretch.end) return stretch;
  }
  return stretches.back();
}

}  // namespace recloser::demo
