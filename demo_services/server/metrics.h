// The Prometheus page of the demo servers, made at each scrape from what they count anyway.
//
// | metric                                             | meaning                                                             |
// | demo_requests_total{method,result}                 | calls that have ended; result = ok, failed, cancelled               |
// | demo_requests_received_total{method}               | calls that have reached the server                                  |
// | demo_request_retries_total{method}                 | those that say that attempts came before                           |
// | demo_requests_in_flight{method}                    |                                                                     |
// | demo_phase{index,phase}                            | fault server: 1 for the phase that runs, 0 for the others           |
// | demo_phase_requests_total{index,phase,result}      | result = ok, failed, abandoned, cut; starts at 0 with each plan     |
// | demo_queue_length, demo_capacity_ratio             | fault server: calls that wait for a worker; share of the capacity   |
// | demo_port_open                                     | fault server: 1 while the service's port accepts connections        |
//
// Thread safety: all functions, from any thread.
#ifndef RECLOSER_DEMO_SERVICES_SERVER_METRICS_H_
#define RECLOSER_DEMO_SERVICES_SERVER_METRICS_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <functional>
#include <utility>
#include <vector>

#include "recloser/demo/v1/echo.pb.h"
#include "recloser/demo/v1/fault.pb.h"

namespace recloser::demo {

class ServerMetrics final : public ::prometheus::Collectable {
 public:
  /// `faults` is null for a server without a fault plan. Both must bear calls as long as this lives.
  ServerMetrics(std::function<v1::StatsResponse()> stats, std::function<v1::FaultStatus()> faults)
      : stats_(std::move(stats)), faults_(std::move(faults)) {}

  std::vector<::prometheus::MetricFamily> Collect() const override;

 private:
  const std::function<v1::StatsResponse()> stats_;
  const std::function<v1::FaultStatus()> faults_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_SERVER_METRICS_H_
