#include "evaluate/live_run.h"

#include <signal.h>

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "demo_services/load_client/begin_plan.h"
#include "demo_services/load_client/json.h"
#include "evaluate/fault_plan.h"
#include "evaluate/observed_trace.h"

namespace recloser::tools {
namespace {

// From the plan's begin to the load's.
constexpr Duration kLead = std::chrono::seconds(1);

constexpr double kLagP99MaxMs = 20;
constexpr double kLagMaxMs = 250;

std::string Nanos(Duration d) { return absl::StrCat(d.count()); }

absl::Status Ended(const LiveSpec& spec, const demo::Child& child) {
  return child.EndedBadly(
      absl::StrCat(spec.setting.scenario, ", ", spec.arm, ", ", sim::PatternName(spec.pattern), ": the ", child.name()));
}

}  // namespace

std::string WhyInvalid(const demo::v1::ProcessEnd& client, const demo::v1::ProcessEnd& server) {
  const auto late = [](const char* what, double ms, double limit) {
    return ms > limit ? absl::StrCat(what, " ", static_cast<int>(ms), " ms late, limit ", limit, " ms") : std::string();
  };
  for (const std::string& why :
       {late("client", client.lag_max_ms(), kLagMaxMs), late("client's 99th percentile", client.lag_p99_ms(), kLagP99MaxMs),
        late("server", server.lag_max_ms(), kLagMaxMs), late("server's 99th percentile", server.lag_p99_ms(), kLagP99MaxMs),
        late("arrival", client.late_max_ms(), kLagMaxMs), late("arrivals' 99th percentile", client.late_p99_ms(), kLagP99MaxMs)}) {
    if (!why.empty()) return why;
  }
  return client.not_sent() > 0 ? absl::StrCat(client.not_sent(), " calls not sent") : "";
}

LiveRun::LiveRun(LiveSpec spec, sim::Scenario scenario, std::string program, std::string scratch)
    : spec_(std::move(spec)), scenario_(std::move(scenario)), program_(std::move(program)), scratch_(std::move(scratch)) {}

absl::StatusOr<std::unique_ptr<demo::Child>> LiveRun::Launch(const std::string& role, const std::vector<std::string>& flags,
                                                             demo::Child::OnLine on_line) {
  std::vector<std::string> arguments = {program_, absl::StrCat("evaluate-", role)};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return demo::Child::Start(role, arguments, std::move(on_line));
}

absl::Status LiveRun::StartServer() {
  auto child = Launch("server", {}, [this](const std::string& line) { OnServerLine(line); });
  if (!child.ok()) return child.status();
  server_ = *std::move(child);
  return absl::OkStatus();
}

absl::Status LiveRun::StartClient() {
  const Setting& setting = spec_.setting;
  auto child = Launch("client",
                      {"--scenario", setting.scenario, "--scale", absl::StrCat(setting.scale), "--warm-up-ns", Nanos(setting.warm_up),
                       "--longest-ns", Nanos(setting.longest), "--seed", absl::StrCat(setting.seed), "--arm", spec_.arm, "--pattern",
                       std::string(sim::PatternName(spec_.pattern)), "--target", service_address_, "--trace", TracePath()},
                      [this](const std::string& line) { OnClientLine(line); });
  if (!child.ok()) return child.status();
  client_ = *std::move(child);
  return absl::OkStatus();
}

absl::Status LiveRun::Begin() {
  const absl::StatusOr<demo::SteadyTime> began = demo::BeginPlan(control_address_, FaultPlanOf(scenario_, kLead, spec_.setting.seed));
  if (!began.ok()) return began.status();
  origin_ = *began + kLead + scenario_.warm_up;
  client_->Send(absl::StrCat(demo::SteadyNanos(*began + kLead)));
  return absl::OkStatus();
}

void LiveRun::StopServer() {
  if (!std::exchange(stopping_, true)) server_->Signal(SIGTERM);
}

absl::Status LiveRun::Check() const {
  if (!server_->running() && !(stopping_ && server_->ended_well())) return Ended(spec_, *server_);
  if (client_ != nullptr && !client_->running() && !client_->ended_well()) return Ended(spec_, *client_);
  return absl::OkStatus();
}

std::vector<demo::Child*> LiveRun::children() const {
  std::vector<demo::Child*> children = {server_.get()};
  if (client_ != nullptr) children.push_back(client_.get());
  return children;
}

absl::StatusOr<LiveResult> LiveRun::Result() const {
  demo::v1::LoadTrace trace;
  std::ifstream file(TracePath(), std::ios::binary);
  if (!trace.ParseFromIstream(&file)) return absl::UnavailableError(absl::StrCat(TracePath(), ": the client left no trace"));
  LiveResult result;
  result.spec = spec_;
  result.figures = FiguresOf(scenario_, ObservedOf(trace, origin_));
  result.client = client_end_;
  result.server = server_end_;
  result.cpu_seconds = ToSeconds(client_->cpu_time() + server_->cpu_time());
  result.invalid = WhyInvalid(client_end_, server_end_);
  return result;
}

void LiveRun::OnServerLine(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  if (words.size() == 3 && words[0] == "listening") (words[1] == "control" ? control_address_ : service_address_) = words[2];
  if (line == "ready") server_ready_ = true;
  demo::FromJson(line, &server_end_);
}

void LiveRun::OnClientLine(const std::string& line) {
  if (line == "ready") client_ready_ = true;
  demo::FromJson(line, &client_end_);
}

std::string LiveRun::TracePath() const { return absl::StrCat(scratch_, "/trace"); }

}  // namespace recloser::tools
