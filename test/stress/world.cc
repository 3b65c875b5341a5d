#include "world.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace recloser::stress {
namespace {

/// An application's own interceptor, which counts the attempts that pass.
class Foreign final : public grpc::experimental::Interceptor {
 public:
  explicit Foreign(std::shared_ptr<std::atomic<std::int64_t>> attempts) : attempts_(std::move(attempts)) {}
  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    using Hook = grpc::experimental::InterceptionHookPoints;
    if (!counted_ && batch->QueryInterceptionHookPoint(Hook::PRE_SEND_INITIAL_METADATA)) {
      counted_ = true;
      ++*attempts_;
    }
    batch->Proceed();
  }

 private:
  const std::shared_ptr<std::atomic<std::int64_t>> attempts_;
  bool counted_ = false;
};

class ForeignFactory final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit ForeignFactory(std::shared_ptr<std::atomic<std::int64_t>> attempts) : attempts_(std::move(attempts)) {}
  grpc::experimental::Interceptor* CreateClientInterceptor(grpc::experimental::ClientRpcInfo*) override { return new Foreign(attempts_); }

 private:
  const std::shared_ptr<std::atomic<std::int64_t>> attempts_;
};

PolicySet Set(const Policies& policies) {
  PolicySet set;
  set.defaults = policies;
  return set;
}

/// Channels by a fixed set or by a source.
template <class PoliciesOrSource>
std::shared_ptr<grpc::ChannelInterface> Create(Attach attach, const std::string& target, const PoliciesOrSource& policies,
                                               ChannelOptions options) {
  const auto credentials = grpc::InsecureChannelCredentials();
  if (attach == Attach::kDecorator) return CreateChannel(target, credentials, policies, std::move(options));
  if (attach == Attach::kIntercepted) return CreateInterceptedChannel(target, credentials, policies, std::move(options));
  InterceptorFactories factories = MakeClientInterceptors(policies, options.registry);
  std::move(options.inside.begin(), options.inside.end(), std::back_inserter(factories));
  return grpc::experimental::CreateCustomChannelWithInterceptors(target, credentials, options.arguments, std::move(factories));
}

}  // namespace

World::World(const EpochPlan& epoch, std::string target) : epoch_(epoch), target_(std::move(target)) {
  registry_ = Registry::Create();
  registry_->AddObserver(std::make_shared<CountingObserver>(counters_));
  if (epoch.exporter) exporter_ = PrometheusExporter::Create(registry_, &Now);
  if (epoch.reloads) source_ = PolicySource::Create(Set(epoch.policies[0]), {"stress", ""});
  for (int i = 0; i < epoch.channels; ++i) stubs_.push_back(Connect());
}

std::shared_ptr<Stubs> World::Connect() const {
  ChannelOptions options;
  options.registry = registry_;
  options.disable_core_retries = epoch_.no_core_retries;
  options.arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 5);
  options.arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 20);
  if (epoch_.foreign_inside) options.inside.push_back(std::make_unique<ForeignFactory>(foreign_attempts_));
  return std::make_shared<Stubs>(source_ != nullptr ? Create(epoch_.attach, target_, source_, std::move(options))
                                                    : Create(epoch_.attach, target_, epoch_.policies[0], std::move(options)));
}

std::shared_ptr<Stubs> World::stubs(int call) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stubs_[static_cast<std::size_t>(call) % stubs_.size()];
}

void World::Meddle(Random& random) {
  const double dice = random.Uniform();
  if (dice < 0.03 && epoch_.recycles) return Recycle(random);
  if (dice > 0.10 && dice < 0.12 && epoch_.reloads) return Reload(random);
  if (dice > 0.20 && dice < 0.22 && epoch_.manual) return Control(random);
  if (dice > 0.30 && dice < 0.31) return Look();
}

void World::Recycle(Random& random) {
  ++meddled_;
  std::shared_ptr<Stubs> replaced = Connect();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::swap(replaced, stubs_[static_cast<std::size_t>(random.Uniform() * static_cast<double>(stubs_.size()))]);
}

void World::Reload(Random& random) {
  ++meddled_;
  Policies next = epoch_.policies[static_cast<std::size_t>(random.Uniform() * static_cast<double>(epoch_.policies.size()))];
  const bool bad = Chance(random, 0.1);
  if (bad) next.defaults.retry.max_attempts = 0;
  const absl::Status applied = source_->Update(Set(next), {"stress", ""}, Now());
  if (applied.ok() == bad) faults_.push_back(bad ? "a bad reload was applied" : absl::StrCat("a reload was refused: ", applied.message()));
}

void World::Control(Random& random) {
  ++meddled_;
  const auto breakers = registry_->List();
  if (breakers.empty()) return;
  SharedBreaker& breaker = *breakers[static_cast<std::size_t>(random.Uniform() * static_cast<double>(breakers.size()))];
  const double dice = random.Uniform();
  if (dice < 0.2) return breaker.ForceOpen(Now());
  if (dice < 0.4) return breaker.Disable(Now());
  if (dice < 0.5) return breaker.FreshEvidence(Now());
  breaker.Reset(Now());
}

void World::Look() const {
  for (const auto& breaker : registry_->List()) static_cast<void>(breaker->Snapshot(Now()));
  if (exporter_ != nullptr) static_cast<void>(exporter_->Collect());
}

void World::Release(Random& random) {
  std::vector<std::function<void()>> steps = {[this] { registry_ = nullptr; }, [this] { source_ = nullptr; },
                                              [this] { exporter_ = nullptr; }};
  std::vector<std::shared_ptr<Stubs>> stubs;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stubs.swap(stubs_);
  }
  for (auto& one : stubs) steps.push_back([&one] { one = nullptr; });
  for (std::size_t i = steps.size(); i > 1; --i)
    std::swap(steps[i - 1], steps[static_cast<std::size_t>(random.Uniform() * static_cast<double>(i))]);
  for (const auto& step : steps) step();
}

std::vector<std::string> World::FaultsAtRest() const {
  std::vector<std::string> faults = faults_;
  for (const auto& breaker : registry_->List()) {
    const BreakerSnapshot snapshot = breaker->Snapshot(Now());
    const std::string of = absl::StrCat(" of breaker ", breaker->id().name());
    if (snapshot.permits_in_flight != 0) faults.push_back(absl::StrCat(snapshot.permits_in_flight, " permits", of));
    if (snapshot.probes_in_flight != 0) faults.push_back(absl::StrCat(snapshot.probes_in_flight, " probes", of));
    if (snapshot.invariant_violations != 0) faults.push_back(absl::StrCat(snapshot.invariant_violations, " invariants broken", of));
  }
  for (const Registry::BudgetState& budget : registry_->Budgets()) {
    if (budget.tokens < 0 || budget.tokens > budget.max_tokens) {
      faults.push_back(absl::StrCat(budget.tokens, " tokens of ", budget.max_tokens));
    }
  }
  for (std::string& fault : FaultsOfExporter()) faults.push_back(std::move(fault));
  return faults;
}

std::vector<std::string> World::FaultsOfExporter() const {
  std::vector<std::string> faults;
  if (exporter_ == nullptr) return faults;
  double attempts = 0;
  double calls = 0;
  for (const auto& family : exporter_->Collect()) {
    for (const auto& metric : family.metric) {
      if (family.name == "recloser_attempts_started_total") attempts += metric.counter.value;
      if (family.name == "recloser_calls_started_total") calls += metric.counter.value;
      const double value = metric.gauge.value + metric.counter.value;
      const bool must_be_zero = absl::EndsWith(family.name, "_in_flight") || family.name == "recloser_invariant_violations_total";
      if (must_be_zero && value != 0) faults.push_back(absl::StrCat(family.name, " is ", value));
    }
  }
  if (static_cast<std::int64_t>(attempts) != counters_->attempts_started)
    faults.push_back(absl::StrCat("the exporter counts ", attempts, " attempts"));
  if (static_cast<std::int64_t>(calls) != counters_->calls_started) faults.push_back(absl::StrCat("the exporter counts ", calls, " calls"));
  return faults;
}

}  // namespace recloser::stress
