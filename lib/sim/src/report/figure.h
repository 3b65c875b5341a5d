// A picture with its title and legend.
#ifndef RECLOSER_SIM_SRC_REPORT_FIGURE_H_
#define RECLOSER_SIM_SRC_REPORT_FIGURE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace recloser::sim::report {

struct LegendEntry {
  std::string look;  // as in the chart
  std::string text;
};

/// `note`: a sentence below; may be empty.
std::string Figure(absl::string_view title, absl::string_view svg, const std::vector<LegendEntry>& legend, absl::string_view note);

/// The look of the featured arm of that place.
std::string ArmLook(std::size_t place);

/// "better" below 1, "worse" above, "even" where the figures' three digits say 1.00.
const char* RatioLook(double ratio);

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_FIGURE_H_
