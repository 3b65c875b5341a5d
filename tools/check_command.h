// `recloser check`.
#ifndef RECLOSER_TOOLS_CHECK_COMMAND_H_
#define RECLOSER_TOOLS_CHECK_COMMAND_H_

#include <CLI/App.hpp>

namespace recloser::tools {

/// The subcommand; it runs when `app` parses it. `*exit_code`: 0 when all files are good, 1 with --strict when there are warnings, 2 when a
/// file is bad.
void AddCheckCommand(CLI::App* app, int* exit_code);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_CHECK_COMMAND_H_
