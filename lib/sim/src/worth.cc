#include "worth.h"

#include <algorithm>
#include <cmath>

namespace recloser::sim {

double EndpointWorth(const Service& service, const Conditions& conditions, double offered, Duration slo) {
  if (conditions.down()) return 0;
  const double service_s = ToSeconds(service.service_time) * conditions.slow_factor;
  if (service_s + ToSeconds(conditions.delay) > ToSeconds(slo)) return 0;
  const double capacity = service.workers * conditions.workers_share / service_s;
  return (capacity < offered ? capacity / offered : 1) * (1 - conditions.error_share);
}

std::vector<double> VisitsPerCall(const std::vector<Service>& services) {
  std::vector<double> visits(services.size(), 0);
  visits[0] = 1;
  // A service calls later ones only.
  for (std::size_t i = 0; i < services.size(); ++i) {
    for (const int called : services[i].calls) visits[static_cast<std::size_t>(called)] += visits[i];
  }
  return visits;
}

}  // namespace recloser::sim
