// The report's style sheet.
#ifndef RECLOSER_SIM_SRC_REPORT_STYLE_H_
#define RECLOSER_SIM_SRC_REPORT_STYLE_H_

namespace recloser::sim::report {

extern const char kStyle[];

}  // namespace recloser::sim::report

#endif  // RECLOSER_SIM_SRC_REPORT_STYLE_H_
