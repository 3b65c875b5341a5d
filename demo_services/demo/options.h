// The demo's flags.
#ifndef RECLOSER_DEMO_SERVICES_DEMO_OPTIONS_H_
#define RECLOSER_DEMO_SERVICES_DEMO_OPTIONS_H_

#include <optional>
#include <string>

namespace recloser::demo {

struct DemoOptions {
  double rate = 150;
  int seed = 1;
  std::string json_path;
  double scale = 1;
};

/// Fills `options`. Nothing: go on. Otherwise the exit status, with what there was to say printed.
std::optional<int> ParseDemoOptions(int argc, const char* const* argv, DemoOptions* options);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_OPTIONS_H_
