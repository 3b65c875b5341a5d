// The command line of `./dev bench`.
#ifndef RECLOSER_BENCH_GRPC_OPTIONS_H_
#define RECLOSER_BENCH_GRPC_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meter.h"

namespace recloser::bench {

struct Options {
  bool bars = false;
  double seconds = 0;  // 0: by default
  std::vector<std::string> arms;
  std::vector<std::string> forms;
  std::vector<std::string> transports;
  std::vector<int> concurrencies;
  bool callgrind = true;
  bool core = true;
  std::uint64_t seed = 1;
  bool markdown = false;
  std::string json;
  /// Set in the child that runs under callgrind (callgrind_run.h): where to write what it counts, and what callgrind's files are called.
  std::string instructions_to;
  std::string dumps;
};

/// Nothing: an exit status is in `*exit_code`, after --help or a bad flag.
std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code);

/// All cells and arms that the filters leave; the yardstick is always there.
Plan PlanOf(const Options& options);
/// Those that bars are on.
Plan PlanOfBars();

}  // namespace recloser::bench

#endif  // RECLOSER_BENCH_GRPC_OPTIONS_H_
