// The permits that are out: who holds one, since when, and which may still be marked slow or run out of their lease.
//
// Every operation is O(1), amortised; memory is reused, so a healthy call allocates nothing. Two queues in order of the attempts' starts
// run through the permits: `watched` (may be marked slow in flight) and `leased` (reclaimed when not given back). Thread safety: none.
#ifndef RECLOSER_CORE_SRC_PERMIT_LEDGER_H_
#define RECLOSER_CORE_SRC_PERMIT_LEDGER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "recloser/core/breaker.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

/// What the ledger knows of a permit.
struct HeldPermit {
  std::uint64_t id = 0;
  std::uint64_t generation = 0;
  Time started{};
  bool probe = false;
  bool streaming = false;
  bool marked = false;  // was counted as slow while in flight: its end is not counted again
  bool parked = false;  // not in flight any more, its end is still awaited
};

class PermitLedger {
 public:
  /// `watched`: may be marked slow. `leased`: is reclaimed when not given back. One that started earlier than others takes its place among
  /// them.
  std::uint64_t Grant(HeldPermit permit, bool watched, bool leased);

  /// Takes the permit back; nothing when it is not out (given back before, or reclaimed).
  std::optional<HeldPermit> Release(std::uint64_t id);
  /// Null when it is not out. Valid until the next change.
  const HeldPermit* Find(std::uint64_t id) const;
  /// The permit is not in flight from now on, and has no lease. It is still out, until it is given back.
  void Park(std::uint64_t id);

  /// The oldest watched permit that was started at or before `limit`, marked and watched no more.
  std::optional<HeldPermit> MarkNext(Time limit);
  /// The oldest leased permit that was started at or before `limit`, taken back.
  std::optional<HeldPermit> ReclaimNext(Time limit);

  /// The breaker's generation ends: nothing of it is marked any more, only probes keep their leases.
  void EndGeneration();

  /// When the oldest watched permit was started; kInfiniteFuture when there is none.
  Time oldest_watched() const { return ends_[kWatched].first == kNone ? kInfiniteFuture : slots_[ends_[kWatched].first].permit.started; }
  bool any_leased() const { return ends_[kLeased].first != kNone; }
  std::int64_t in_flight() const { return in_flight_; }
  std::int64_t probes_in_flight() const { return probes_in_flight_; }

 private:
  enum Queue { kWatched, kLeased };
  static constexpr int kQueues = 2;
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kUnlinked = -2;

  struct Link {
    std::int32_t previous = kUnlinked;
    std::int32_t next = kUnlinked;
  };
  struct Slot {
    HeldPermit permit;
    std::array<Link, kQueues> links;
  };
  struct Ends {
    std::int32_t first = kNone;
    std::int32_t last = kNone;
  };

  std::int32_t IndexOf(std::uint64_t id) const;
  HeldPermit Free(std::int32_t index);
  void LeaveFlight(HeldPermit* permit);
  void Push(Queue queue, std::int32_t index);
  void Unlink(Queue queue, std::int32_t index);

  std::vector<Slot> slots_;
  std::vector<std::int32_t> free_;
  std::array<Ends, kQueues> ends_;
  std::uint64_t granted_ = 0;
  std::int64_t in_flight_ = 0;
  std::int64_t probes_in_flight_ = 0;
};

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_PERMIT_LEDGER_H_
