#include "demo_services/demo/board.h"

#include <algorithm>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "demo_services/demo/text.h"

namespace recloser::demo {
namespace {

// "97 % half_open". The share is that of the calls that ended, so that those in flight do not count against a healthy service; where calls
// come and none ends, nothing is answered.
std::string CellText(std::uint32_t arrived, std::uint32_t finished, std::uint32_t good, const std::string& breaker) {
  const double share = finished > 0 ? 100.0 * good / finished : 0;
  return absl::StrFormat("%5s %-10s", arrived + finished == 0 ? "" : absl::StrFormat("%.0f %%", share), breaker);
}

// The decision and its main numbers; the whole sentence would take several lines.
std::string Shorten(std::string line) {
  line = line.substr(0, line.find(';'));
  if (line.size() > kColumns) line = line.substr(0, std::min<std::size_t>(line.rfind(" (", kColumns), kColumns));
  return line + "\n";
}

}  // namespace

void Board::Header() const {
  std::string line = absl::StrFormat("%7s  %-10s", "second", "service");
  for (const Arm arm : kArms) absl::StrAppendFormat(&line, "  %-16s", ArmName(arm));
  absl::StripTrailingAsciiWhitespace(&line);
  std::cout << "Answered within the SLO, of the calls that ended in the last second, and the breaker's state:\n" << line << std::endl;
}

void Board::OnEvent(Arm arm, const v1::LoadEvent& event) {
  Cell& cell = cells_[static_cast<std::size_t>(arm)];
  if (event.has_interval()) {
    cell.arrived += event.interval().arrived();
    cell.finished += event.interval().finished();
    cell.good += event.interval().good();
    cell.breaker = event.interval().breaker_state();
  }
  if (!event.has_breaker()) return;
  const v1::BreakerChange& change = event.breaker();
  cell.breaker = change.to();
  std::cout << Shorten(absl::StrFormat("%7.2f  * %s %s", change.at_seconds(), ArmName(arm), change.explanation())) << std::flush;
}

void Board::Announce(Duration at, const std::string& what) const {
  std::cout << absl::StrFormat("%7.2f  > %s\n", ToSeconds(at), what) << std::flush;
}

void Board::Line(Duration at, const std::string& phase) {
  std::string line = absl::StrFormat("%7.1f  %-10s", ToSeconds(at), phase);
  for (Cell& cell : cells_) {
    absl::StrAppend(&line, "  ", CellText(cell.arrived, cell.finished, cell.good, cell.breaker));
    cell.arrived = 0;
    cell.finished = 0;
    cell.good = 0;
  }
  absl::StripTrailingAsciiWhitespace(&line);
  std::cout << line << std::endl;
}

}  // namespace recloser::demo
