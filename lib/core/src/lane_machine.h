// What a breaker must offer for its healthy attempts to be noted beside it (healthy_lane.h) and told to it later, in one go.
//
// All times are the rules' (monotonic_clock.h).
#ifndef RECLOSER_CORE_SRC_LANE_MACHINE_H_
#define RECLOSER_CORE_SRC_LANE_MACHINE_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "permit_ledger.h"
#include "recloser/core/export.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// Something that a healthy attempt did.
struct LaneEvent {
  static constexpr Duration kArrival{-1};

  // Not initialised, which a `Time` would be: logs are arrays of these.
  /// Since the origin of the rules' clock.
  Duration at;
  /// From the attempt's start to its good end; `kArrival` when it arrived and was admitted.
  Duration took;
};

/// What is known beforehand of a healthy breaker, as long as nothing but what is noted happens.
struct LaneTerms {
  /// Of its permits.
  std::uint64_t generation = 0;
  /// The rules' time minus the caller's.
  Duration clock_offset = Duration::zero();
  /// A good answer to a unary attempt that took less than this can't be evidence against the link, whatever is learnt meanwhile.
  Duration harmless_below = Duration::zero();
  /// No attempt in flight is looked at before it has this age, whatever is learnt meanwhile.
  Duration unwatched_below = Duration::zero();

  friend bool operator==(const LaneTerms& a, const LaneTerms& b) {
    return a.generation == b.generation && a.clock_offset == b.clock_offset && a.harmless_below == b.harmless_below &&
           a.unwatched_below == b.unwatched_below;
  }
};

class LaneMachine {
 public:
  virtual ~LaneMachine() = default;

  /// Nothing unless every attempt is admitted now, without a draw and without a lease, and a harmless good answer changes no decision.
  virtual std::optional<LaneTerms> lane_terms() const = 0;
  virtual std::uint64_t lane_generation() const = 0;
  /// The rules' time at the caller's `now`.
  virtual Time lane_now(Time now) const = 0;
  /// Before this, the machine looks at no attempt in flight that is its own, whatever is learnt meanwhile.
  virtual Time lane_next_look() const = 0;
  /// From this age on an attempt in flight is looked at now.
  virtual Duration lane_watched_from() const = 0;

  /// Does what the attempts would have done one by one. In order of time, each at most as late as the caller's now. `generation`: of their
  /// permits; it may have ended meanwhile.
  virtual void ReplayLane(absl::Span<const LaneEvent> events, std::uint64_t generation) = 0;
  /// An attempt in flight becomes the machine's own, with all that its `started` and `generation` imply. Returns its permit's id.
  virtual std::uint64_t Adopt(const HeldPermit& permit) = 0;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_LANE_MACHINE_H_
