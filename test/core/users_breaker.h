// Breakers of the user's own.
#ifndef RECLOSER_TEST_CORE_USERS_BREAKER_H_
#define RECLOSER_TEST_CORE_USERS_BREAKER_H_

#include <memory>
#include <optional>

#include "recloser/core/breaker.h"
#include "recloser/core/breaker_options.h"

namespace recloser {

/// Admits everything and learns nothing.
class IdleBreaker : public CircuitBreaker {
 public:
  Admission TryAcquire(Time, const AttemptInfo&) override { return {}; }
  Outcome Record(const Permit&, Time, const AttemptResult& result) override { return Classify(result, std::nullopt); }
  void Drop(const Permit&, Time) override {}
  void StreamStarted(const Permit&, Time) override {}
  void FreshEvidence(Time) override {}
  void ForceOpen(Time) override {}
  void Disable(Time) override {}
  void Reset(Time) override {}
  std::optional<Duration> healthy_latency() const override { return std::nullopt; }
  BreakerState state() const override { return BreakerState::kClosed; }
  BreakerSnapshot Snapshot(Time) const override { return {}; }
};

/// Throws when it is looked at.
inline BreakerOptions ThrowingBreaker() {
  class Throwing final : public IdleBreaker {
   public:
    BreakerSnapshot Snapshot(Time) const override { throw 1; }
  };
  BreakerOptions options;
  options.kind =
      CustomBreaker{"throwing", std::make_shared<const CustomBreaker::Factory>([](Time, Random) { return std::make_unique<Throwing>(); })};
  return options;
}

}  // namespace recloser

#endif  // RECLOSER_TEST_CORE_USERS_BREAKER_H_
