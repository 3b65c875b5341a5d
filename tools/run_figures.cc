#include "run_figures.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_format.h"

namespace recloser::tools {

std::string Median(const RunFigures& runs, std::optional<double> sim::Figures::*member) {
  std::vector<double> values;
  for (const sim::Figures* const figures : runs) {
    if (figures->*member) values.push_back(*(figures->*member));
  }
  if (2 * values.size() < runs.size() || values.empty()) return "-";
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return absl::StrFormat("%.3f", *middle);
}

}  // namespace recloser::tools
