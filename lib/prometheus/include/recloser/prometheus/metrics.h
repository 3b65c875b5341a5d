// The names of all metrics as data: the one table that the exporter, the documentation and dashboards are made from.
//
//   for (const recloser::MetricInfo& metric : recloser::PrometheusMetrics()) std::cout << metric.name << '\n';
//
// Thread safety: constants.
#ifndef RECLOSER_PROMETHEUS_METRICS_H_
#define RECLOSER_PROMETHEUS_METRICS_H_

#include <prometheus/metric_type.h>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_API {

struct MetricInfo {
  absl::string_view name;
  prometheus::MetricType type;
  /// All label names, separated by ','; empty for none. `le` of histograms is not among them.
  absl::string_view labels;
  absl::string_view help;
};

/// In the order in which a scrape shows them.
absl::Span<const MetricInfo> PrometheusMetrics();

}  // namespace RECLOSER_API
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_METRICS_H_
