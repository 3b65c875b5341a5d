// One scrape's page under construction: samples by metric, in the table's order.
//
//   Page page;
//   page.Add(MetricKey::kCallsStarted, labels, 17);
//   std::vector<prometheus::MetricFamily> families = std::move(page).Take();
//
// Thread safety: none.
#ifndef RECLOSER_PROMETHEUS_SRC_PAGE_H_
#define RECLOSER_PROMETHEUS_SRC_PAGE_H_

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "metric_table.h"
#include "recloser/core/export.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

using Labels = std::vector<prometheus::ClientMetric::Label>;

/// `base` and more labels behind it.
Labels With(const Labels& base, std::initializer_list<std::pair<absl::string_view, absl::string_view>> more);

/// The three labels of a link. Empty names, of a breaker whose scope is wider than a method, show as "*".
Labels LinkLabels(absl::string_view target, absl::string_view service, absl::string_view method);

class Page {
 public:
  Page();
  /// A sample of a counter or a gauge.
  void Add(MetricKey key, Labels labels, double value);
  void Add(MetricKey key, Labels labels, prometheus::ClientMetric::Histogram value);
  /// The families that have samples.
  std::vector<prometheus::MetricFamily> Take() &&;

 private:
  prometheus::ClientMetric& NewSample(MetricKey key, Labels labels);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_PROMETHEUS_SRC_PAGE_H_
