// The demo from the first process to the last.
#ifndef RECLOSER_DEMO_SERVICES_DEMO_SHOW_H_
#define RECLOSER_DEMO_SERVICES_DEMO_SHOW_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "demo_services/common/interrupt.h"
#include "demo_services/demo/arm_run.h"
#include "demo_services/demo/board.h"
#include "demo_services/demo/options.h"
#include "demo_services/demo/script.h"

namespace recloser::demo {

/// Thread safety: none. However it ends, no process of it is left when it is destroyed.
class Show {
 public:
  /// `programs`: the directory of the servers' and the client's programs. `scratch`: an empty directory.
  Show(const DemoOptions& options, std::string programs, std::string scratch, const Interrupt& interrupt);

  /// The figures of every arm, or what went wrong; CANCELLED when `interrupt` was requested.
  absl::StatusOr<v1::DemoReport> Run();

 private:
  absl::Status StartProcesses();
  void Introduce() const;
  absl::Status Play();
  absl::Status StopServers();
  absl::StatusOr<v1::DemoReport> Judge() const;

  /// Pumps until `done`, or an error, an interrupt, or `limit`, which is an error that says what was awaited.
  template <class Done>
  absl::Status Await(Done done, Duration limit, absl::string_view awaited);
  absl::Status PumpAndCheck(SteadyTime until);
  template <class Act>
  absl::Status ForEach(Act act);

  const DemoOptions options_;
  const Script script_;
  RunSettings settings_;
  const Interrupt& interrupt_;
  Board board_;
  std::vector<std::unique_ptr<ArmRun>> arms_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_SHOW_H_
