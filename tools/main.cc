// The `recloser` command: simulations of what the library does, and live runs beside them.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/str_replace.h"
#include "check_command.h"
#include "convert_command.h"
#include "replay_command.h"
#include "simulate_command.h"
#ifdef RECLOSER_HAS_EVALUATE
#include "evaluate/evaluate_command.h"
#endif

namespace {

/// As a shell takes it.
std::string CommandLine(int argc, char** argv) {
  std::string line = "recloser";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool plain = !argument.empty() && argument.find_first_of(" \t\n*?[]{}()<>|&;$`\"'\\~#!") == std::string::npos;
    line += plain ? " " + argument : " '" + absl::StrReplaceAll(argument, {{"'", "'\\''"}}) + "'";
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Circuit breaking for gRPC: check policies, simulate faults, compare breakers.", "recloser");
  app.require_subcommand(1);
  int exit_code = 0;
  recloser::tools::AddSimulateCommand(CommandLine(argc, argv), &app, &exit_code);
  recloser::tools::AddReplayCommand(&app, &exit_code);
  recloser::tools::AddCheckCommand(&app, &exit_code);
  recloser::tools::AddConvertCommand(&app, &exit_code);
#ifdef RECLOSER_HAS_EVALUATE
  recloser::tools::AddEvaluateCommand(&app, &exit_code);
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "recloser: %s\n", error.what());
    return recloser::tools::kExitBadFlags;
  }
  return exit_code;
}
