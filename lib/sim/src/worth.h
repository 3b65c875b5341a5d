// g(t): the share of a call, rejected at t, that the service would have answered. It depends on the scenario only, never on the arm.
//
//   g = 0 while the server is down or its mean service time exceeds the SLO, else min(1, capacity / offered load) * (1 - error share);
//
// several endpoints: the mean over them; a service that calls others: times the g of each of them.
#ifndef RECLOSER_SIM_SRC_WORTH_H_
#define RECLOSER_SIM_SRC_WORTH_H_

#include <vector>

#include "fault_timeline.h"
#include "recloser/core/time.h"
#include "recloser/sim/scenario.h"

namespace recloser::sim {

/// Of one endpoint that is offered `offered` calls per second.
double EndpointWorth(const Service& service, const Conditions& conditions, double offered, Duration slo);

/// How often each service is called for one call of a client.
std::vector<double> VisitsPerCall(const std::vector<Service>& services);

}  // namespace recloser::sim

#endif  // RECLOSER_SIM_SRC_WORTH_H_
