// The processes of a live run: the same program, told by a hidden subcommand to be the fault service or the client.
//
// Thread safety: each function is all of its process.
#ifndef RECLOSER_TOOLS_EVALUATE_ROLES_H_
#define RECLOSER_TOOLS_EVALUATE_ROLES_H_

#include <string>

#include "evaluate/setting.h"

namespace recloser::tools {

/// Serves until SIGTERM; what to say on stdout: as recloser-fault-server, and at the end its ProcessEnd as JSON.
int RunServer();

struct ClientFlags {
  Setting setting;
  std::string arm;
  std::string pattern;
  std::string target;
  std::string trace;  // the file for the LoadTrace
};

/// Says "ready", waits for the start on stdin, plays the scenario's load, and says its ProcessEnd as JSON.
int RunClient(const ClientFlags& flags);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_ROLES_H_
