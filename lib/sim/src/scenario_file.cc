#include "absl/strings/str_cat.h"
#include "recloser/config/message_file.h"
#include "recloser/sim/scenario.h"
#include "scenario_check.h"

namespace recloser::sim {
namespace {

constexpr char kKind[] = "scenario";

absl::StatusOr<Scenario> Checked(const v1::Scenario& scenario) {
  if (absl::Status status = CheckScenario(scenario); !status.ok()) return status;
  return ScenarioFromProto(scenario);
}

}  // namespace

absl::StatusOr<Scenario> ParseScenario(absl::string_view text, FileFormat format) {
  v1::Scenario scenario;
  if (absl::Status status = ParseMessage(text, format, kKind, &scenario); !status.ok()) return status;
  return Checked(scenario);
}

absl::StatusOr<Scenario> ReadScenarioFile(const std::string& path) {
  v1::Scenario message;
  if (absl::Status status = ReadMessageFile(path, kKind, &message); !status.ok()) return status;
  absl::StatusOr<Scenario> scenario = Checked(message);
  if (!scenario.ok()) return absl::Status(scenario.status().code(), absl::StrCat(path, ": ", scenario.status().message()));
  return scenario;
}

}  // namespace recloser::sim
