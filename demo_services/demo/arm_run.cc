#include "demo_services/demo/arm_run.h"

#include <signal.h>

#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "demo_services/load_client/begin_plan.h"
#include "demo_services/load_client/json.h"
#include "recloser/core/validation.h"

namespace recloser::demo {
namespace {

std::string Micros(Duration d) { return absl::StrCat(std::chrono::duration_cast<std::chrono::microseconds>(d).count(), "us"); }

absl::Status Ended(Arm arm, absl::string_view role, const Child& child) {
  return child.EndedBadly(absl::StrCat("arm ", ArmName(arm), ": its ", role));
}

}  // namespace

ArmRun::ArmRun(Arm arm, const RunSettings& settings, OnEvent on_event) : arm_(arm), settings_(settings), on_event_(std::move(on_event)) {}

absl::Status ArmRun::StartServer() {
  for (std::optional<ReservedPort>* port : {&echo_port_, &metrics_port_}) {
    absl::StatusOr<ReservedPort> reserved = ReservedPort::Reserve("127.0.0.1:0");
    if (!reserved.ok()) return reserved.status();
    port->emplace(*std::move(reserved));
  }
  return Launch({});
}

absl::Status ArmRun::Launch(const std::vector<std::string>& more) {
  server_ready_ = SteadyTime{};
  std::vector<std::string> arguments = {absl::StrCat(settings_.programs, "/recloser-fault-server"),
                                        "--listen",
                                        echo_port_->address(),
                                        "--control",
                                        "127.0.0.1:0",
                                        "--metrics",
                                        metrics_port_->address(),
                                        "--seed",
                                        absl::StrCat(settings_.seed)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  absl::StatusOr<std::unique_ptr<Child>> child =
      Child::Start(absl::StrCat(ArmName(arm_), "'s server"), arguments, [this](const std::string& line) { OnServerLine(line); });
  if (!child.ok()) return child.status();
  server_ = *std::move(child);
  server_expected_ = true;
  return absl::OkStatus();
}

absl::Status ArmRun::StartClient() {
  std::vector<std::string> arguments = {absl::StrCat(settings_.programs, "/recloser-load-client"),
                                        "--target",
                                        echo_port_->address(),
                                        "--arm",
                                        std::string(ArmName(arm_)),
                                        "--rate",
                                        absl::StrCat(settings_.rate),
                                        "--duration",
                                        Micros(settings_.duration),
                                        "--slo",
                                        Micros(settings_.slo),
                                        "--attempt-timeout",
                                        Micros(settings_.attempt_timeout),
                                        "--deadline",
                                        Micros(settings_.deadline),
                                        "--seed",
                                        absl::StrCat(settings_.seed),
                                        "--metrics",
                                        "127.0.0.1:0",
                                        "--trace",
                                        ScratchFile("trace"),
                                        "--progress",
                                        "jsonl",
                                        "--start-on-stdin"};
  if (arm_ == Arm::kRecloser) arguments.insert(arguments.end(), {"--page-port", "0"});
  absl::StatusOr<std::unique_ptr<Child>> child =
      Child::Start(absl::StrCat(ArmName(arm_), "'s client"), arguments, [this](const std::string& line) { OnClientLine(line); });
  if (!child.ok()) return child.status();
  client_ = *std::move(child);
  return absl::OkStatus();
}

absl::Status ArmRun::BeginPlan(const v1::FaultPlan& plan) {
  const absl::StatusOr<SteadyTime> started = demo::BeginPlan(control_address_, plan);
  if (!started.ok()) return absl::UnavailableError(absl::StrCat("arm ", ArmName(arm_), ": ", started.status().message()));
  plan_started_ = *started;
  return absl::OkStatus();
}

void ArmRun::KillServer() {
  server_expected_ = false;
  server_->Kill();
  killed_ = std::chrono::steady_clock::now();
}

absl::Status ArmRun::RestartServer(const v1::FaultPlan& plan) {
  const std::string path = ScratchFile("plan.json");
  if (!WriteJsonFile(path, plan)) return absl::UnavailableError(absl::StrCat("can't write ", path));
  return Launch({"--plan", path});
}

void ArmRun::StopServer() {
  stopping_ = true;
  server_->Signal(SIGTERM);
}

absl::Status ArmRun::Check() const {
  if (server_expected_ && !server_->running() && !(stopping_ && server_->ended_well())) return Ended(arm_, "server", *server_);
  if (client_ != nullptr && !client_->running() && !client_->ended_well()) return Ended(arm_, "client", *client_);
  return absl::OkStatus();
}

std::vector<Child*> ArmRun::children() const {
  std::vector<Child*> children;
  for (Child* child : {server_.get(), client_.get()}) {
    if (child != nullptr) children.push_back(child);
  }
  return children;
}

absl::StatusOr<v1::LoadTrace> ArmRun::ReadTrace() const {
  v1::LoadTrace trace;
  std::ifstream file(ScratchFile("trace"), std::ios::binary);
  if (!trace.ParseFromIstream(&file)) return absl::UnavailableError(absl::StrCat("arm ", ArmName(arm_), ": its client left no trace"));
  return trace;
}

void ArmRun::OnServerLine(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  if (words.size() == 3 && words[0] == "listening" && words[1] == "control") control_address_ = words[2];
  if (words.size() == 3 && words[0] == "listening" && words[1] == "metrics") server_metrics_url_ = words[2];
  if (line == "ready") server_ready_ = std::chrono::steady_clock::now();
}

void ArmRun::OnClientLine(const std::string& line) {
  v1::LoadEvent event;
  if (!FromJson(line, &event)) return;
  if (event.has_ready()) {
    client_ready_ = true;
    client_metrics_url_ = event.ready().metrics_url();
    client_page_url_ = event.ready().page_url();
  }
  on_event_(arm_, event);
}

std::string ArmRun::ScratchFile(absl::string_view what) const { return absl::StrCat(settings_.scratch, "/", ArmName(arm_), ".", what); }

}  // namespace recloser::demo
