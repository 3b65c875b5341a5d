#include "fixture.h"

#include <thread>
#include <utility>

namespace recloser::testing {

const char* AttachName(Attach attach) { return attach == Attach::kDecorator ? "Decorator" : "Intercepted"; }

std::shared_ptr<grpc::ChannelInterface> Connect(Attach attach, const std::string& target, const Policies& policies,
                                                std::shared_ptr<Registry> registry, ChannelOptions options) {
  options.registry = std::move(registry);
  options.arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
  // In spite of its name how long a connection attempt may take: on a loaded machine 20 ms are too few.
  options.arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  options.arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 50);
  const auto credentials = grpc::InsecureChannelCredentials();
  if (attach == Attach::kDecorator) return CreateChannel(target, credentials, policies, std::move(options));
  return CreateInterceptedChannel(target, credentials, policies, std::move(options));
}

Policies FastRetries() {
  Policies policies = Policies::Defaults();
  policies.defaults.retry.backoff.base = milliseconds(5);
  policies.defaults.retry.backoff.cap = milliseconds(20);
  return policies;
}

Policies TouchyBreaker() {
  Policies policies = FastRetries();
  StandardBreakerOptions standard;
  standard.window_calls = 4;
  standard.minimum_calls = 2;
  standard.wait = milliseconds(100);
  standard.wait_cap = seconds(1);
  standard.permitted_half_open_calls = 1;
  policies.defaults.breaker.kind = standard;
  return policies;
}

grpc::Status Unavailable() { return grpc::Status(grpc::StatusCode::UNAVAILABLE, "not now"); }

bool Eventually(const std::function<bool()>& condition) {
  const Stopwatch watch;
  while (!condition()) {
    if (watch.elapsed() > seconds(20)) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

class Tally::OfMethod final : public MethodObserver {
 public:
  explicit OfMethod(std::shared_ptr<State> state) : state_(std::move(state)) {}

  void OnCallStarted() override {
    Add([](Totals& t) { ++t.calls_started; });
  }
  void OnCallFinished(const CallFinished& call) override {
    Add([&](Totals& t) { ++t.calls_finished, t.calls.push_back(call); });
  }
  void OnAttemptStarted(int) override {
    Add([](Totals& t) { ++t.attempts_started; });
  }
  void OnAttemptFinished(const AttemptFinished& attempt) override {
    Add([&](Totals& t) { ++t.attempts_finished, t.attempts.push_back(attempt); });
  }
  void OnTimeout(TimeoutScope scope, TimeoutSource) override {
    Add([scope](Totals& t) { ++t.timeouts, t.timeout_scopes.push_back(scope); });
  }
  void OnRetrySuppressed(RetrySuppressed why) override {
    Add([&](Totals& t) { t.suppressed.push_back(why); });
  }
  void OnRejected(bool shadow) override {
    Add([&](Totals& t) { ++(shadow ? t.would_reject : t.rejected); });
  }

 private:
  template <class Change>
  void Add(Change&& change) {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    change(state_->totals);
  }

  const std::shared_ptr<State> state_;
};

Tally::Totals Tally::totals() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->totals;
}

std::shared_ptr<MethodObserver> Tally::ObserveMethod(const MethodId&) { return std::make_shared<OfMethod>(state_); }

void Tally::OnTransition(const SharedBreaker&, const BreakerTransition& transition) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->totals.states.push_back(transition.to);
}

void Tally::OnProblem(const Problem& problem) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->totals.problems.push_back(problem.kind);
}

}  // namespace recloser::testing
