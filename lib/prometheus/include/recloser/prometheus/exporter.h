// Everything Recloser knows, as Prometheus metrics.
//
//   auto exporter = recloser::PrometheusExporter::Create(recloser::Registry::Global(), &recloser::Now);
//   prometheus::Exposer exposer("127.0.0.1:9464");     // the application owns the HTTP side
//   exposer.RegisterCollectable(exporter);
//
// Create it before the channels that it is to see. Counters and histograms are fed by events through handles that are looked up once per method;
// the breakers' gauges are read when Prometheus scrapes. Names and labels: docs/api.md. Thread safety: any member from any thread.
#ifndef RECLOSER_PROMETHEUS_EXPORTER_H_
#define RECLOSER_PROMETHEUS_EXPORTER_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <memory>
#include <vector>

#include "recloser/core/observer.h"
#include "recloser/core/registry.h"
#include "recloser/core/time.h"

namespace recloser {

class PrometheusExporter final : public Observer, public prometheus::Collectable {
 public:
  using Clock = Time (*)();

  /// Observes `registry` from now on. `clock` gives the time of a scrape: `&recloser::Now` in a gRPC program.
  static std::shared_ptr<PrometheusExporter> Create(const std::shared_ptr<Registry>& registry, Clock clock);
  ~PrometheusExporter() override;

  std::vector<prometheus::MetricFamily> Collect() const override;

  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId& id) override;
  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) override;
  void OnProblem(const Problem& problem) override;

 private:
  class Impl;
  explicit PrometheusExporter(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_EXPORTER_H_
