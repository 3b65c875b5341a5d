// What is wrong with a server at one moment. Thread safety: values.
#ifndef RECLOSER_SIM_CONDITIONS_H_
#define RECLOSER_SIM_CONDITIONS_H_

#include "absl/status/status.h"
#include "recloser/core/time.h"

namespace recloser::sim {

struct Conditions {
  bool refused = false;
  bool blackhole = false;
  double slow_factor = 1;  // of the service time; a capacity that scales the speed is part of it
  double workers_share = 1;
  double error_share = 0;
  absl::StatusCode error_code = absl::StatusCode::kUnavailable;
  Duration delay = Duration::zero();

  bool down() const { return refused || blackhole; }
};

/// Failures drawn at most at this share are a background that all arms pay alike: they are not counted as wasted.
inline constexpr double kExcusedErrorShare = 0.05;

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_CONDITIONS_H_
