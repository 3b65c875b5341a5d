#include "recloser/sim/results.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_format.h"
#include "protobuf_versions.h"
#include "results_proto.h"

namespace recloser::sim {
namespace {

void ToProto(const Figures& from, v1::Figures* to) {
  to->set_calls(from.calls);
  to->set_good(from.good);
  to->set_goodput(from.goodput());
  to->set_attempts(from.attempts);
  to->set_wasted(from.wasted);
  to->set_rejected(from.rejected);
  to->set_good_rejected(from.good_rejected);
  to->set_j1(from.Cost(1));
  to->set_j3(from.Cost(3));
  to->set_j10(from.Cost(10));
  to->set_j30(from.Cost(30));
  if (from.time_to_open_s) to->set_time_to_open_seconds(*from.time_to_open_s);
  if (from.blocking_latency_s) to->set_blocking_latency_seconds(*from.blocking_latency_s);
  if (from.recovery_s) to->set_recovery_seconds(*from.recovery_s);
  to->set_amplification(from.amplification());
  to->set_amplification_worst(from.amplification_worst);
  to->set_p50_seconds(from.p50_s);
  to->set_p99_seconds(from.p99_s);
  to->set_transitions(from.transitions);
  to->set_openings(from.openings);
  to->set_invariant_violations(from.invariant_violations);
}

void ToProto(const Series& from, v1::Series* to) {
  constexpr double kUnknown = -1;
  to->set_step_seconds(ToSeconds(from.step));
  for (const Series::Step& step : from.steps) {
    to->add_offered(step.offered);
    to->add_good(step.good);
    to->add_rejected(step.rejected);
    to->add_wasted(step.wasted);
    to->add_worth(step.worth);
    to->add_state(std::string(StateName(step.state)));
    to->add_rating(step.rating.value_or(kUnknown));
    to->add_window_calls(step.window_calls);
    to->add_admitted_share(step.admitted_share);
  }
}

}  // namespace

void ToProto(const RunRecord& record, v1::Run* run) {
  run->set_scenario(record.scenario);
  run->set_arm(record.arm);
  run->set_pattern(std::string(PatternName(record.pattern)));
  run->set_seed(record.seed);
  ToProto(record.result.figures, run->mutable_figures());
  run->set_trace_hash(absl::StrFormat("%016x", record.result.trace_hash));
  if (!record.result.series.steps.empty()) ToProto(record.result.series, run->mutable_series());
}

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  PrintDefaults(options);
  std::string json;
  // Printing a message of known types to a string cannot fail.
  (void)google::protobuf::util::MessageToJsonString(message, &json, options);
  return json;
}

std::string ResultsToJson(const std::vector<RunRecord>& records) {
  v1::Results results;
  for (const RunRecord& record : records) ToProto(record, results.add_runs());
  return ToJson(results);
}

}  // namespace recloser::sim
