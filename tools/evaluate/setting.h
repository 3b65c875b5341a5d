// What a run is to play: a scenario by name, made ready. Parent and client process derive the same from the same flags.
//
// Thread safety: pure functions.
#ifndef RECLOSER_TOOLS_EVALUATE_SETTING_H_
#define RECLOSER_TOOLS_EVALUATE_SETTING_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recloser/core/time.h"
#include "recloser/sim/scenario.h"

namespace recloser::tools {

struct Setting {
  std::string scenario;  // a shipped scenario's id, or a file
  double scale = 0.25;
  Duration warm_up = std::chrono::seconds(10);
  Duration longest = std::chrono::hours(1);  // a longer scenario is cut
  std::uint64_t seed = 1;
};

/// OK for one client that calls one server of one service: what can be played live.
absl::Status CheckPlayable(const sim::Scenario& scenario);

/// Read, checked, scaled and cut.
absl::StatusOr<sim::Scenario> MakeScaled(const Setting& setting);

/// The same with its faults' times drawn.
absl::StatusOr<sim::Scenario> MakeReady(const Setting& setting);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_SETTING_H_
