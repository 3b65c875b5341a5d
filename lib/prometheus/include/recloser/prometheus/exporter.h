// Everything Recloser knows, as Prometheus metrics.
//
//   auto exporter = recloser::PrometheusExporter::Create(recloser::Registry::Global(), &recloser::Now);
//   prometheus::Exposer exposer("127.0.0.1:9464");     // the application owns the HTTP side
//   exposer.RegisterCollectable(exporter);
//
// Create it before the channels that it is to see. Counters and histograms are fed by events through handles that are looked up once per
// method; the breakers' gauges and counters are read when Prometheus scrapes. Recording a call takes no lock; a scrape holds each breaker's
// lock for as long as one snapshot takes. Names and labels: metrics.h and docs/api.md. A value that is not known has no series. Thread
// safety: any member from any thread.
#ifndef RECLOSER_PROMETHEUS_EXPORTER_H_
#define RECLOSER_PROMETHEUS_EXPORTER_H_

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <memory>
#include <vector>

#include "recloser/core/export.h"
#include "recloser/core/observer.h"
#include "recloser/core/registry.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_API {

struct PrometheusOptions {
  /// At most this many methods (times targets) have series of their own; those beyond share one set of series whose labels are all "other",
  /// and are counted in recloser_series_dropped_total; likewise this many targets have series of their retry budgets. A method with its
  /// breaker has about 270 series. Range: 1 to 100000, clamped. Default 1000.
  int max_methods = 1000;
};

class PrometheusExporter final : public Observer, public prometheus::Collectable {
 public:
  using Clock = Time (*)();

  /// Observes `registry` (not null) from now on; does not keep it alive. `clock` gives the time of a scrape: `&recloser::Now` in a gRPC
  /// program.
  static std::shared_ptr<PrometheusExporter> Create(const std::shared_ptr<Registry>& registry, Clock clock,
                                                    const PrometheusOptions& options = {});
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

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_EXPORTER_H_
