// The load client's flags.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_OPTIONS_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_OPTIONS_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "demo_services/load_client/arms.h"
#include "demo_services/load_client/call.h"
#include "recloser/core/time.h"

namespace recloser::demo {

enum class ProgressKind { kAuto, kOff, kJsonl };

struct LoadOptions {
  std::string target;
  Api api = Api::kCallback;
  ArmOptions arm;
  double rate = 100;
  Duration duration = std::chrono::seconds(10);
  Duration slo = std::chrono::milliseconds(500);
  Duration deadline = std::chrono::seconds(3);
  std::uint32_t seed = 1;
  int max_outstanding = 2000;
  int payload_bytes = 0;
  std::string metrics = "off";
  std::optional<int> page_port;  // nothing: no status page
  std::string json_path;
  std::string trace_path;
  ProgressKind progress = ProgressKind::kAuto;
  bool start_on_stdin = false;

  /// Of one call: a bare channel knows no attempts, there the shorter of the two holds.
  Duration CallDeadline() const { return arm.arm == Arm::kNone ? std::min(deadline, arm.attempt_timeout) : deadline; }
};

/// Fills `options`. Nothing: go on. Otherwise the exit status, with what there was to say printed.
std::optional<int> ParseLoadOptions(int argc, const char* const* argv, LoadOptions* options);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_OPTIONS_H_
