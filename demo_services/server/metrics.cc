#include "demo_services/server/metrics.h"

#include <string>

namespace recloser::demo {
namespace {

using ::prometheus::ClientMetric;
using ::prometheus::MetricFamily;
using ::prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

MetricFamily Family(const char* name, const char* help, MetricType type) { return {name, help, type, {}}; }

void Add(MetricFamily* family, Labels labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  (family->type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  family->metric.push_back(std::move(metric));
}

void AppendStats(const v1::StatsResponse& stats, std::vector<MetricFamily>* families) {
  MetricFamily ended = Family("demo_requests_total", "Calls that have ended.", MetricType::Counter);
  MetricFamily received = Family("demo_requests_received_total", "Calls that have reached the server.", MetricType::Counter);
  MetricFamily retries = Family("demo_request_retries_total", "Calls that repeat an earlier attempt.", MetricType::Counter);
  MetricFamily in_flight = Family("demo_requests_in_flight", "Calls that have not ended.", MetricType::Gauge);
  for (const v1::StatsResponse::Method& method : stats.methods()) {
    const std::string& name = method.method();
    Add(&ended, {{"method", name}, {"result", "ok"}}, static_cast<double>(method.ok()));
    Add(&ended, {{"method", name}, {"result", "failed"}}, static_cast<double>(method.failed()));
    Add(&ended, {{"method", name}, {"result", "cancelled"}}, static_cast<double>(method.cancelled()));
    Add(&received, {{"method", name}}, static_cast<double>(method.received()));
    Add(&retries, {{"method", name}}, static_cast<double>(method.retries()));
    Add(&in_flight, {{"method", name}}, static_cast<double>(method.in_flight()));
  }
  families->insert(families->end(), {ended, received, retries, in_flight});
}

void AppendFaults(const v1::FaultStatus& status, std::vector<MetricFamily>* families) {
  MetricFamily phase = Family("demo_phase", "1 for the phase of the fault plan that runs.", MetricType::Gauge);
  MetricFamily requests = Family("demo_phase_requests_total", "Calls that have ended, by the phase they arrived in.", MetricType::Counter);
  const int no_phase = status.counts_size() - 1;
  for (int i = 0; i < status.counts_size(); ++i) {
    const v1::PhaseCounts& counts = status.counts(i);
    // The index tells phases of one name apart.
    const Labels labels = {{"index", std::to_string(i)}, {"phase", counts.phase_name()}};
    const auto with_result = [&labels](const char* result) {
      Labels all = labels;
      all.push_back({"result", result});
      return all;
    };
    Add(&phase, labels, i == (status.phase() < 0 ? no_phase : status.phase()) ? 1 : 0);
    Add(&requests, with_result("ok"), static_cast<double>(counts.ok()));
    Add(&requests, with_result("failed"), static_cast<double>(counts.errors()));
    Add(&requests, with_result("abandoned"), static_cast<double>(counts.abandoned()));
    Add(&requests, with_result("cut"), static_cast<double>(counts.cut()));
  }
  MetricFamily queue = Family("demo_queue_length", "Calls that wait for a worker.", MetricType::Gauge);
  Add(&queue, {}, static_cast<double>(status.queue_length()));
  MetricFamily capacity = Family("demo_capacity_ratio", "Share of the workers' capacity.", MetricType::Gauge);
  Add(&capacity, {}, status.capacity());
  MetricFamily port = Family("demo_port_open", "1 while the service's port accepts connections.", MetricType::Gauge);
  Add(&port, {}, status.port_open() ? 1 : 0);
  families->insert(families->end(), {phase, requests, queue, capacity, port});
}

}  // namespace

std::vector<MetricFamily> ServerMetrics::Collect() const {
  std::vector<MetricFamily> families;
  AppendStats(stats_(), &families);
  if (faults_ != nullptr) AppendFaults(faults_(), &families);
  return families;
}

}  // namespace recloser::demo
