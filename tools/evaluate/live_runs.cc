#include "evaluate/live_runs.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "demo_services/common/scratch_directory.h"

namespace recloser::tools {
namespace {

using std::chrono::steady_clock;

constexpr Duration kStartLimit = std::chrono::seconds(60);
constexpr Duration kStopLimit = std::chrono::seconds(20);
// Beyond a scenario's length and its calls' deadline: starting, the plan's lead, a client's patience with calls that do not end.
constexpr Duration kSlack = std::chrono::seconds(5);

/// How long a run of a scenario takes at most, its processes' start included.
Duration LengthOf(const sim::Scenario& scenario) { return scenario.warm_up + scenario.length + scenario.calls.deadline + kSlack; }

class Group {
 public:
  Group(const demo::Interrupt& interrupt, const std::function<void(Duration)>& progress)
      : interrupt_(interrupt), progress_(progress), scratch_("recloser-evaluate"), began_(steady_clock::now()) {}

  absl::StatusOr<std::vector<LiveResult>> Run(const std::vector<LiveSpec>& specs, const std::string& program) {
    if (absl::Status status = Make(specs, program); !status.ok()) return status;
    absl::Status status = ForEach([](LiveRun& run) { return run.StartServer(); });
    if (status.ok()) status = Await([](const LiveRun& run) { return run.server_ready(); }, kStartLimit, "servers to start");
    if (status.ok()) status = ForEach([](LiveRun& run) { return run.StartClient(); });
    if (status.ok()) status = Await([](const LiveRun& run) { return run.client_ready(); }, kStartLimit, "clients to start");
    if (status.ok()) status = ForEach([](LiveRun& run) { return run.Begin(); });
    if (status.ok()) status = Await([](const LiveRun& run) { return run.client_done(); }, longest_ + kStopLimit, "clients to end");
    if (status.ok()) status = ForEach([](LiveRun& run) { return run.StopServer(), absl::OkStatus(); });
    if (status.ok()) status = Await([](const LiveRun& run) { return run.done(); }, kStopLimit, "servers to end");
    if (!status.ok()) return status;
    std::vector<LiveResult> results;
    for (const std::unique_ptr<LiveRun>& run : runs_) {
      absl::StatusOr<LiveResult> result = run->Result();
      if (!result.ok()) return result.status();
      results.push_back(*std::move(result));
    }
    return results;
  }

 private:
  absl::Status Make(const std::vector<LiveSpec>& specs, const std::string& program) {
    for (const LiveSpec& spec : specs) {
      absl::StatusOr<sim::Scenario> scenario = MakeReady(spec.setting);
      if (!scenario.ok()) return scenario.status();
      const std::string directory = absl::StrCat(scratch_.path(), "/", runs_.size());
      std::error_code error;
      if (!std::filesystem::create_directory(directory, error)) return absl::UnavailableError(absl::StrCat("can't make ", directory));
      longest_ = std::max(longest_, LengthOf(*scenario));
      runs_.push_back(std::make_unique<LiveRun>(spec, *std::move(scenario), program, directory));
    }
    return absl::OkStatus();
  }

  template <class Act>
  absl::Status ForEach(Act act) {
    for (const std::unique_ptr<LiveRun>& run : runs_) {
      if (absl::Status status = act(*run); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  template <class Done>
  absl::Status Await(Done done, Duration limit, const char* awaited) {
    const auto end = steady_clock::now() + limit;
    std::vector<demo::Child*> children;
    for (const std::unique_ptr<LiveRun>& run : runs_) {
      for (demo::Child* child : run->children()) children.push_back(child);
    }
    for (;;) {
      bool all = true;
      for (const std::unique_ptr<LiveRun>& run : runs_) all = all && done(*run);
      if (all) return absl::OkStatus();
      if (interrupt_.requested()) return absl::CancelledError("interrupted");
      if (steady_clock::now() > end) return absl::DeadlineExceededError(absl::StrCat("waited too long for ", awaited));
      PumpUntil(children, end);
      if (absl::Status status = ForEach([](const LiveRun& run) { return run.Check(); }); !status.ok()) return status;
      progress_(steady_clock::now() - began_);
    }
  }

  const demo::Interrupt& interrupt_;
  const std::function<void(Duration)>& progress_;
  const demo::ScratchDirectory scratch_;
  const steady_clock::time_point began_;
  std::vector<std::unique_ptr<LiveRun>> runs_;
  Duration longest_ = Duration::zero();  // of all runs
};

}  // namespace

absl::StatusOr<std::vector<LiveResult>> RunTogether(const std::vector<LiveSpec>& specs, const std::string& program,
                                                    const demo::Interrupt& interrupt, const std::function<void(Duration)>& progress) {
  return Group(interrupt, progress).Run(specs, program);
}

}  // namespace recloser::tools
