// One arm of the demo: its own fault server, its own load client.
#ifndef RECLOSER_DEMO_SERVICES_DEMO_ARM_RUN_H_
#define RECLOSER_DEMO_SERVICES_DEMO_ARM_RUN_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "demo_services/common/child.h"
#include "demo_services/common/reserved_port.h"
#include "demo_services/demo/script.h"
#include "demo_services/load_client/arms.h"
#include "recloser/demo/v1/report.pb.h"

namespace recloser::demo {

/// What the processes of all arms have in common.
struct RunSettings {
  std::string programs;  // directory of the servers' and the client's programs
  std::string scratch;   // directory for files between processes
  double rate = 0;
  std::uint32_t seed = 1;
  Duration duration = Duration::zero();
  Duration slo = Duration::zero();
  Duration attempt_timeout = Duration::zero();
  Duration deadline = Duration::zero();
};

/// Thread safety: none. Errors name the arm and carry the end of what the process said on stderr.
class ArmRun {
 public:
  using OnEvent = std::function<void(Arm, const v1::LoadEvent&)>;

  ArmRun(Arm arm, const RunSettings& settings, OnEvent on_event);

  absl::Status StartServer();
  absl::Status StartClient();
  bool server_ready() const { return server_ready_ != SteadyTime{}; }
  bool client_ready() const { return client_ready_; }

  /// Lets the load begin at `start`.
  void SendStart(SteadyTime start) { client_->Send(absl::StrCat(SteadyNanos(start))); }
  /// The server's plan begins now.
  absl::Status BeginPlan(const v1::FaultPlan& plan);
  void KillServer();
  absl::Status RestartServer(const v1::FaultPlan& plan);
  /// Asks the server to end, once the client has ended.
  void StopServer();

  /// An error as soon as a process has ended that should not have, or has ended badly.
  absl::Status Check() const;
  bool client_done() const { return client_ != nullptr && client_->ended_well(); }
  bool server_done() const { return stopping_ && !server_->running(); }
  /// The processes, to be pumped.
  std::vector<Child*> children() const;

  /// After the end: what happened and what the client saw.
  Timeline timeline(const Script& script) const { return script.TimelineOf(plan_started_, killed_, server_ready_); }
  absl::StatusOr<v1::LoadTrace> ReadTrace() const;

  Arm arm() const { return arm_; }
  const std::string& server_metrics_url() const { return server_metrics_url_; }
  const std::string& client_metrics_url() const { return client_metrics_url_; }
  /// Of the arm "recloser"; the others have none.
  const std::string& client_page_url() const { return client_page_url_; }

 private:
  absl::Status Launch(const std::vector<std::string>& more);
  void OnServerLine(const std::string& line);
  void OnClientLine(const std::string& line);
  std::string ScratchFile(absl::string_view what) const;

  const Arm arm_;
  const RunSettings& settings_;
  const OnEvent on_event_;
  // Ours from before the first server until after the last one, so that the restarted server finds them free. Empty before StartServer.
  std::optional<ReservedPort> echo_port_;
  std::optional<ReservedPort> metrics_port_;
  std::unique_ptr<Child> server_;
  std::unique_ptr<Child> client_;
  std::string control_address_;
  std::string server_metrics_url_;
  std::string client_metrics_url_;
  std::string client_page_url_;
  bool client_ready_ = false;
  bool server_expected_ = false;  // to be running
  bool stopping_ = false;
  SteadyTime plan_started_{};
  SteadyTime killed_{};
  SteadyTime server_ready_{};
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_ARM_RUN_H_
