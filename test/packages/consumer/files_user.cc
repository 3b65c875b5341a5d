// What has nothing to do with gRPC: policies as files, the decision trace, the status page.
#include <recloser/config/policies.h>
#include <recloser/config/policy_file.h>
#include <recloser/core/registry.h>
#include <recloser/events/decision_trace.h>
#include <recloser/events/replay.h>
#include <recloser/page/status_page.h>

#include <iostream>

int main() {
  const auto set = recloser::ParsePolicies("{}", recloser::FileFormat::kJson);
  const auto registry = recloser::Registry::Create();
  const auto trace = recloser::DecisionTrace::Start(registry);
  recloser::StatusPageOptions options;
  options.policy_text = &recloser::PolicySetToJson;
  const auto page = recloser::StatusPage::Start(options, registry, &recloser::SteadyNow);
  const auto replayed = recloser::ReplayTrace(trace->Take());
  for (const absl::Status& status : {set.status(), page.status(), replayed.status()}) {
    if (status.ok()) continue;
    std::cerr << status << '\n';
    return 1;
  }
  return 0;
}
