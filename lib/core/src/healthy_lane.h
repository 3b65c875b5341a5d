// The healthy lane: attempts on a healthy link are noted beside the breaker and told to it later, in one go, so that threads which share a
// breaker do not wait for each other.
//
// While a breaker is closed and nothing speaks against its link, the answer to every attempt is known beforehand, and a good answer in
// reasonable time changes no decision. Such attempts are noted in a shard of their thread (lane_shard.h); everything else, a failure, a
// slow answer, an open breaker, takes the breaker's mutex, as do a few healthy attempts. Then the machine is first told what was noted
// (`LaneMachine::ReplayLane`), which does exactly what the attempts would have done one by one. So a caller of one thread can't tell that
// there is a lane; threads among each other see what was noted elsewhere a millisecond later, or, when all is healthy, a little more:
//
//   when                                                                                    | is told
//   its log is filling; or the mutex was taken by its thread                                | the shard
//   that, and a millisecond passed since all were; the breaker is looked at or worked       | all shards
//   `kLongestOpening` passed since all were; an attempt in flight may have become overdue   | all shards
//   the machine is not healthy any more                                                     | all shards, and then they are closed
//
// The protocol: a shard's terms, log and attempts in flight are guarded by its lock. A shard is open only while the machine is healthy;
// before the mutex is let go after an event that ended that, every shard was closed under its lock. What was noted in another shard
// meanwhile counts as having been just before. The mutex is taken before a shard's lock, and one shard's lock at a time.
//
// An attempt in flight is in its shard until its end is noted, or until the machine adopts it: when its end is not one to be noted, when it
// is old enough to be looked at in flight, when its generation ends. Its permit stays valid: `moved_` knows what the machine calls it.
#ifndef RECLOSER_CORE_SRC_HEALTHY_LANE_H_
#define RECLOSER_CORE_SRC_HEALTHY_LANE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "lane_machine.h"
#include "lane_shard.h"
#include "recloser/core/breaker.h"
#include "recloser/core/export.h"
#include "recloser/core/time.h"
#include "thread_number.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class HealthyLane {
 public:
  HealthyLane();
  ~HealthyLane();
  HealthyLane(const HealthyLane&) = delete;
  HealthyLane& operator=(const HealthyLane&) = delete;

  // From any thread, without the mutex.

  /// Notes a unary attempt that begins; false when the machine must be asked.
  bool Begin(Time now, Permit* permit);
  /// Notes a good end of an attempt that the lane admitted; `kNo` when the machine must be told.
  LaneShard::Noted End(const Permit& permit, Time now);

  // All below: under the breaker's mutex.

  /// `machine`: null when it can't do with a lane. Attempts in flight are forgotten, they were the machine's before.
  void SetMachine(LaneMachine* machine, std::uint64_t generations_before);

  // These tell the machine what was noted, and return the caller's time of the latest of it.

  /// Before the machine is asked or told anything else at `now`: at least what this thread noted. Without `now`: all.
  std::optional<Time> Fold(std::optional<Time> now);
  std::optional<Time> FoldAll();
  /// Of the shard where this permit was.
  std::optional<Time> FoldOf(const Permit& permit);

  /// After `Fold`: the machine adopts what it has to look at.
  void Enter(Time now);
  /// The machine adopts all: its rules are about to change.
  void AdoptAll() { AdoptOlder(kInfiniteFuture); }
  /// The permit as the machine knows it. `given_back`: it is about to be, so it is forgotten here.
  Permit AsMachines(const Permit& permit, bool given_back);
  /// After that. `acts`: nothing but the machine decides about admissions. Returns whether attempts may be noted.
  bool Leave(Time now, bool acts);
  /// Makes room in this thread's shard for the attempts to come, or makes the shard.
  void Prepare();

  std::int64_t in_flight() const;

 private:
  static constexpr unsigned kMostShards = 1u << LaneShard::kNumberBits;
  LaneShard* ShardOfThisThread() const;
  template <class Function>
  void ForEach(Function&& visit) const;

  std::optional<Time> FoldOne(LaneShard* shard);
  std::optional<Time> Replay(absl::Span<const LaneEvent> events);
  /// False, and closed, when an attempt in flight may have to be looked at already.
  bool Open(Time t, const LaneTerms& terms);
  void Open(LaneShard& shard) const;
  void Close();
  /// The machine adopts all that began at or before `limit`.
  void AdoptOlder(Time limit);
  std::uint64_t Adopt(const LaneShard::InFlight& attempt);

  const unsigned mask_;
  std::array<std::atomic<LaneShard*>, kMostShards> shards_{};
  // All below: guarded by the breaker's mutex.
  LaneMachine* machine_ = nullptr;
  std::uint64_t generations_before_ = 0;
  std::uint64_t generation_ = 0;  // of what is in the shards
  bool open_ = false;
  LaneTerms terms_;  // while open
  Time opened_{};    // last
  // Attempts may be noted in between.
  Time from_{};
  Time until_{};
  Time scanned_{};
  /// No attempt in a shard began earlier; kInfiniteFuture: there is none.
  Time oldest_ = kInfiniteFuture;
  absl::flat_hash_map<std::uint64_t, std::uint64_t> moved_;
};

inline LaneShard* HealthyLane::ShardOfThisThread() const { return shards_[ThreadNumber() & mask_].load(std::memory_order_acquire); }

inline bool HealthyLane::Begin(Time now, Permit* permit) {
  LaneShard* const shard = ShardOfThisThread();
  return shard != nullptr && shard->Begin(now, permit);
}

inline LaneShard::Noted HealthyLane::End(const Permit& permit, Time now) {
  LaneShard* const shard = shards_[LaneShard::NumberOf(permit.id)].load(std::memory_order_acquire);
  return shard == nullptr ? LaneShard::Noted::kNo : shard->End(permit.id, now);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_HEALTHY_LANE_H_
