// A program of somebody else on recloser::core alone: a breaker opens.
#include <recloser/core/breaker.h>
#include <recloser/core/breaker_options.h>

#include <chrono>
#include <cstdio>

int main() {
  recloser::StandardBreakerOptions standard;
  standard.minimum_calls = 4;
  recloser::BreakerOptions options;
  options.kind = standard;
  if (const absl::Status status = options.Validate("breaker"); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }

  recloser::Time now{};
  const auto breaker = recloser::MakeBreaker(options, now, recloser::Random(1));
  recloser::AttemptResult failed;
  failed.code = absl::StatusCode::kUnavailable;
  for (int i = 0; i < standard.minimum_calls; ++i) {
    now += std::chrono::milliseconds(1);
    const recloser::Admission admission = breaker->TryAcquire(now, {});
    breaker->Record(admission.permit, now, failed);
  }
  std::printf("the breaker is %s\n", std::string(recloser::StateName(breaker->state())).c_str());
  return breaker->state() == recloser::BreakerState::kOpen ? 0 : 1;
}
