#include "demo_services/load_client/begin_plan.h"

#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "recloser/demo/v1/fault.grpc.pb.h"

namespace recloser::demo {
namespace {

constexpr int kControlTimeoutMs = 5000;

}  // namespace

absl::StatusOr<SteadyTime> BeginPlan(const std::string& control, const v1::FaultPlan& plan) {
  const auto stub = v1::FaultControl::NewStub(grpc::CreateChannel(control, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(kControlTimeoutMs, GPR_TIMESPAN)));
  v1::SetPlanRequest request;
  *request.mutable_plan() = plan;
  v1::FaultStatus status;
  const grpc::Status result = stub->SetPlan(&context, request, &status);
  if (!result.ok()) return absl::UnavailableError(absl::StrCat("the fault plan was not taken: ", result.error_message()));
  const Duration age = std::chrono::seconds(status.plan_age().seconds()) + std::chrono::nanoseconds(status.plan_age().nanos());
  return std::chrono::steady_clock::now() - age;
}

}  // namespace recloser::demo
