#include "evaluate/reconnects.h"

#include <chrono>

#include "recloser/core/random.h"

namespace recloser::tools {
namespace {

// Of its own, or the runs' other draws would go with it.
constexpr std::uint64_t kStream = 0xc0ec7000;

}  // namespace

sim::Scenario WithReconnects(const sim::Scenario& scenario, std::uint64_t seed) {
  constexpr Duration kLongest = 2 * std::chrono::milliseconds(kReconnectBackoffMs);
  Random random(seed + kStream);
  sim::Scenario longer = scenario;
  for (sim::Service& service : longer.services) {
    for (sim::Fault& fault : service.faults) {
      const Duration reconnect = FromSeconds(random.Uniform() * ToSeconds(kLongest));
      if (fault.kind == sim::Fault::Kind::kRefused) fault.length += reconnect;
    }
  }
  return longer;
}

}  // namespace recloser::tools
