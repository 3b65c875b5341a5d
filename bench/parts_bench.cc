// The parts of the adaptive breaker: the rating of an attempt, the window that keeps it.
#include <benchmark/benchmark.h>

#include <chrono>

#include "recloser/core/adaptive_window.h"
#include "recloser/core/rating.h"
#include "recloser/core/time.h"

namespace recloser {
namespace {

AttemptObservation HealthyObservation(const AttemptResult& result) {
  AttemptObservation observation;
  observation.duration = std::chrono::milliseconds(20);
  observation.healthy_latency = std::chrono::milliseconds(20);
  observation.slow_call_duration = std::chrono::milliseconds(500);
  observation.result = &result;
  return observation;
}

void Rate(benchmark::State& state) {
  const Rating rating{RatingOptions{}};
  const AttemptResult result;
  AttemptObservation observation = HealthyObservation(result);
  for (auto _ : state) {
    benchmark::DoNotOptimize(observation);
    benchmark::DoNotOptimize(rating.Rate(observation));
  }
}
BENCHMARK(Rate);

constexpr double kRate = 480;  // calls per second
constexpr Duration kBetweenCalls = std::chrono::nanoseconds(1'000'000'000 / 480);

WindowSample HealthySample() {
  const AttemptResult result;
  WindowSample sample;
  sample.rating = Rating(RatingOptions{}).Rate(HealthyObservation(result));
  return sample;
}

void WindowAdd(benchmark::State& state) {
  AdaptiveWindow window{WindowOptions{}};
  const WindowSample sample = HealthySample();
  Time now{};
  for (auto _ : state) {
    now += kBetweenCalls;
    window.Add(now, sample, kRate);
  }
}
BENCHMARK(WindowAdd);

/// Read at each scrape and each transition, not at each call.
void WindowContext(benchmark::State& state) {
  AdaptiveWindow window{WindowOptions{}};
  const WindowSample sample = HealthySample();
  Time now{};
  for (int i = 0; i < 10'000; ++i) window.Add(now += kBetweenCalls, sample, kRate);
  for (auto _ : state) benchmark::DoNotOptimize(window.Context(now));
}
BENCHMARK(WindowContext);

}  // namespace
}  // namespace recloser
