// What the demo shows while it runs: a line a second with every arm's goodput and breaker, and a line for each change of a breaker.
#ifndef RECLOSER_DEMO_SERVICES_DEMO_BOARD_H_
#define RECLOSER_DEMO_SERVICES_DEMO_BOARD_H_

#include <array>
#include <string>

#include "demo_services/load_client/arms.h"
#include "recloser/core/time.h"
#include "recloser/demo/v1/report.pb.h"

namespace recloser::demo {

/// Prints on stdout, at most 100 columns. Thread safety: none.
class Board {
 public:
  void Header() const;
  void OnEvent(Arm arm, const v1::LoadEvent& event);
  /// `what` happened to the service at `at` of the load.
  void Announce(Duration at, const std::string& what) const;
  /// The line of all that was told since the last one.
  void Line(Duration at, const std::string& phase);

 private:
  struct Cell {
    std::uint32_t arrived = 0;
    std::uint32_t finished = 0;
    std::uint32_t good = 0;
    std::string breaker;
  };
  std::array<Cell, kArms.size()> cells_;
};

}  // namespace recloser::demo

#endif  // RECLOSER_DEMO_SERVICES_DEMO_BOARD_H_
