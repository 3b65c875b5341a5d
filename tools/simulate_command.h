// `recloser simulate`.
#ifndef RECLOSER_TOOLS_SIMULATE_COMMAND_H_
#define RECLOSER_TOOLS_SIMULATE_COMMAND_H_

#include <CLI/App.hpp>
#include <string>

namespace recloser::tools {

/// Exit status of a program that was called wrongly.
inline constexpr int kExitBadFlags = 2;

/// The subcommand; it runs when `app` parses it. `*exit_code`: 0, 1 when a bar is missed or the run was interrupted, kExitBadFlags.
/// `command_line` is written into the report, so that its readers can repeat it.
void AddSimulateCommand(const std::string& command_line, CLI::App* app, int* exit_code);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_SIMULATE_COMMAND_H_
