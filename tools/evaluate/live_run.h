// One live run: a fault service and a client, two processes of this program.
#ifndef RECLOSER_TOOLS_EVALUATE_LIVE_RUN_H_
#define RECLOSER_TOOLS_EVALUATE_LIVE_RUN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "demo_services/common/child.h"
#include "demo_services/load_client/recorder.h"
#include "evaluate/setting.h"
#include "recloser/demo/v1/report.pb.h"
#include "recloser/sim/arms.h"
#include "recloser/sim/figures.h"

namespace recloser::tools {

struct LiveSpec {
  Setting setting;
  std::string arm;
  sim::Pattern pattern = sim::Pattern::kScenario;
};

struct LiveResult {
  LiveSpec spec;
  sim::Figures figures;
  demo::v1::ProcessEnd client;
  demo::v1::ProcessEnd server;
  double cpu_seconds = 0;  // of both
  /// Why the figures must not be used; empty: they may.
  std::string invalid;
};

/// Why a run whose processes say this must not be used; empty: it may. A process that got the processor late by more than this has measured
/// the machine: an SLO is half a second, probes and reconnects are tens of milliseconds apart.
std::string WhyInvalid(const demo::v1::ProcessEnd& client, const demo::v1::ProcessEnd& server);

/// Thread safety: none. However it ends, no process of it is left when it is destroyed.
class LiveRun {
 public:
  /// `program`: this one. `scratch`: an empty directory of the run's own.
  LiveRun(LiveSpec spec, sim::Scenario scenario, std::string program, std::string scratch);

  absl::Status StartServer();
  absl::Status StartClient();
  bool server_ready() const { return server_ready_; }
  bool client_ready() const { return client_ready_; }
  /// The fault plan now, and the load a little later.
  absl::Status Begin();
  bool client_done() const { return client_ != nullptr && client_->ended_well(); }
  void StopServer();
  bool done() const { return client_done() && !server_->running(); }

  /// An error when a process has ended that should not have, or badly; with what it said.
  absl::Status Check() const;
  /// To be pumped.
  std::vector<demo::Child*> children() const;
  /// When it is done.
  absl::StatusOr<LiveResult> Result() const;

 private:
  absl::StatusOr<std::unique_ptr<demo::Child>> Launch(const std::string& role, const std::vector<std::string>& flags,
                                                      demo::Child::OnLine on_line);
  void OnServerLine(const std::string& line);
  void OnClientLine(const std::string& line);
  std::string TracePath() const;

  const LiveSpec spec_;
  const sim::Scenario scenario_;  // realised
  const std::string program_;
  const std::string scratch_;
  std::unique_ptr<demo::Child> server_;
  std::unique_ptr<demo::Child> client_;
  std::string service_address_;
  std::string control_address_;
  bool server_ready_ = false;
  bool client_ready_ = false;
  bool stopping_ = false;
  demo::SteadyTime origin_{};  // the end of the warm-up
  demo::v1::ProcessEnd server_end_;
  demo::v1::ProcessEnd client_end_;
};

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_EVALUATE_LIVE_RUN_H_
