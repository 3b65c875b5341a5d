#include "demo_services/demo/show.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "demo_services/demo/figures.h"
#include "demo_services/load_client/report.h"

namespace recloser::demo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// A process is ready in well under a second; much more on a busy machine or under sanitizers.
constexpr Duration kStartLimit = seconds(30);
constexpr Duration kEndLimit = seconds(15);
// From the order to start to the start: time for it to reach all clients.
constexpr Duration kLead = milliseconds(300);
constexpr Duration kLine = seconds(1);
// From the end of a second to its line: time for the clients' own reports.
constexpr Duration kSettle = milliseconds(50);

}  // namespace

Show::Show(const DemoOptions& options, std::string programs, std::string scratch, const Interrupt& interrupt)
    : options_(options), script_(options.scale), interrupt_(interrupt) {
  settings_.programs = std::move(programs);
  settings_.scratch = std::move(scratch);
  settings_.rate = options.rate;
  settings_.seed = static_cast<std::uint32_t>(options.seed);
  settings_.duration = script_.length();
  settings_.slo = milliseconds(500);
  settings_.attempt_timeout = seconds(1);
  settings_.deadline = seconds(3);  // room for three attempts
  for (const Arm arm : kArms) {
    arms_.push_back(
        std::make_unique<ArmRun>(arm, settings_, [this](Arm from, const v1::LoadEvent& event) { board_.OnEvent(from, event); }));
  }
}

absl::StatusOr<v1::DemoReport> Show::Run() {
  if (absl::Status status = StartProcesses(); !status.ok()) return status;
  Introduce();
  if (absl::Status status = Play(); !status.ok()) return status;
  if (absl::Status status = StopServers(); !status.ok()) return status;
  return Judge();
}

template <class Act>
absl::Status Show::ForEach(Act act) {
  for (const std::unique_ptr<ArmRun>& arm : arms_) {
    if (absl::Status status = act(*arm); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Show::PumpAndCheck(SteadyTime until) {
  std::vector<Child*> children;
  for (const std::unique_ptr<ArmRun>& arm : arms_) {
    for (Child* child : arm->children()) children.push_back(child);
  }
  PumpUntil(children, until);
  if (interrupt_.requested()) return absl::CancelledError("interrupted");
  return ForEach([](const ArmRun& arm) { return arm.Check(); });
}

template <class Done>
absl::Status Show::Await(Done done, Duration limit, absl::string_view awaited) {
  const SteadyTime last = steady_clock::now() + limit;
  const auto missing = [&] { return std::find_if(arms_.begin(), arms_.end(), [&](const auto& arm) { return !done(*arm); }); };
  while (missing() != arms_.end()) {
    if (steady_clock::now() >= last) {
      return absl::DeadlineExceededError(absl::StrCat("arm ", ArmName((*missing())->arm()), ": ", awaited, " did not come"));
    }
    if (absl::Status status = PumpAndCheck(last); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Show::StartProcesses() {
  if (absl::Status status = ForEach([](ArmRun& arm) { return arm.StartServer(); }); !status.ok()) return status;
  if (absl::Status status = Await([](const ArmRun& arm) { return arm.server_ready(); }, kStartLimit, "its server's \"ready\"");
      !status.ok()) {
    return status;
  }
  if (absl::Status status = ForEach([](ArmRun& arm) { return arm.StartClient(); }); !status.ok()) return status;
  return Await([](const ArmRun& arm) { return arm.client_ready(); }, kStartLimit, "its client's \"ready\"");
}

void Show::Introduce() const {
  std::cout << absl::StrFormat("Four clients, %g calls/s each, each with its own server; equal arrivals and faults; %.0f seconds.\n\n",
                               options_.rate, ToSeconds(script_.length()));
  std::cout << absl::StrFormat("%-14s  %-33s  %s\n", "live metrics", "client", "server");
  for (const std::unique_ptr<ArmRun>& arm : arms_) {
    // A bare channel has nothing to tell.
    std::cout << absl::StrFormat("  %-12s  %-33s  %s\n", ArmName(arm->arm()), arm->arm() == Arm::kNone ? "-" : arm->client_metrics_url(),
                                 arm->server_metrics_url());
  }
  for (const std::unique_ptr<ArmRun>& arm : arms_) {
    if (!arm->client_page_url().empty()) std::cout << "\nWatch " << ArmName(arm->arm()) << "'s client: " << arm->client_page_url() << "\n";
  }
  std::cout << std::endl;
  board_.Header();
}

absl::Status Show::Play() {
  const SteadyTime start = steady_clock::now() + kLead;
  for (const std::unique_ptr<ArmRun>& arm : arms_) arm->SendStart(start);
  while (steady_clock::now() < start) {
    if (absl::Status status = PumpAndCheck(start); !status.ok()) return status;
  }
  const v1::FaultPlan plan = script_.FirstPlan();
  if (absl::Status status = ForEach([&](ArmRun& arm) { return arm.BeginPlan(plan); }); !status.ok()) return status;

  bool killed = false;
  bool restarted = false;
  bool answering = false;
  Duration line = kLine;
  const Duration limit = script_.length() + settings_.deadline + kEndLimit;
  const auto running = [](const auto& arm) { return !arm->client_done(); };
  for (Duration now{}; std::any_of(arms_.begin(), arms_.end(), running); now = steady_clock::now() - start) {
    if (now > limit) return absl::DeadlineExceededError("the clients did not come to their end");
    if (!killed && now >= script_.kill_at()) {
      killed = true;
      for (const std::unique_ptr<ArmRun>& arm : arms_) arm->KillServer();
      board_.Announce(now, "the servers' processes are killed");
    }
    if (!restarted && now >= script_.restart_at()) {
      restarted = true;
      if (absl::Status status = ForEach([&](ArmRun& arm) { return arm.RestartServer(script_.RestartPlan()); }); !status.ok()) return status;
    }
    if (restarted && !answering && std::all_of(arms_.begin(), arms_.end(), [](const auto& arm) { return arm->server_ready(); })) {
      answering = true;
      board_.Announce(now, "new processes are ready on the same ports");
    }
    if (now >= line + kSettle && line <= script_.length()) {
      board_.Line(line, script_.PhaseAt(line - milliseconds(1)).name);
      line += kLine;
    }
    if (absl::Status status = PumpAndCheck(start + line + kSettle); !status.ok()) return status;
  }
  return answering ? absl::OkStatus() : absl::UnavailableError("the restarted servers did not become ready in time");
}

absl::Status Show::StopServers() {
  for (const std::unique_ptr<ArmRun>& arm : arms_) arm->StopServer();
  return Await([](const ArmRun& arm) { return arm.server_done(); }, kEndLimit, "its server's end");
}

absl::StatusOr<v1::DemoReport> Show::Judge() const {
  v1::DemoReport report;
  report.set_rate(options_.rate);
  report.set_seed(settings_.seed);
  report.set_duration_seconds(ToSeconds(script_.length()));
  report.set_slo_ms(ToSeconds(settings_.slo) * 1000);
  report.set_attempt_timeout_ms(ToSeconds(settings_.attempt_timeout) * 1000);
  *report.mutable_reconnect_backoff() = ReconnectBackoffReport();
  for (const ScriptPhase& phase : script_.phases()) {
    v1::DemoReport::Phase* added = report.add_phases();
    added->set_name(phase.name);
    added->set_start_seconds(ToSeconds(phase.start));
    added->set_end_seconds(ToSeconds(phase.end));
  }
  for (const std::unique_ptr<ArmRun>& arm : arms_) {
    const absl::StatusOr<v1::LoadTrace> trace = arm->ReadTrace();
    if (!trace.ok()) return trace.status();
    *report.add_arms() = demo::Judge(arm->arm(), *trace, arm->timeline(script_), settings_.slo, options_.rate);
    // The arrivals are the same for the same seed: one call more or less and an arm did not run to its end.
    if (const auto calls = report.arms(0).calls(); report.arms().rbegin()->calls() != calls || calls == 0) {
      return absl::InternalError(
          absl::StrCat("arm ", ArmName(arm->arm()), ": ", report.arms().rbegin()->calls(), " calls instead of ", calls));
    }
  }
  return report;
}

}  // namespace recloser::demo
