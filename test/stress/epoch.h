// One epoch: a service and a world, thousands of calls at once, and then the reckoning.
#ifndef RECLOSER_TEST_STRESS_EPOCH_H_
#define RECLOSER_TEST_STRESS_EPOCH_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plan.h"

namespace recloser::stress {

struct EpochReport {
  std::int64_t calls = 0;
  std::array<std::array<std::int64_t, kApis>, kMethods> by_form{};
  std::array<std::int64_t, 17> by_code{};
  std::int64_t attempts = 0;   // as observers count
  std::int64_t reached = 0;    // attempts that the service counts
  std::int64_t recovered = 0;  // OK after more than one attempt
  std::int64_t rejected = 0;
  std::int64_t cancelled = 0;    // TryCancel was called
  std::int64_t dropped = 0;      // streams
  std::int64_t exact = 0;        // calls whose number of attempts had to be one number
  std::int64_t unexcused = 0;    // calls of which the service had to see every attempt
  std::int64_t restarts = 0;     // of the service
  std::int64_t meddled = 0;      // reloads, channels replaced, breakers controlled by hand
  std::int64_t queues_shut = 0;  // with calls under way
  std::vector<std::string> faults;

  void Add(const EpochReport& other);
};

EpochReport RunEpoch(const EpochPlan& plan);

}  // namespace recloser::stress

#endif  // RECLOSER_TEST_STRESS_EPOCH_H_
