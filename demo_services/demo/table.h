// The demo's table, with a legend in plain words. At most 100 columns.
#ifndef RECLOSER_DEMO_SERVICES_DEMO_TABLE_H_
#define RECLOSER_DEMO_SERVICES_DEMO_TABLE_H_

#include <string>

#include "recloser/demo/v1/report.pb.h"

namespace recloser::demo {

std::string FormatTable(const v1::DemoReport& report);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_TABLE_H_
