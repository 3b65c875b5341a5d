#include "permit_ledger.h"

#include <utility>

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

// An id is the serial number of the grant above the number of its slot (plus 1: id 0 means "no permit").
constexpr int kSlotBits = 24;
constexpr std::uint64_t kSlotMask = (std::uint64_t{1} << kSlotBits) - 1;

}  // namespace

std::uint64_t PermitLedger::Grant(HeldPermit permit, bool watched, bool leased) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::int32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::int32_t index = free_.back();
  free_.pop_back();
  permit.id = (++granted_ << kSlotBits) | static_cast<std::uint64_t>(index + 1);
  slots_[index].permit = permit;
  if (watched) Push(kWatched, index);
  if (leased) Push(kLeased, index);
  ++in_flight_;
  if (permit.probe) ++probes_in_flight_;
  return permit.id;
}

std::optional<HeldPermit> PermitLedger::Release(std::uint64_t id) {
  const std::int32_t index = IndexOf(id);
  if (index == kNone) return std::nullopt;
  return Free(index);
}

const HeldPermit* PermitLedger::Find(std::uint64_t id) const {
  const std::int32_t index = IndexOf(id);
  return index == kNone ? nullptr : &slots_[index].permit;
}

void PermitLedger::Park(std::uint64_t id) {
  const std::int32_t index = IndexOf(id);
  if (index == kNone) return;
  Unlink(kWatched, index);
  Unlink(kLeased, index);
  LeaveFlight(&slots_[index].permit);
}

void PermitLedger::LeaveFlight(HeldPermit* permit) {
  if (std::exchange(permit->parked, true)) return;
  --in_flight_;
  if (permit->probe) --probes_in_flight_;
}

std::optional<HeldPermit> PermitLedger::MarkNext(Time limit) {
  const std::int32_t index = ends_[kWatched].first;
  if (index == kNone || slots_[index].permit.started > limit) return std::nullopt;
  Unlink(kWatched, index);
  slots_[index].permit.marked = true;
  return slots_[index].permit;
}

std::optional<HeldPermit> PermitLedger::ReclaimNext(Time limit) {
  const std::int32_t index = ends_[kLeased].first;
  if (index == kNone || slots_[index].permit.started > limit) return std::nullopt;
  return Free(index);
}

void PermitLedger::EndGeneration() {
  while (ends_[kWatched].first != kNone) Unlink(kWatched, ends_[kWatched].first);
  for (std::int32_t index = ends_[kLeased].first; index != kNone;) {
    const std::int32_t next = slots_[index].links[kLeased].next;
    if (!slots_[index].permit.probe) Unlink(kLeased, index);
    index = next;
  }
}

std::int32_t PermitLedger::IndexOf(std::uint64_t id) const {
  const std::uint64_t slot = id & kSlotMask;
  if (slot == 0 || slot > slots_.size() || slots_[slot - 1].permit.id != id) return kNone;
  return static_cast<std::int32_t>(slot - 1);
}

HeldPermit PermitLedger::Free(std::int32_t index) {
  Unlink(kWatched, index);
  Unlink(kLeased, index);
  LeaveFlight(&slots_[index].permit);
  const HeldPermit permit = slots_[index].permit;
  slots_[index].permit.id = 0;
  free_.push_back(index);
  return permit;
}

void PermitLedger::Push(Queue queue, std::int32_t index) {
  Ends& ends = ends_[queue];
  Link link{ends.last, kNone};
  while (link.previous != kNone && slots_[link.previous].permit.started > slots_[index].permit.started) {
    link = {slots_[link.previous].links[queue].previous, link.previous};
  }
  slots_[index].links[queue] = link;
  (link.previous == kNone ? ends.first : slots_[link.previous].links[queue].next) = index;
  (link.next == kNone ? ends.last : slots_[link.next].links[queue].previous) = index;
}

void PermitLedger::Unlink(Queue queue, std::int32_t index) {
  Link& link = slots_[index].links[queue];
  if (link.next == kUnlinked) return;
  Ends& ends = ends_[queue];
  (link.previous == kNone ? ends.first : slots_[link.previous].links[queue].next) = link.next;
  (link.next == kNone ? ends.last : slots_[link.next].links[queue].previous) = link.previous;
  link = Link();
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
