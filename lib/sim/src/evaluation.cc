#include "recloser/sim/evaluation.h"

#include "recloser/sim/v1/evaluation.pb.h"
#include "results_proto.h"

namespace recloser::sim {
namespace {

void ToProto(const LiveRecord& from, v1::LiveRun* to) {
  ToProto(from.run, to->mutable_run());
  to->mutable_run()->clear_trace_hash();
  to->set_lag_p99_ms(from.lag_p99_ms);
  to->set_lag_max_ms(from.lag_max_ms);
  to->set_cpu_seconds(from.cpu_seconds);
  to->set_invalid(from.invalid);
}

void ToProto(const AgreementRecord& from, v1::AgreementOf* to) {
  const Agreement& agreement = from.agreement;
  to->set_scenario(from.scenario);
  to->set_pattern(std::string(PatternName(from.pattern)));
  to->set_judged(agreement.judged);
  to->set_agrees(agreement.agrees());
  for (const GoodputAgreement& arm : agreement.goodput) {
    v1::AgreementOf::Goodput* const goodput = to->add_goodput();
    goodput->set_arm(arm.arm);
    goodput->set_difference_points(arm.difference_points);
    goodput->set_deviation_points(arm.deviation_points);
    goodput->set_limit_points(arm.limit_points());
  }
  to->set_clear_by_goodput(agreement.by_goodput.clear);
  for (const std::string& pair : agreement.by_goodput.reversed) to->add_reversed_by_goodput(pair);
  to->set_clear_by_cost(agreement.by_cost.clear);
  for (const std::string& pair : agreement.by_cost.reversed) to->add_reversed_by_cost(pair);
}

}  // namespace

std::string EvaluationToJson(const Evaluation& evaluation) {
  v1::Evaluation message;
  for (const LiveRecord& live : evaluation.live) ToProto(live, message.add_live());
  for (const SimulatedRecord& simulated : evaluation.simulated) {
    v1::SimulatedRun* const run = message.add_simulated();
    run->set_fault_seed(simulated.fault_seed);
    ToProto(simulated.run, run->mutable_run());
  }
  for (const AgreementRecord& agreement : evaluation.agreements) ToProto(agreement, message.add_agreements());
  return ToJson(message);
}

}  // namespace recloser::sim
