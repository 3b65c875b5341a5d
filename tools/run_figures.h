// One number for the figures of several runs, for tables. Thread safety: pure functions.
#ifndef RECLOSER_TOOLS_RUN_FIGURES_H_
#define RECLOSER_TOOLS_RUN_FIGURES_H_

#include <optional>
#include <string>
#include <vector>

#include "recloser/sim/figures.h"

namespace recloser::tools {

using RunFigures = std::vector<const sim::Figures*>;

/// 0 without runs.
template <class Get>
double Mean(const RunFigures& runs, Get get) {
  double sum = 0;
  for (const sim::Figures* const figures : runs) sum += get(*figures);
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

/// With three decimals; "-" when most runs have none.
std::string Median(const RunFigures& runs, std::optional<double> sim::Figures::*member);

}  // namespace recloser::tools

#endif  // RECLOSER_TOOLS_RUN_FIGURES_H_
