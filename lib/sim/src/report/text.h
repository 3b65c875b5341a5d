// Text and numbers as they stand in the report.
#ifndef RECLOSER_SIM_SRC_REPORT_TEXT_H_
#define RECLOSER_SIM_SRC_REPORT_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace recloser::sim::report {

/// For HTML and SVG, between tags and in quoted attributes.
std::string Escape(absl::string_view text);

/// About three digits, thousands grouped: "0.045", "1.2", "345", "12,345". What is not finite: "-".
std::string Number(double value);

/// For axes: "0.01", "5", "10k", "2M".
std::string TickLabel(double value);

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_TEXT_H_
