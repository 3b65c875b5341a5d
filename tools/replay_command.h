// `recloser replay`.
#ifndef RECLOSER_TOOLS_REPLAY_COMMAND_H_
#define RECLOSER_TOOLS_REPLAY_COMMAND_H_

#include <CLI/App.hpp>

namespace recloser::tools {

/// The subcommand; it runs when `app` parses it. `*exit_code`: 0, 1 when a decision came out differently, 2 when the file is no trace.
void AddReplayCommand(CLI::App* app, int* exit_code);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_REPLAY_COMMAND_H_
