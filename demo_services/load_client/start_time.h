// When the process that started us wants the load to begin.
#ifndef RECLOSER_DEMO_SERVICES_LOAD_CLIENT_START_TIME_H_
#define RECLOSER_DEMO_SERVICES_LOAD_CLIENT_START_TIME_H_

#include "demo_services/common/interrupt.h"
#include "demo_services/load_client/recorder.h"

namespace recloser::demo {

/// Waits for a line on stdin with the steady clock's nanoseconds. False when none came, or Ctrl-C.
bool ReadStart(const Interrupt& interrupt, SteadyTime* start);

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_LOAD_CLIENT_START_TIME_H_
