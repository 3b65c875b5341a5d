// Scenarios of the simulator as plain structs: who calls whom, how often, what goes wrong when. The file format, with all defaults and
// ranges, is proto/recloser/sim/v1/scenario.proto.
//
//   absl::StatusOr<Scenario> mine = ReadScenarioFile("crash.json");
//   for (const Scenario& shipped : ShippedScenarios()) ...
//
// The structs' defaults are the base case. All times count from the end of the warm-up. Thread safety: values and pure functions.
#ifndef RECLOSER_SIM_SCENARIO_H_
#define RECLOSER_SIM_SCENARIO_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "recloser/config/message_file.h"
#include "recloser/core/time.h"

namespace recloser::sim {

struct RateChange {
  Duration at = Duration::zero();
  double rate = 0;  // calls per second from `at + over` on
  Duration over = Duration::zero();
};

struct Load {
  double rate = 480;  // calls per second of all clients together
  std::vector<RateChange> changes;
  int clients = 1;
};

struct Calls {
  int attempts = 1;
  bool retry_budget = true;
  Duration attempt_timeout = std::chrono::seconds(1);
  Duration deadline = std::chrono::seconds(10);
  Duration slo = std::chrono::milliseconds(500);
  Duration round_trip = std::chrono::microseconds(500);
};

struct Fault {
  enum class Kind { kRefused, kBlackhole, kSlow, kErrors, kCapacity, kFlapping, kDelay };
  Kind kind = Kind::kRefused;
  std::optional<Duration> at;  // nothing: when the fault before it has ended
  Duration start_jitter = Duration::zero();
  Duration length = Duration::zero();
  Duration end_jitter = std::chrono::seconds(5);
  std::vector<int> endpoints;  // empty: all
  bool recovery = false;       // for the figures, the fault has ended when this begins

  double slow_factor = 1;                                        // kSlow
  double error_share = 0;                                        // kErrors
  absl::StatusCode error_code = absl::StatusCode::kUnavailable;  // kErrors
  double capacity_start = 1;                                     // kCapacity
  double capacity_end = 1;                                       // kCapacity
  bool capacity_scales_workers = false;                          // kCapacity; false: speed
  Duration down = Duration::zero();                              // kFlapping
  Duration up = Duration::zero();                                // kFlapping
  int cycles = 0;                                                // kFlapping
  double jitter = 0.25;                                          // kFlapping
  bool down_is_blackhole = false;                                // kFlapping
  Duration delay = Duration::zero();                             // kDelay
};

struct Service {
  std::string name;
  int workers = 16;
  Duration service_time = std::chrono::milliseconds(20);  // mean of a lognormal
  double sigma = 0.5;
  int queue_limit = 2000;
  absl::StatusCode when_full = absl::StatusCode::kResourceExhausted;
  bool finishes_abandoned = true;
  double background_errors = 0.002;
  std::vector<int> calls;  // indices of later services, all needed
  int endpoints = 1;
  bool forwards_rejections = false;  // of its own calls, so that breakers above ignore them
  std::vector<Fault> faults;
};

struct Scenario {
  std::string id;
  std::string title;
  Duration warm_up = std::chrono::seconds(30);
  Duration length = Duration::zero();
  Load load;
  Calls calls;
  std::vector<Service> services;  // the clients call the first
};

/// INVALID_ARGUMENT with one line: the path of the field, its value and what is allowed.
absl::StatusOr<Scenario> ParseScenario(absl::string_view text, FileFormat format);
/// The format follows from the name: .json, .txtpb, .textproto or .pbtxt. Errors begin with the path.
absl::StatusOr<Scenario> ReadScenarioFile(const std::string& path);

/// S0 to S16, built in, in their order.
const std::vector<Scenario>& ShippedScenarios();
/// Null when there is none of that id.
const Scenario* FindShippedScenario(absl::string_view id);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SCENARIO_H_
