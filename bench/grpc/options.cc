#include "options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "arms.h"
#include "bars.h"
#include "demo_services/common/flags.h"

namespace recloser::bench {
namespace {

template <class Value, std::size_t kSize>
std::vector<std::string> NamesOf(const Value (&values)[kSize]) {
  std::vector<std::string> names;
  for (const Value value : values) names.push_back(Name(value));
  return names;
}

std::vector<std::string> ArmNames() {
  std::vector<std::string> names;
  for (const ArmInfo& arm : AllArms()) names.push_back(arm.name);
  return names;
}

std::string ArmsHelp() {
  std::string help = "The arms:\n";
  for (const ArmInfo& arm : AllArms())
    help += "  " + std::string(arm.name) + std::string(20 - std::string(arm.name).size(), ' ') + arm.title + "\n";
  return help +
         "\nExit status: 0; 1 when a bar is missed or a call goes wrong; 2 for bad flags; 3 when no bar is missed but some could not\n"
         "be decided; 130 after Ctrl-C, which shows what was measured until then.\n"
         "Google Benchmark programs: ./dev bench core|sim|exporter [OPTIONS OF GOOGLE BENCHMARK]\n";
}

/// Empty: all are wanted.
template <class Value>
bool IsWanted(const std::vector<Value>& wanted, const Value& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

}  // namespace

std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code) {
  Options options;
  CLI::App app("What Recloser costs: every arm beside a bare channel, in one process.", "recloser_bench");
  app.footer(ArmsHelp());
  app.add_flag("--bars", options.bars, "Measure what bars are on, until each is decided; exit 1 when one is missed");
  demo::AddNumber(app, "--seconds", &options.seconds, 0, 86'400,
                  "Time for rounds of calls; with --bars the most. 0: 120, with --bars 600. Counting and tables come on top");
  const auto add_list = [&](const char* name, std::vector<std::string>* values, const std::vector<std::string>& names, const char* help) {
    app.add_option(name, *values, help)->delimiter(',')->check(CLI::IsMember(names));
  };
  add_list("--arms", &options.arms, ArmNames(), "Only these, beside bare; separated by commas");
  add_list("--forms", &options.forms, NamesOf(kForms), "Only these");
  add_list("--transports", &options.transports, NamesOf(kTransports), "Only these");
  app.add_option("--concurrency", options.concurrencies, "Only these")->delimiter(',')->check(CLI::IsMember(std::vector<int>{1, 16}));
  app.add_flag("!--no-callgrind", options.callgrind, "Don't count instructions under valgrind where the processor's counters can't be had");
  app.add_flag("!--no-core", options.core, "Leave out the breaker by itself");
  demo::AddSeed(app, "--seed", &options.seed, "Of the order of arms and cells");
  app.add_flag("--markdown", options.markdown, "Print the tables in Markdown");
  app.add_option("--json", options.json, "Write all figures to this file");
  app.add_option("--instructions-to", options.instructions_to)->group("");
  app.add_option("--dumps", options.dumps)->group("");
  if (const auto status = demo::ParseFlags(app, argc, argv)) {
    *exit_code = *status;
    return std::nullopt;
  }
  const bool filtered = !options.arms.empty() || !options.forms.empty() || !options.transports.empty() || !options.concurrencies.empty();
  if (options.bars && filtered && options.instructions_to.empty()) {
    *exit_code = demo::BadFlags(app, "--bars judges all bars: it can't be combined with --arms, --forms, --transports or --concurrency");
    return std::nullopt;
  }
  if (options.seconds == 0) options.seconds = options.bars ? 600 : 120;
  return options;
}

Plan PlanOf(const Options& options) {
  if (options.bars) return PlanOfBars();
  Plan plan;
  for (const ArmInfo& arm : AllArms()) {
    if (std::string(arm.name) == kBare || IsWanted(options.arms, std::string(arm.name))) plan.arms.emplace_back(arm.name);
  }
  for (const Transport transport : kTransports) {
    if (!IsWanted(options.transports, std::string(Name(transport)))) continue;
    for (const Form form : kForms) {
      if (!IsWanted(options.forms, std::string(Name(form)))) continue;
      for (const int concurrency : kConcurrencies) {
        if (IsWanted(options.concurrencies, concurrency)) plan.cells.push_back({transport, form, concurrency, Course::kHealthy});
      }
      // Retries and rejections: over TCP, one at a time. The transport makes no difference to the one and is not reached by the other.
      if (transport != Transport::kTcp || !IsWanted(options.concurrencies, 1)) continue;
      plan.cells.push_back({transport, form, 1, Course::kRecovered});
      plan.cells.push_back({transport, form, 1, Course::kRejected});
    }
  }
  return plan;
}

Plan PlanOfBars() {
  Plan plan;
  plan.arms = ArmsOfBars();
  plan.arms.insert(plan.arms.begin(), kBare);
  plan.cells = UndecidedCells(Results());  // of nothing: all
  return plan;
}

}  // namespace recloser::bench
