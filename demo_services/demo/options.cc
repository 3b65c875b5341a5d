#include "demo_services/demo/options.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "demo_services/common/flags.h"

namespace recloser::demo {

std::optional<int> ParseDemoOptions(int argc, const char* const* argv, DemoOptions* options) {
  CLI::App app(
      "Plays one outage to four clients at once, over real gRPC between real processes, and shows in one\n"
      "table what each of them lost: a bare channel, naive retries, the standard circuit breaker,\n"
      "Recloser. Takes 45 seconds. Ctrl-C ends it.",
      "recloser-demo");
  app.get_formatter()->column_width(34);
  DemoOptions& o = *options;
  AddNumber(app, "--rate", &o.rate, 10, 200, "Calls per second and client; the healthy service can answer 250");
  AddInteger(app, "--seed", &o.seed, 1, 2147483647, "Of the arrivals and the service times");
  app.add_option("--json", o.json_path, "File for the table's figures");
  // For the tests: the same outage in less time. The figures of a shortened run mean little.
  AddNumber(app, "--scale", &o.scale, 0.05, 1, "Length of every phase, relative")->group("");
  if (std::optional<int> exit_code = ParseFlags(app, argc, argv)) return exit_code;
  if (!o.json_path.empty() && !IsWritable(o.json_path)) return BadFlags(app, absl::StrCat("--json: can't write to ", o.json_path));
  return std::nullopt;
}

}  // namespace recloser::demo
