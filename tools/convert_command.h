// `recloser convert`.
#ifndef RECLOSER_TOOLS_CONVERT_COMMAND_H_
#define RECLOSER_TOOLS_CONVERT_COMMAND_H_

#include <CLI/App.hpp>

namespace recloser::tools {

/// The subcommand; it runs when `app` parses it. `*exit_code`: 0, or 2 when the file is bad.
void AddConvertCommand(CLI::App* app, int* exit_code);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_CONVERT_COMMAND_H_
