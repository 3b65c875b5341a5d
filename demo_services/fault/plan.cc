#include "demo_services/fault/plan.h"

#include "absl/strings/str_cat.h"

namespace recloser::demo {
namespace {

constexpr char kKind[] = "plan";

}  // namespace

absl::StatusOr<v1::FaultPlan> ParsePlan(absl::string_view text, FileFormat format) {
  v1::FaultPlan plan;
  if (absl::Status status = ParseMessage(text, format, kKind, &plan); !status.ok()) return status;
  if (absl::Status status = CheckPlan(plan); !status.ok()) return status;
  return plan;
}

absl::StatusOr<v1::FaultPlan> ReadPlanFile(const std::string& path) {
  v1::FaultPlan plan;
  if (absl::Status status = ReadMessageFile(path, kKind, &plan); !status.ok()) return status;
  if (absl::Status status = CheckPlan(plan); !status.ok()) return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  return plan;
}

}  // namespace recloser::demo
