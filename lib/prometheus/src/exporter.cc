#include "recloser/prometheus/exporter.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "breaker_metrics.h"
#include "config_metrics.h"
#include "method_metrics.h"
#include "page.h"
#include "recording.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr char kOther[] = "other";

/// When `at` was by the wall clock. Prometheus compares with its own time(), so the wall clock is what is asked for here.
double UnixSeconds(Time at, Time now) {
  const std::chrono::duration<double> wall = std::chrono::system_clock::now().time_since_epoch();
  return wall.count() - ToSeconds(Elapsed(at, now));
}

/// A channel has its own budget; of several to one target the emptiest is shown. Targets beyond `max_targets` are one, "other": those last
/// in the alphabet, so that each stays what it is.
void ExportBudgets(const Registry& registry, std::size_t max_targets, Page& page) {
  std::map<std::string, Registry::BudgetState> emptiest;
  const auto add = [&](std::string target, const Registry::BudgetState& budget) {
    const auto [at, added] = emptiest.try_emplace(std::move(target), budget);
    if (!added && budget.tokens * at->second.max_tokens < at->second.tokens * budget.max_tokens) at->second = budget;
  };
  for (const Registry::BudgetState& budget : registry.Budgets()) add(budget.target, budget);
  if (emptiest.size() > max_targets) {
    const std::map<std::string, Registry::BudgetState> all = std::exchange(emptiest, {});
    std::size_t targets = 0;
    for (const auto& [target, budget] : all) add(targets++ < max_targets ? target : kOther, budget);
  }
  for (const auto& [target, budget] : emptiest) {
    page.Add(MetricKey::kRetryBudgetTokens, With({}, {{"target", target}}), budget.tokens);
    page.Add(MetricKey::kRetryBudgetMaxTokens, With({}, {{"target", target}}), budget.max_tokens);
  }
}

}  // namespace

class PrometheusExporter::Impl {
 public:
  Impl(const std::shared_ptr<Registry>& registry, Clock clock, const PrometheusOptions& options)
      : registry_(registry), clock_(clock), max_methods_(static_cast<std::size_t>(std::clamp(options.max_methods, 1, 100000))) {}

  std::shared_ptr<MethodMetrics> Method(const MethodId& id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = by_id_.find(Key(id.target, id.service, id.method));
    if (found != by_id_.end()) return found->second;
    if (methods_.size() < max_methods_) return AddMethod(id);
    methods_dropped_.Increment();
    const auto other = by_id_.find(Key(kOther, kOther, kOther));
    return other != by_id_.end() ? other->second : AddMethod({kOther, kOther, kOther});
  }

  void OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) {
    breakers_.OnTransition(breaker, transition, UnixSeconds(transition.at, clock_()));
  }

  void OnProblem(const Problem& problem) { problems_.at(static_cast<std::size_t>(problem.kind)).Increment(); }

  std::vector<prometheus::MetricFamily> Collect() const {
    Page page;
    for (const std::shared_ptr<MethodMetrics>& method : Methods()) method->Export(page);
    if (const std::shared_ptr<Registry> registry = registry_.lock()) {
      ExportBudgets(*registry, max_methods_, page);
      const Time now = clock_();
      for (const std::shared_ptr<SharedBreaker>& breaker : registry->List()) {
        // A custom breaker or metric is the application's code.
        registry->Guard([&] { breakers_.Export(*breaker, now, page); });
      }
      configs_.Export(registry->Sources(), page);
      page.Add(MetricKey::kListenerErrors, {}, registry->listener_errors());
      page.Add(MetricKey::kSeriesDropped, With({}, {{"kind", "breaker"}}), registry->breakers_refused());
    }
    page.Add(MetricKey::kSeriesDropped, With({}, {{"kind", "method"}}), methods_dropped_.value());
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      page.Add(MetricKey::kProblems, With({}, {{"kind", ProblemName(static_cast<Problem::Kind>(i))}}), problems_[i].value());
    }
    return std::move(page).Take();
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  /// With `mutex_` held.
  std::shared_ptr<MethodMetrics> AddMethod(const MethodId& id) {
    const auto method = std::make_shared<MethodMetrics>(id);
    methods_.push_back(method);
    by_id_.emplace(Key(id.target, id.service, id.method), method);
    return method;
  }

  /// A copy, so that a method's first call does not wait for a scrape.
  std::vector<std::shared_ptr<MethodMetrics>> Methods() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return methods_;
  }

  const std::weak_ptr<Registry> registry_;  // weak: the registry holds its observers
  const Clock clock_;
  const std::size_t max_methods_;
  BreakerMetrics breakers_;
  ConfigMetrics configs_;
  Count methods_dropped_;
  std::array<Count, kProblemKinds> problems_;
  mutable std::mutex mutex_;
  // All below: guarded by `mutex_`.
  std::vector<std::shared_ptr<MethodMetrics>> methods_;
  absl::flat_hash_map<Key, std::shared_ptr<MethodMetrics>> by_id_;
};

std::shared_ptr<PrometheusExporter> PrometheusExporter::Create(const std::shared_ptr<Registry>& registry, Clock clock,
                                                               const PrometheusOptions& options) {
  std::shared_ptr<PrometheusExporter> exporter(new PrometheusExporter(std::make_unique<Impl>(registry, clock, options)));
  registry->AddObserver(exporter);
  return exporter;
}

PrometheusExporter::PrometheusExporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PrometheusExporter::~PrometheusExporter() = default;

std::vector<prometheus::MetricFamily> PrometheusExporter::Collect() const { return impl_->Collect(); }
std::shared_ptr<MethodObserver> PrometheusExporter::ObserveMethod(const MethodId& id) { return impl_->Method(id); }
void PrometheusExporter::OnTransition(const SharedBreaker& breaker, const BreakerTransition& transition) {
  impl_->OnTransition(breaker, transition);
}
void PrometheusExporter::OnProblem(const Problem& problem) { impl_->OnProblem(problem); }

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
