// The pictures of one scenario. Each is a <figure> with its legend, or nothing where there is nothing to show.
#ifndef RECLOSER_SIM_SRC_REPORT_PICTURES_H_
#define RECLOSER_SIM_SRC_REPORT_PICTURES_H_

#include <string>
#include <vector>

#include "recloser/sim/bars.h"
#include "recloser/sim/runner.h"
#include "report/runs.h"

namespace recloser::sim::report {

/// Share of the calls that were good, over time, of the featured arms, with the fault shaded.
std::string GoodputPicture(const std::string& scenario, const std::vector<Featured>& arms, const std::vector<RunRecord>& courses);

/// State, rating with its thresholds and window of ours, over time: two pictures.
std::string BreakerPictures(const std::string& scenario, const std::vector<RunRecord>& courses);

/// What the arms cost as a wasted attempt becomes dearer. Nothing when no arm costs anything.
std::string CostPicture(const std::string& scenario, const Runs& runs);

/// Time to open and blocking latency, a dot for each seed. Nothing without faults.
std::string DelayPictures(const std::string& scenario, const std::vector<Featured>& arms, const Runs& runs);

/// Wasted attempts against good calls rejected, a dot for each arm.
std::string FrontPicture(const std::string& scenario, const Runs& runs);

/// The ratios of all entries, with their intervals, at one rho.
std::string RatioPicture(const std::vector<EntryRatio>& ratios, double rho);

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_PICTURES_H_
