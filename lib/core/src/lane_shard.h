// A part of the healthy lane: the attempts in flight that one thread, or a few, began, and a log of what they did since it was last read.
//
// Everything in it is guarded by its own lock, also the terms under which attempts may be noted, so a healthy attempt touches nothing that
// threads of other shards touch. Who holds the breaker's mutex may take a shard's lock, never the other way round.
#ifndef RECLOSER_CORE_SRC_LANE_SHARD_H_
#define RECLOSER_CORE_SRC_LANE_SHARD_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "lane_log.h"
#include "lane_machine.h"
#include "recloser/core/breaker.h"
#include "recloser/core/export.h"
#include "recloser/core/time.h"
#include "spin_lock.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class alignas(64) LaneShard {
 public:
  /// `number`: of this shard among those of its breaker, below 2^kNumberBits.
  explicit LaneShard(unsigned number) : number_(number) {}

  /// Notes an attempt that begins; false when it can't be noted here and now.
  bool Begin(Time now, Permit* permit);

  enum class Noted { kNo, kYes, kYesAndLogIsFilling };
  /// Notes that the attempt of this permit ended well; `kNo` when it is not here or can't be noted now.
  Noted End(std::uint64_t permit, Time now);

  /// Attempts may be noted from `from` on, before `until`, both as the rules see them.
  void Open(const LaneTerms& terms, std::uint64_t permits_generation, Time from, Time until);
  void Close();
  /// Nothing will be noted to have been before `t`.
  void AdvanceTo(Time t);

  /// Takes what the log holds, in order, `LaneLog::kMostEvents` at most. Returns how many events.
  int Drain(LaneEvent* events);

  struct InFlight {
    std::uint64_t permit = 0;
    Time started{};
  };
  /// Takes the attempt out of the shard; nothing when it is not here.
  std::optional<InFlight> Take(std::uint64_t permit);
  /// Takes all that began at or before `limit` to the end of `taken`. Returns when the oldest of those that stay began.
  Time TakeOlder(Time limit, std::vector<InFlight>* taken);
  std::int64_t in_flight() const;

  /// Room for more attempts in flight, if there is none.
  void MakeRoom();

  /// Which shard a permit is of.
  static unsigned NumberOf(std::uint64_t permit) { return static_cast<unsigned>(permit >> kSlotBits) & ((1u << kNumberBits) - 1); }

  // A permit's id is a serial number, above the number of its shard, above the index of its slot. The serial numbers begin so high that no
  // id is ever one of the machine's own (permit_ledger.h).
  static constexpr int kNumberBits = 4;

 private:
  static constexpr int kSlotBits = 20;
  static constexpr std::uint64_t kFirstGrant = std::uint64_t{1} << (63 - kSlotBits - kNumberBits);
  static constexpr std::uint32_t kNoSlot = ~0u;
  // Read when so many words are used, and when that did not work, tried again after so many more.
  static constexpr std::uint32_t kFilling = LaneLog::kWords * 7 / 8;
  static constexpr std::uint32_t kTryAgainAfter = LaneLog::kWords / 16;

  /// Of an attempt in flight: its permit and start. Free: 0 and the index of the next free slot.
  struct Slot {
    std::uint64_t permit = 0;
    std::int64_t started_or_next = kNoSlot;
  };

  /// Wraps where signed numbers must not: what is compared with the result is in range again.
  static std::uint64_t Difference(std::int64_t a, std::int64_t b) { return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b); }
  static std::uint32_t IndexOf(std::uint64_t permit) { return static_cast<std::uint32_t>(permit) & ((1u << kSlotBits) - 1); }
  /// The rules' time, which never runs backwards here; nothing unless attempts may be noted then.
  bool Enter(Time now, std::int64_t* t);
  void Free(std::uint32_t index);

  // All times in nanoseconds: what is written here is most of what a healthy attempt costs.
  mutable SpinLock lock_;
  std::uint32_t free_ = kNoSlot;
  std::int64_t clock_offset_ = 0;
  std::int64_t from_ = 0;
  std::uint64_t open_for_ = 0;  // from `from_` on; 0: closed
  std::int64_t latest_ = 0;     // noted here
  std::uint64_t harmless_below_ = 0;
  // The second cache line.
  std::uint64_t generation_ = 0;
  std::uint64_t granted_ = kFirstGrant;
  std::uint32_t capacity_ = 0;
  std::uint32_t in_flight_ = 0;
  std::uint32_t filling_ = kFilling;
  const std::uint32_t number_;
  std::unique_ptr<Slot[]> slots_;
  LaneLog log_;
};

inline bool LaneShard::Enter(Time now, std::int64_t* t) {
  const auto at =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(now.time_since_epoch().count()) + static_cast<std::uint64_t>(clock_offset_));
  *t = std::max(at, latest_);
  return Difference(at, from_) < open_for_ && log_.has_room();
}

inline void LaneShard::Free(std::uint32_t index) {
  slots_[index] = {0, free_};
  free_ = index;
  --in_flight_;
}

inline bool LaneShard::Begin(Time now, Permit* permit) {
  const std::lock_guard<SpinLock> lock(lock_);
  std::int64_t t = 0;
  const std::uint32_t index = free_;
  if (!Enter(now, &t) || index == kNoSlot) return false;
  Slot& slot = slots_[index];
  free_ = static_cast<std::uint32_t>(slot.started_or_next);
  ++in_flight_;
  slot.permit = (++granted_ << (kSlotBits + kNumberBits)) | std::uint64_t{number_} << kSlotBits | index;
  slot.started_or_next = t;
  latest_ = t;
  log_.Arrived(t);
  permit->id = slot.permit;
  permit->generation = generation_;
  permit->started = now;
  permit->lane = true;
  return true;
}

inline LaneShard::Noted LaneShard::End(std::uint64_t permit, Time now) {
  const std::lock_guard<SpinLock> lock(lock_);
  std::int64_t t = 0;
  const std::uint32_t index = IndexOf(permit);
  if (!Enter(now, &t) || index >= capacity_ || slots_[index].permit != permit) return Noted::kNo;
  const std::uint64_t took = Difference(t, slots_[index].started_or_next);
  if (took >= harmless_below_) return Noted::kNo;
  latest_ = t;
  log_.Ended(t, static_cast<std::uint32_t>(took));
  Free(index);
  if (log_.used() < filling_) return Noted::kYes;
  filling_ += kTryAgainAfter;
  return Noted::kYesAndLogIsFilling;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_LANE_SHARD_H_
