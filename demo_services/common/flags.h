// What the flags of all demo programs have in common: ranges, durations with units, one line on stderr and exit status 2 for a bad one.
//
//   CLI::App app("Does this and that.", "recloser-thing");
//   AddNumber(app, "--rate", &rate, 0.1, 1000, "Calls per second");
//   AddDuration(app, "--slo", &slo, std::chrono::milliseconds(1), std::chrono::seconds(60), "An answer later than this is not good");
//   if (std::optional<int> exit_code = ParseFlags(app, argc, argv)) return *exit_code;
#ifndef RECLOSER_DEMO_SERVICES_COMMON_FLAGS_H_
#define RECLOSER_DEMO_SERVICES_COMMON_FLAGS_H_

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "recloser/core/time.h"

namespace recloser::demo {

/// Exit status of a program that was called wrongly.
inline constexpr int kExitBadFlags = 2;

/// Nothing: go on. Otherwise the exit status: 0 after --help, kExitBadFlags after one line on stderr.
std::optional<int> ParseFlags(CLI::App& app, int argc, const char* const* argv);

/// One line on stderr, "program: message". Returns kExitBadFlags.
int BadFlags(const CLI::App& app, absl::string_view message);

/// A number from `low` to `high`; `*value` is the default.
CLI::Option* AddNumber(CLI::App& app, const std::string& name, double* value, double low, double high, const std::string& help);
CLI::Option* AddInteger(CLI::App& app, const std::string& name, int* value, int low, int high, const std::string& help);

/// Any whole number from 0 to 2^64 - 1 (CLI11's own parser takes -1 as 2^64 - 1).
CLI::Option* AddSeed(CLI::App& app, const std::string& name, std::uint64_t* value, const std::string& help);

/// "250ms", "1.5s", "2m", "1h" from `low` to `high`; `*value` is the default.
CLI::Option* AddDuration(CLI::App& app, const std::string& name, Duration* value, Duration low, Duration high, const std::string& help);

/// "host:port" ("[host]:port" for IPv6), port 0: any free one; with `may_be_off` also "off". `*value` is the default.
CLI::Option* AddAddress(CLI::App& app, const std::string& name, std::string* value, bool may_be_off, const std::string& help);

/// Can `path` be written? Creates it when it does not exist, changes nothing when it does.
bool IsWritable(const std::string& path);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_COMMON_FLAGS_H_
