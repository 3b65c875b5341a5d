#include "convert_command.h"

#include <CLI/Option.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "recloser/config/service_config.h"

namespace recloser::tools {
namespace {

constexpr int kExitBad = 2;

int Convert(const std::string& path) {
  const absl::StatusOr<ConvertedServiceConfig> converted = ReadServiceConfig(path);
  if (!converted.ok()) {
    std::fprintf(stderr, "recloser: %s\n", std::string(converted.status().message()).c_str());
    return kExitBad;
  }
  for (const std::string& note : converted->notes) std::fprintf(stderr, "recloser: %s: %s\n", path.c_str(), note.c_str());
  std::fputs(converted->json.c_str(), stdout);
  return 0;
}

}  // namespace

void AddConvertCommand(CLI::App* app, int* exit_code) {
  const auto path = std::make_shared<std::string>();
  CLI::App* const command =
      app->add_subcommand("convert", "Turn gRPC's service config into a policy file on stdout; stderr says what is lost");
  command->add_option("file", *path, "The service config, JSON")->required();
  command->callback([path, exit_code] { *exit_code = Convert(*path); });
}

}  // namespace recloser::tools
