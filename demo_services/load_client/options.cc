#include "demo_services/load_client/options.h"

#include <CLI/CLI.hpp>
#include <map>

#include "absl/strings/str_cat.h"
#include "demo_services/common/flags.h"
#include "recloser/core/validation.h"

namespace recloser::demo {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr double kTracedCallsMax = 1e6;

template <class Value, class Values, class Name>
std::map<std::string, Value> ByName(const Values& values, Name name) {
  std::map<std::string, Value> names;
  for (const Value value : values) names.emplace(std::string(name(value)), value);
  return names;
}

template <class Value>
CLI::Option* AddChoice(CLI::App& app, const std::string& name, Value* value, const std::map<std::string, Value>& choices,
                       const std::string& default_name, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [choice, unused] : choices) names.push_back(choice);
  const auto set = [value, choices](const std::string& text) { *value = choices.at(text); };
  return app.add_option_function<std::string>(name, set, help)->check(CLI::IsMember(names))->default_str(default_name);
}

// What single flags can't show. Empty: all is well.
std::string Conflict(const LoadOptions& options) {
  if (options.target.empty()) return "--target: must not be empty";
  if (options.arm.attempt_timeout > options.deadline) {
    return absl::StrCat("--attempt-timeout: ", FormatDuration(options.arm.attempt_timeout), " is not allowed; must be at most --deadline, ",
                        FormatDuration(options.deadline));
  }
  if (options.arm.arm == Arm::kNone && options.arm.max_attempts.has_value()) return "--max-attempts: the arm \"none\" makes one attempt";
  if (!options.trace_path.empty() && options.rate * ToSeconds(options.duration) > kTracedCallsMax) {
    return absl::StrCat("--trace: at most ", kTracedCallsMax, " calls; lower --rate or --duration");
  }
  for (const std::string& path : {options.json_path, options.trace_path}) {
    if (!path.empty() && !IsWritable(path)) return absl::StrCat("can't write to ", path);
  }
  return std::string(PoliciesOf(options.arm).Validate().message());
}

}  // namespace

std::optional<int> ParseLoadOptions(int argc, const char* const* argv, LoadOptions* options) {
  CLI::App app(
      "Calls the echo service at a steady average rate, at random instants, and tells what came back.\n"
      "A slow service does not slow the client down. Ctrl-C ends it early with the figures so far.",
      "recloser-load-client");
  app.get_formatter()->column_width(34);
  LoadOptions& o = *options;
  app.add_option("--target", o.target, "The service, HOST:PORT or any name gRPC takes")->required();
  AddChoice(app, "--api", &o.api, ByName<Api>(kApis, ApiName), "callback", "The API form of the calls");
  AddChoice(app, "--arm", &o.arm.arm, ByName<Arm>(kArms, ArmName), "recloser", "The protection of the calls");
  AddNumber(app, "--rate", &o.rate, 0.1, 100000, "Calls per second");
  AddDuration(app, "--duration", &o.duration, milliseconds(10), hours(1), "How long calls arrive");
  AddDuration(app, "--slo", &o.slo, milliseconds(1), minutes(1), "An OK that takes longer is not good");
  AddDuration(app, "--deadline", &o.deadline, milliseconds(1), minutes(1), "Of each call, all its attempts");
  AddDuration(app, "--attempt-timeout", &o.arm.attempt_timeout, milliseconds(1), minutes(1), "Of each attempt");
  int max_attempts = 3;
  CLI::Option* attempts = AddInteger(app, "--max-attempts", &max_attempts, 1, 100, "Attempts of a call, the first included");
  int seed = 1;
  AddInteger(app, "--seed", &seed, 1, 2147483647, "Of the arrivals; the same seed, the same arrivals");
  AddInteger(app, "--max-outstanding", &o.max_outstanding, 1, 100000, "More calls than this at once are not sent, but counted");
  AddInteger(app, "--payload", &o.payload_bytes, 0, 1048576, "Bytes in the request, and in the answer");
  AddAddress(app, "--metrics", &o.metrics, true, "The metrics page, port 0: any free one; or off");
  int page_port = 0;
  CLI::Option* page = AddInteger(app, "--page-port", &page_port, 0, 65535, "The status page, on 127.0.0.1; 0: any free port");
  page->default_str("off");
  app.add_option("--json", o.json_path, "File for the final figures");
  app.add_option("--trace", o.trace_path, "File for every call and attempt (LoadTrace, binary)");
  AddChoice(app, "--progress", &o.progress, {{"auto", ProgressKind::kAuto}, {"off", ProgressKind::kOff}, {"jsonl", ProgressKind::kJsonl}},
            "auto", "auto: a line on stderr when that is a terminal; jsonl: LoadEvents on stdout");
  app.add_flag("--start-on-stdin", o.start_on_stdin, "Begin at the steady clock's nanosecond that a line on stdin names");

  if (std::optional<int> exit_code = ParseFlags(app, argc, argv)) return exit_code;
  if (attempts->count() > 0) o.arm.max_attempts = max_attempts;
  if (page->count() > 0) o.page_port = page_port;
  o.seed = static_cast<std::uint32_t>(seed);
  const std::string conflict = Conflict(o);
  if (!conflict.empty()) return BadFlags(app, conflict);
  return std::nullopt;
}

}  // namespace recloser::demo
