// The final figures of a run: as a message, as a table for people.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_REPORT_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_REPORT_H_

#include <string>

#include "demo_services/load_client/options.h"
#include "demo_services/load_client/recorder.h"
#include "demo_services/load_client/runner.h"
#include "recloser/demo/v1/report.pb.h"

namespace recloser::demo {

v1::LoadReport MakeReport(const LoadOptions& options, const LoadEnd& end, const Recorder& recorder);

/// At most 100 columns.
std::string FormatReport(const v1::LoadReport& report);

v1::ReconnectBackoff ReconnectBackoffReport();

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_REPORT_H_
