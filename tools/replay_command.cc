#include "replay_command.h"

#include <CLI/Option.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "recloser/config/regular_file.h"
#include "recloser/core/validation.h"
#include "recloser/events/replay.h"

namespace recloser::tools {
namespace {

constexpr int kExitDifferent = 1;
constexpr int kExitBadInput = 2;
// Some sixteen million calls.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

struct Flags {
  std::string trace;
  std::string breaker;
  bool json = false;
};

std::string Summary(const ReplayedBreaker& breaker) {
  std::string text = absl::StrCat(breaker.id.target, " ", breaker.id.name(), " (", breaker.kind, "): ", breaker.admitted, " admitted, ",
                                  breaker.rejected, " rejected; ", breaker.successes, " successes, ", breaker.failures, " failures, ",
                                  breaker.ignored, " ignored, ", breaker.dropped, " dropped\n");
  for (const ReplayedTransition& transition : breaker.transitions) {
    absl::StrAppend(&text, "  record ", transition.record, ", after ", FormatDuration(transition.at), ": ", transition.sentence, "\n");
  }
  if (!breaker.checked) absl::StrAppend(&text, "  not replayed, as recorded: its kind is code of the application\n");
  if (breaker.difference.has_value()) {
    absl::StrAppend(&text, "  DIFFERENT at record ", breaker.difference->record, " (byte ", breaker.difference->offset,
                    "), recorded -> replayed: ", breaker.difference->what, "\n");
  }
  return text;
}

std::string Verdict(const Replayed& replayed) {
  std::size_t different = 0;
  std::size_t unchecked = 0;
  for (const ReplayedBreaker& breaker : replayed.breakers) {
    different += breaker.difference.has_value() ? 1 : 0;
    unchecked += breaker.checked ? 0 : 1;
  }
  std::string text = absl::StrCat(replayed.records, " records, ", replayed.breakers.size(), " breakers: ");
  if (different > 0) {
    absl::StrAppend(&text, different, " decided differently");
  } else {
    absl::StrAppend(&text, "every decision came out as recorded");
  }
  if (unchecked > 0) absl::StrAppend(&text, " (", unchecked, " not replayed)");
  if (replayed.full) absl::StrAppend(&text, "; the trace was full, what came after is not in it");
  return text + "\n";
}

int Replay(const Flags& flags) {
  const absl::StatusOr<std::string> bytes = ReadRegularFile(flags.trace, kMaxBytes);
  if (!bytes.ok()) {
    std::fprintf(stderr, "recloser: %s\n", std::string(bytes.status().message()).c_str());
    return kExitBadInput;
  }
  ReplayOptions options;
  options.breaker = flags.breaker;
  const absl::StatusOr<Replayed> replayed = ReplayTrace(*bytes, options);
  if (!replayed.ok()) {
    std::fprintf(stderr, "recloser: %s: %s\n", flags.trace.c_str(), std::string(replayed.status().message()).c_str());
    return kExitBadInput;
  }
  std::string text;
  if (flags.json) {
    text = ReplayedToJson(*replayed);
  } else {
    for (const ReplayedBreaker& breaker : replayed->breakers) text += Summary(breaker);
    text += Verdict(*replayed);
  }
  std::fputs(text.c_str(), stdout);
  return replayed->identical() ? 0 : kExitDifferent;
}

}  // namespace

void AddReplayCommand(CLI::App* app, int* exit_code) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* const command = app->add_subcommand("replay", "Replay a decision trace: every decision must come out as recorded");
  command->add_option("TRACE", flags->trace, "A file written by recloser::DecisionTrace, binary or JSON lines; at most 1 GiB")->required();
  command->add_option("--breaker", flags->breaker, "Only breakers of this name, package.Service/Method");
  command->add_flag("--json", flags->json, "Print the result as JSON");
  command->callback([flags, exit_code] { *exit_code = Replay(*flags); });
}

}  // namespace recloser::tools
