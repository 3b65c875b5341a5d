#include "demo_services/common/lag_meter.h"

#include <chrono>

namespace recloser::demo {
namespace {

constexpr auto kInterval = std::chrono::milliseconds(10);

}  // namespace

LagMeter::LagMeter() : thread_([this] { Run(); }) {}

Lag LagMeter::Stop() {
  stop_.Request();
  if (thread_.joinable()) thread_.join();
  return {lags_.Quantile(0.99), lags_.max()};
}

void LagMeter::Run() {
  using std::chrono::steady_clock;
  for (steady_clock::time_point next = steady_clock::now() + kInterval; !stop_.WaitUntil(next); next = steady_clock::now() + kInterval) {
    lags_.Add(steady_clock::now() - next);
  }
}

}  // namespace recloser::demo
