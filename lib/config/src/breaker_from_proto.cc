#include "breaker_from_proto.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "field_access.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

namespace v1 = config::v1;

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", absl::CEscape(text), "\""); }

std::shared_ptr<const Metric> FindMetric(const std::string& name, const PolicyParts& parts, const std::string& field, Validator* v) {
  std::vector<std::shared_ptr<const Metric>> known = {ErrorsMetric(), LatencyMetric(), ThroughputMetric()};
  known.insert(known.end(), parts.metrics.begin(), parts.metrics.end());
  std::vector<std::string> names;
  for (const std::shared_ptr<const Metric>& metric : known) {
    if (metric->name() == name) return metric;
    names.emplace_back(metric->name());
  }
  v->Require(false, field, Quoted(name),
             absl::StrCat("must be one of ", absl::StrJoin(names, ", "), ", or a metric that the application provides"));
  return nullptr;
}

RatingOptions ReadRating(const v1::Rating& from, const PolicyParts& parts, absl::string_view path, Validator* parent) {
  Validator v(path);
  RatingOptions to;
  ReadFields(from, &v, &to);
  if (from.metrics_size() > 0) to.metrics.clear();
  for (int i = 0; i < from.metrics_size(); ++i) {
    const v1::WeightedMetric& metric = from.metrics(i);
    WeightedMetric& added = to.metrics.emplace_back();
    added.metric = FindMetric(metric.name(), parts, absl::StrCat("metrics[", i, "].name"), &v);
    if (metric.has_weight()) added.weight = metric.weight();
  }
  v.Nested(to.Validate(path));
  parent->Nested(v.status());
  return to;
}

AdaptiveBreakerOptions ReadAdaptive(const v1::AdaptiveBreaker& from, const PolicyParts& parts, absl::string_view path, Validator* parent) {
  Validator v(path);
  AdaptiveBreakerOptions to;
  ReadFields(from, &v, &to);
  to.rating = ReadRating(from.rating(), parts, v.Path("rating"), &v);
  ReadNestedFields("window", from.window(), &v, &to.window);
  v.Nested(to.Validate(path));
  parent->Nested(v.status());
  return to;
}

StandardBreakerOptions ReadStandard(const v1::StandardBreaker& from, absl::string_view path, Validator* parent) {
  Validator v(path);
  StandardBreakerOptions to;
  ReadFields(from, &v, &to);
  v.Nested(to.Validate(path));
  parent->Nested(v.status());
  return to;
}

CustomBreaker FindCustom(const std::string& name, const PolicyParts& parts, Validator* v) {
  for (const CustomBreaker& breaker : parts.breakers) {
    if (breaker.name == name) return breaker;
  }
  v->Require(false, "custom", Quoted(name), "must be a breaker that the application provides");
  return {};
}

OutcomeHook FindClassifier(const std::string& name, const PolicyParts& parts, Validator* v) {
  const auto found = parts.classifiers.find(name);
  if (found != parts.classifiers.end()) return found->second;
  v->Require(false, "classify", Quoted(name), "must be a function that the application provides");
  return nullptr;
}

}  // namespace

BreakerOptions BreakerFromProto(const v1::Breaker& from, BreakerMode mode, const PolicyParts& parts, absl::string_view path,
                                Validator* parent) {
  Validator v(path);
  BreakerOptions to;
  to.mode = mode;
  ReadFields(from, &v, &to);
  switch (from.kind_case()) {
    case v1::Breaker::kStandard:
      to.kind = ReadStandard(from.standard(), v.Path("standard"), &v);
      break;
    case v1::Breaker::kCustom:
      to.kind = FindCustom(from.custom(), parts, &v);
      break;
    case v1::Breaker::kAdaptive:
    case v1::Breaker::KIND_NOT_SET:
      to.kind = ReadAdaptive(from.adaptive(), parts, v.Path("adaptive"), &v);
  }
  if (from.has_classify()) to.classify = FindClassifier(from.classify(), parts, &v);
  v.Nested(to.Validate(path));
  parent->Nested(v.status());
  return to;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
