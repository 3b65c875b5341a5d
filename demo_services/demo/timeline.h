// What the service could do at which time.
#ifndef RECLOSER_DEMO_SERVICES_DEMO_TIMELINE_H_
#define RECLOSER_DEMO_SERVICES_DEMO_TIMELINE_H_

#include <vector>

#include "demo_services/load_client/recorder.h"

namespace recloser::demo {

struct Timeline {
  struct Stretch {
    SteadyTime begin;
    SteadyTime end;
    /// Blackholed, or its process is not there.
    bool dead = false;
    /// Calls per second that it can answer within the SLO, in a straight line from begin to end.
    double capacity_begin = 0;
    double capacity_end = 0;
  };
  /// In order, without gaps.
  std::vector<Stretch> stretches;
  /// When the restarted process was ready.
  SteadyTime restarted;

  /// Before the first stretch the service is as at its beginning.
  bool IsDead(SteadyTime time) const;
  /// The share of the offered calls that the service could have answered, g(t) = min(1, capacity(t) / offered). It depends on the script
  /// only, not on what an arm did.
  double Answerable(SteadyTime time, double offered_rate) const;

 private:
  const Stretch& At(SteadyTime time) const;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_TIMELINE_H_
