// What the main functions of the demo servers share: tell where the server listens, serve until a signal, end well.
#ifndef RECLOSER_DEMO_SERVICES_SERVER_SERVE_UNTIL_SIGNAL_H_
#define RECLOSER_DEMO_SERVICES_SERVER_SERVE_UNTIL_SIGNAL_H_

#include <CLI/App.hpp>
#include <chrono>
#include <initializer_list>
#include <iostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "demo_services/common/signals.h"

namespace recloser::demo {

/// How long calls may go on after SIGINT or SIGTERM.
inline constexpr std::chrono::nanoseconds kDrain = std::chrono::seconds(1);

/// One line on stderr. Returns the exit status of a program that was called rightly and can't do its work.
inline int CannotStart(const CLI::App& app, const absl::Status& status) {
  std::cerr << absl::StrCat(app.get_name(), ": ", status.message(), "\n");
  return 1;
}

/// Prints "listening <name> <address>" for each pair with an address, then "ready"; waits for SIGINT or SIGTERM and shuts `server` down.
/// Returns the exit status.
template <class Server>
int ServeUntilSignal(Server* server, std::initializer_list<std::pair<const char*, std::string>> ports) {
  for (const auto& [name, address] : ports) {
    if (!address.empty()) std::cout << "listening " << name << " " << address << "\n";
  }
  std::cout << "ready\n" << std::flush;
  WaitForStopSignal();
  server->Shutdown(kDrain);
  return 0;
}

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_SERVER_SERVE_UNTIL_SIGNAL_H_
