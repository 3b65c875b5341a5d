// `recloser evaluate`, and the hidden subcommands that are its processes.
#ifndef RECLOSER_TOOLS_EVALUATE_EVALUATE_COMMAND_H_
#define RECLOSER_TOOLS_EVALUATE_EVALUATE_COMMAND_H_

#include <CLI/App.hpp>

namespace recloser::tools {

/// The subcommands; one of them runs when `app` parses it. `*exit_code`: 0; 1 when something can't be measured, was interrupted, or with
/// --check disagrees; kExitBadFlags.
void AddEvaluateCommand(CLI::App* app, int* exit_code);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_EVALUATE_COMMAND_H_
