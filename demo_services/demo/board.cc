#include "demo_services/demo/board.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "demo_services/demo/text.h"

namespace recloser::demo {
namespace {

// "97 % half_open"; blanks where nothing arrived.
std::string CellText(std::uint32_t good, std::uint32_t arrived, const std::string& breaker) {
  const std::string share = arrived == 0 ? "" : absl::StrFormat("%.0f %%", std::min(100.0, 100.0 * good / arrived));
  return absl::StrFormat("%5s %-10s", share, breaker);
}

}  // namespace

void Board::Header() const {
  std::cout << "Answered within the SLO in the last second, and the breaker's state:\n"
            << absl::StrFormat("%7s  %-10s", "second", "service");
  for (const Arm arm : kArms) std::cout << absl::StrFormat("  %-16s", ArmName(arm));
  std::cout << std::endl;
}

void Board::OnEvent(Arm arm, const v1::LoadEvent& event) {
  Cell& cell = cells_[static_cast<std::size_t>(arm)];
  if (event.has_interval()) {
    cell.arrived += event.interval().arrived();
    cell.good += event.interval().good();
    cell.breaker = event.interval().breaker_state();
  }
  if (!event.has_breaker()) return;
  const v1::BreakerChange& change = event.breaker();
  cell.breaker = change.to();
  std::cout << Wrap(absl::StrFormat("%7.2f  * %s: %s -> %s. %s", change.at_seconds(), ArmName(arm), change.from(), change.to(),
                                    change.explanation()),
                    11)
            << std::flush;
}

void Board::Announce(Duration at, const std::string& what) const {
  std::cout << absl::StrFormat("%7.2f  > %s\n", ToSeconds(at), what) << std::flush;
}

void Board::Line(Duration at, const std::string& phase) {
  std::string line = absl::StrFormat("%7.1f  %-10s", ToSeconds(at), phase);
  for (Cell& cell : cells_) {
    absl::StrAppend(&line, "  ", CellText(cell.good, cell.arrived, cell.breaker));
    cell.arrived = 0;
    cell.good = 0;
  }
  absl::StripTrailingAsciiWhitespace(&line);
  std::cout << line << std::endl;
}

}  // namespace recloser::demo
