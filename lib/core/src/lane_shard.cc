#include "lane_shard.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

constexpr std::uint32_t kFirstSlots = 8;

std::int64_t Count(Time t) { return t.time_since_epoch().count(); }
Time At(std::int64_t count) { return Time(Duration(count)); }

}  // namespace

void LaneShard::Open(const LaneTerms& terms, std::uint64_t permits_generation, Time from, Time until) {
  const std::lock_guard<SpinLock> lock(lock_);
  clock_offset_ = terms.clock_offset.count();
  from_ = Count(from);
  open_for_ = Difference(Count(until), from_);
  harmless_below_ =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(terms.harmless_below.count()), std::numeric_limits<std::uint32_t>::max());
  generation_ = permits_generation;
}

void LaneShard::Close() {
  const std::lock_guard<SpinLock> lock(lock_);
  open_for_ = 0;
}

void LaneShard::AdvanceTo(Time t) {
  const std::lock_guard<SpinLock> lock(lock_);
  latest_ = std::max(latest_, Count(t));
}

int LaneShard::Drain(LaneEvent* events) {
  const std::lock_guard<SpinLock> lock(lock_);
  filling_ = kFilling;
  return log_.Take(events);
}

std::optional<LaneShard::InFlight> LaneShard::Take(std::uint64_t permit) {
  const std::lock_guard<SpinLock> lock(lock_);
  const std::uint32_t index = IndexOf(permit);
  if (index >= capacity_ || slots_[index].permit != permit) return std::nullopt;
  const InFlight taken{permit, At(slots_[index].started_or_next)};
  Free(index);
  return taken;
}

Time LaneShard::TakeOlder(Time limit, std::vector<InFlight>* taken) {
  const std::lock_guard<SpinLock> lock(lock_);
  Time oldest = kInfiniteFuture;
  for (std::uint32_t i = 0; i < capacity_; ++i) {
    if (slots_[i].permit == 0) continue;
    const Time started = At(slots_[i].started_or_next);
    if (started > limit) {
      oldest = std::min(oldest, started);
      continue;
    }
    taken->push_back({slots_[i].permit, started});
    Free(i);
  }
  return oldest;
}

std::int64_t LaneShard::in_flight() const {
  const std::lock_guard<SpinLock> lock(lock_);
  return in_flight_;
}

void LaneShard::MakeRoom() {
  std::uint32_t capacity = 0;
  {
    const std::lock_guard<SpinLock> lock(lock_);
    if (free_ != kNoSlot || capacity_ >= 1u << kSlotBits) return;
    capacity = std::max(kFirstSlots, 2 * capacity_);
  }
  // Only who holds the breaker's mutex makes room, so the capacity is the same still.
  auto slots = std::make_unique<Slot[]>(capacity);
  const std::lock_guard<SpinLock> lock(lock_);
  std::copy(slots_.get(), slots_.get() + capacity_, slots.get());
  slots_.swap(slots);
  for (std::uint32_t i = capacity; i-- > capacity_;) {
    slots_[i] = {0, free_};
    free_ = i;
  }
  capacity_ = capacity;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
