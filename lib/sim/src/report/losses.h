// Where ours loses, in plain words made from the figures.
#ifndef RECLOSER_SIM_SRC_REPORT_LOSSES_H_
#define RECLOSER_SIM_SRC_REPORT_LOSSES_H_

#include <string>
#include <vector>

#include "recloser/sim/bars.h"
#include "recloser/sim/scenario.h"
#include "report/runs.h"

namespace recloser::sim::report {

/// Sentences on every entry and rho with a ratio above 1, the worst first, then on the goodput without a breaker.
std::string LossesHtml(const std::vector<EntryRatio>& ratios, const std::vector<Scenario>& scenarios, const Runs& runs);

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_LOSSES_H_
