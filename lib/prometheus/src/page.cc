#include "page.h"

#include <algorithm>
#include <cstddef>

#include "recloser/core/utf8.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

Labels With(const Labels& base, std::initializer_list<std::pair<absl::string_view, absl::string_view>> more) {
  Labels labels;
  labels.reserve(base.size() + more.size());
  labels = base;
  for (const auto& [name, value] : more)
    labels.push_back({std::string(name), ToUtf8(value)});  // of one label that is none, Prometheus refuses the whole page
  return labels;
}

Labels LinkLabels(absl::string_view target, absl::string_view service, absl::string_view method) {
  const auto or_any = [](absl::string_view name) { return name.empty() ? absl::string_view("*") : name; };
  return With({}, {{"target", target}, {"grpc_service", or_any(service)}, {"grpc_method", or_any(method)}});
}

Page::Page() {
  families_.reserve(PrometheusMetrics().size());
  for (const MetricInfo& info : PrometheusMetrics()) {
    families_.push_back({std::string(info.name), std::string(info.help), info.type, {}});
  }
}

void Page::Add(MetricKey key, Labels labels, double value) {
  prometheus::ClientMetric& sample = NewSample(key, std::move(labels));
  if (Info(key).type == prometheus::MetricType::Counter) {
    sample.counter.value = value;
  } else {
    sample.gauge.value = value;
  }
}

void Page::Add(MetricKey key, Labels labels, prometheus::ClientMetric::Histogram value) {
  NewSample(key, std::move(labels)).histogram = std::move(value);
}

std::vector<prometheus::MetricFamily> Page::Take() && {
  families_.erase(std::remove_if(families_.begin(), families_.end(), [](const auto& family) { return family.metric.empty(); }),
                  families_.end());
  return std::move(families_);
}

prometheus::ClientMetric& Page::NewSample(MetricKey key, Labels labels) {
  prometheus::ClientMetric& sample = families_[static_cast<std::size_t>(key)].metric.emplace_back();
  sample.label = std::move(labels);
  return sample;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
