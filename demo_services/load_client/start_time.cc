#include "demo_services/load_client/start_time.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>
#include <string>

#include "absl/strings/numbers.h"

namespace recloser::demo {

bool ReadStart(const Interrupt& interrupt, SteadyTime* start) {
  constexpr int kLookAroundMs = 50;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (poll(&input, 1, kLookAroundMs) <= 0) {
    if (interrupt.requested()) return false;
  }
  std::string line;
  std::int64_t nanos = 0;
  if (!std::getline(std::cin, line) || !absl::SimpleAtoi(line, &nanos)) return false;
  *start = SteadyTime(std::chrono::nanoseconds(nanos));
  return true;
}

}  // namespace recloser::demo
