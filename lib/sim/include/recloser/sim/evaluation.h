// A live evaluation as a file: proto/recloser/sim/v1/evaluation.proto in JSON. Thread safety: pure.
#ifndef RECLOSER_SIM_EVALUATION_H_
#define RECLOSER_SIM_EVALUATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "recloser/sim/agreement.h"
#include "recloser/sim/runner.h"

namespace recloser::sim {

struct LiveRecord {
  RunRecord run;
  double lag_p99_ms = 0;
  double lag_max_ms = 0;
  double cpu_seconds = 0;
  std::string invalid;  // why it was not used; empty: it was
};

struct SimulatedRecord {
  std::uint64_t fault_seed = 0;  // the live run's
  RunRecord run;                 // its seed is that of everything else
};

struct AgreementRecord {
  std::string scenario;
  Pattern pattern = Pattern::kScenario;
  Agreement agreement;
};

struct Evaluation {
  std::vector<LiveRecord> live;
  std::vector<SimulatedRecord> simulated;
  std::vector<AgreementRecord> agreements;
};

/// Indented, numbers that are 0 included.
std::string EvaluationToJson(const Evaluation& evaluation);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_EVALUATION_H_
