// Reading a scrape in tests.
#ifndef RECLOSER_TEST_PROMETHEUS_SCRAPED_H_
#define RECLOSER_TEST_PROMETHEUS_SCRAPED_H_

#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "recloser/core/time.h"

namespace recloser {

/// The time that tests set; `Read` is what the exporter gets as its clock.
struct VirtualClock {
  static inline Time now{};
  static Time Read() { return now; }
  static void Advance(Duration d) { now = SaturatingAdd(now, d); }
  static void Reset() { now = Time(std::chrono::hours(1)); }
};

using LabelMap = std::map<std::string, std::string>;

/// One scrape, by name and labels.
class Scraped {
 public:
  explicit Scraped(const prometheus::Collectable& source) {
    for (prometheus::MetricFamily& family : source.Collect()) families_.emplace(family.name, std::move(family));
  }

  /// Of a counter or a gauge; nothing when there is no such series.
  std::optional<double> Value(const std::string& name, const LabelMap& labels) const {
    const prometheus::ClientMetric* const sample = Find(name, labels);
    if (sample == nullptr) return std::nullopt;
    return ValueOf(families_.at(name), *sample);
  }

  std::optional<prometheus::ClientMetric::Histogram> Histogram(const std::string& name, const LabelMap& labels) const {
    const prometheus::ClientMetric* const sample = Find(name, labels);
    if (sample == nullptr) return std::nullopt;
    return sample->histogram;
  }

  std::size_t SeriesOf(const std::string& name) const { return families_.count(name) == 0 ? 0 : families_.at(name).metric.size(); }
  const std::map<std::string, prometheus::MetricFamily>& families() const { return families_; }

  /// Every counter, and every histogram's count, by "name{labels}".
  std::map<std::string, double> Counters() const {
    std::map<std::string, double> counters;
    for (const auto& [name, family] : families_) {
      for (const prometheus::ClientMetric& sample : family.metric) {
        std::string key = name;
        for (const auto& [label, value] : LabelsOf(sample)) key += "," + label + "=" + value;
        if (family.type == prometheus::MetricType::Counter) counters[key] = sample.counter.value;
        if (family.type == prometheus::MetricType::Histogram) counters[key] = static_cast<double>(sample.histogram.sample_count);
      }
    }
    return counters;
  }

  static LabelMap LabelsOf(const prometheus::ClientMetric& sample) {
    LabelMap labels;
    for (const auto& label : sample.label) labels.emplace(label.name, label.value);
    return labels;
  }

  static double ValueOf(const prometheus::MetricFamily& family, const prometheus::ClientMetric& sample) {
    switch (family.type) {
      case prometheus::MetricType::Counter:
        return sample.counter.value;
      case prometheus::MetricType::Histogram:
        return static_cast<double>(sample.histogram.sample_count);
      default:
        return sample.gauge.value;
    }
  }

 private:
  const prometheus::ClientMetric* Find(const std::string& name, const LabelMap& labels) const {
    const auto family = families_.find(name);
    if (family == families_.end()) return nullptr;
    for (const prometheus::ClientMetric& sample : family->second.metric) {
      if (LabelsOf(sample) == labels) return &sample;
    }
    return nullptr;
  }

  std::map<std::string, prometheus::MetricFamily> families_;
};

/// `base` and more labels.
inline LabelMap Plus(LabelMap base, const LabelMap& more) {
  base.insert(more.begin(), more.end());
  return base;
}

}  // namespace recloser

#endif  // RECLOSER_TEST_PROMETHEUS_SCRAPED_H_
