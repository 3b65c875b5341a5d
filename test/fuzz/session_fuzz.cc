// Calls of one channel, several at once, with any events in any order, while policies change and breakers are controlled by hand.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "core_options.h"
#include "recloser/core/call_session.h"
#include "recloser/core/link.h"
#include "recloser/core/policy_source.h"
#include "recloser/core/registry.h"

namespace recloser::fuzz {
namespace {

struct Totals {
  int calls_started = 0;
  int calls_finished = 0;
  int attempts_started = 0;
  int attempts_finished = 0;
};

class Counting final : public Observer {
 public:
  explicit Counting(Totals& totals) : totals_(totals) {}
  std::shared_ptr<MethodObserver> ObserveMethod(const MethodId&) override { return std::make_shared<OfMethod>(totals_); }

 private:
  class OfMethod final : public MethodObserver {
   public:
    explicit OfMethod(Totals& totals) : totals_(totals) {}
    void OnCallStarted() override { ++totals_.calls_started; }
    void OnCallFinished(const CallFinished& call) override {
      ++totals_.calls_finished;
      FUZZ_CHECK(call.duration >= Duration::zero() && call.attempts >= 0 && call.attempts <= 100);
    }
    void OnAttemptStarted(int number) override {
      ++totals_.attempts_started;
      FUZZ_CHECK(number >= 1 && number <= 100);
    }
    void OnAttemptFinished(const AttemptFinished& attempt) override {
      ++totals_.attempts_finished;
      FUZZ_CHECK(attempt.duration >= Duration::zero());
    }
    void OnRetryScheduled(RetryReason, Duration delay) override { FUZZ_CHECK(delay >= Duration::zero()); }

   private:
    Totals& totals_;
  };

  Totals& totals_;
};

PolicySet Set(Policies policies) {
  PolicySet set;
  set.defaults = std::move(policies);
  return set;
}

/// One call and how often it was told to end.
struct Call {
  Call(MethodRef method, const CallOverrides& overrides, std::uint64_t seed) : session(std::move(method), overrides, seed) {}

  void Take(const Action& action) {
    if (action.kind == Action::Kind::kSend) ++sent;
    if (action.kind == Action::Kind::kDeliver || action.kind == Action::Kind::kReject || action.kind == Action::Kind::kCancel) ++ended;
    FUZZ_CHECK(ended == (session.finished() ? 1 : 0));
    FUZZ_CHECK(sent == session.attempts());
  }

  CallSession session;
  int sent = 0;
  int ended = 0;
};

class World {
 public:
  explicit World(FuzzInput& input) : input_(input) {
    RegistryOptions options;
    options.seed = 7;
    registry_ = Registry::Create(options);
    registry_->AddObserver(std::make_shared<Counting>(totals_));
    source_ = PolicySource::Create(Set(AnyPolicies(input)), {"fuzz", ""});
    link_ = Link::Create("dns:///orders", source_, registry_);
  }

  void Run() {
    for (int i = 0; i < 1000 && !input_.empty(); ++i) {
      now_ = AnyLater(input_, now_);
      Step();
      CheckBudget();
    }
    for (auto& call : calls_) call.reset();
    FUZZ_CHECK(totals_.calls_started == totals_.calls_finished);
    FUZZ_CHECK(totals_.attempts_started == totals_.attempts_finished);
    for (const auto& breaker : registry_->List()) {
      const BreakerSnapshot snapshot = breaker->Snapshot(now_);
      FUZZ_CHECK(snapshot.permits_in_flight == 0 && snapshot.probes_in_flight == 0 && snapshot.invariant_violations == 0);
    }
    FUZZ_CHECK(registry_->listener_errors() == 0);
  }

 private:
  void Step() {
    const int choice = input_.Byte();
    auto& call = calls_[static_cast<std::size_t>(input_.Pick(static_cast<int>(calls_.size())))];
    if (choice < 4) return Reload();
    if (choice < 8) return Control();
    if (choice < 16) return call.reset();  // in whatever state it is
    if (call == nullptr || call->session.finished()) return Begin(call);
    if (choice < 140) return call->Take(call->session.OnAttemptFinished(now_, AnyResult(input_)));
    if (choice < 220) return call->Take(call->session.OnTimer(now_));
    if (choice < 236) return call->Take(call->session.OnCancelled(now_));
    if (choice < 246) return call->session.OnStreamMessage(now_);
    if (choice < 250) return call->session.ForbidRetries(RetrySuppressed::kUnsupportedMessage);
    call->Take(call->session.Start(now_, kInfiniteFuture));  // once more, which is nothing
  }

  void Begin(std::unique_ptr<Call>& call) {
    constexpr const char* kMethods[] = {"/a.B/Get", "/a.B/Put", "/a.C/Watch", "/grpc.health.v1.Health/Check"};
    const int method = input_.Pick(4);
    CallOverrides overrides;
    const int choice = input_.Byte();
    if (choice % 8 == 1) overrides.max_attempts = input_.Byte() - 100;
    if (choice % 8 == 2) overrides.attempt_timeout = Duration(input_.Number());
    overrides.bypass_breaker = choice % 8 == 3;
    overrides.nested = choice % 8 == 4;
    if (choice % 8 == 5) overrides.longest_wait = std::chrono::milliseconds(250);
    const MethodTraits traits{method == 2, method == 0};
    call.reset();
    call = std::make_unique<Call>(link_->Method(kMethods[method], traits, now_), overrides, registry_->NextSeed());
    call->Take(call->session.Start(now_, input_.Flip() ? kInfiniteFuture : AnyLater(input_, now_)));
  }

  void Reload() {
    Policies next = AnyPolicies(input_);
    const bool bad = input_.Pick(4) == 1;
    if (bad) next.defaults.retry.backoff.multiplier = 0;
    FUZZ_CHECK(source_->Update(Set(std::move(next)), {"fuzz", ""}, now_).ok() == !bad);
  }

  void Control() {
    const auto breakers = registry_->List();
    if (breakers.empty()) return;
    SharedBreaker& breaker = *breakers[static_cast<std::size_t>(input_.Pick(static_cast<int>(breakers.size())))];
    switch (input_.Pick(5)) {
      case 0:
        return breaker.ForceOpen(now_);
      case 1:
        return breaker.Disable(now_);
      case 2:
        return link_->FreshEvidence(now_);
      default:
        return breaker.Reset(now_);
    }
  }

  void CheckBudget() const {
    for (const Registry::BudgetState& budget : registry_->Budgets()) FUZZ_CHECK(budget.tokens >= 0 && budget.tokens <= budget.max_tokens);
  }

  FuzzInput& input_;
  Totals totals_;
  Time now_{std::chrono::hours(1)};
  std::shared_ptr<Registry> registry_;
  std::shared_ptr<PolicySource> source_;
  std::shared_ptr<Link> link_;
  std::array<std::unique_ptr<Call>, 4> calls_;  // end before the link does
};

}  // namespace
}  // namespace recloser::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  recloser::fuzz::FuzzInput input(data, size);
  recloser::fuzz::World(input).Run();
  return 0;
}
