#include "load_profile.h"

#include <algorithm>
#include <cmath>

#include "distributions.h"

namespace recloser::sim {

LoadProfile::LoadProfile(const Load& load, Time begin, Time origin, Time end) : clients_(load.clients) {
  Time at = begin;
  double rate = load.rate;
  for (const RateChange& change : load.changes) {
    const Time starts = SaturatingAdd(origin, change.at);
    const Time ends = SaturatingAdd(starts, change.over);
    AddPiece(at, std::min(starts, end), rate, rate);
    // A ramp that the end cuts off is cut off at its rate there.
    const double share = change.over > Duration::zero() ? ToSeconds(Elapsed(starts, std::min(ends, end))) / ToSeconds(change.over) : 1;
    AddPiece(starts, std::min(ends, end), rate, rate + share * (change.rate - rate));
    rate = change.rate;
    at = ends;
  }
  AddPiece(at, end, rate, rate);
}

void LoadProfile::AddPiece(Time begin, Time end, double rate_begin, double rate_end) {
  const double length_s = ToSeconds(Elapsed(begin, end));
  if (length_s > 0) pieces_.push_back({begin, length_s, rate_begin, (rate_end - rate_begin) / length_s});
}

double LoadProfile::RateAt(Time t) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), t, [](Time time, const Piece& piece) { return time < piece.begin; });
  if (after == pieces_.begin()) return pieces_.empty() ? 0 : pieces_.front().rate_begin;
  const Piece& piece = *std::prev(after);
  return std::max(0.0, piece.RateAtOffset(std::min(ToSeconds(Elapsed(piece.begin, t)), piece.length_s)));
}

LoadProfile::Arrivals::Arrivals(const LoadProfile* profile, Random random) : profile_(profile), random_(random) {}

std::optional<Time> LoadProfile::Arrivals::Next() {
  double wanted = DrawExponential(&random_) * profile_->clients_;  // of all clients' calls
  for (; piece_ < profile_->pieces_.size(); ++piece_, offset_s_ = 0) {
    const Piece& piece = profile_->pieces_[piece_];
    const double rate = piece.RateAtOffset(offset_s_);
    const double left_s = piece.length_s - offset_s_;
    const double there = (rate + piece.slope * left_s / 2) * left_s;
    if (!(wanted < there)) {
      wanted -= there;
      continue;
    }
    // rate * d + slope * d^2 / 2 = wanted, in the form that does not cancel.
    offset_s_ += 2 * wanted / (rate + std::sqrt(std::max(0.0, rate * rate + 2 * piece.slope * wanted)));
    return SaturatingAdd(piece.begin, FromSeconds(offset_s_));
  }
  return std::nullopt;
}

}  // namespace recloser::sim
