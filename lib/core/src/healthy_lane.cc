#include "healthy_lane.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "thread_number.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {
namespace {

/// Shards are read, and may go on, at the latest after so long.
constexpr Duration kLongestOpening = std::chrono::milliseconds(100);
/// While there is cause to take the mutex, so often.
constexpr Duration kFoldedEvery = std::chrono::milliseconds(1);
/// Threads read the clock before they come here: so much earlier than the latest is no step of the clock.
constexpr Duration kSkew = std::chrono::milliseconds(1);

/// Attempts in flight are looked through for the oldest at most so often.
constexpr Duration kScannedEvery = std::chrono::milliseconds(10);
/// The id of no permit.
constexpr std::uint64_t kUnknownPermit = ~std::uint64_t{0};

/// Twice as many shards as processors: threads that come and go seldom share one.
unsigned ShardMask() {
  unsigned shards = 2;
  while (shards < 2 * std::thread::hardware_concurrency() && shards < 1u << LaneShard::kNumberBits) shards *= 2;
  return shards - 1;
}

}  // namespace

HealthyLane::HealthyLane() : mask_(ShardMask()) {}

HealthyLane::~HealthyLane() {
  for (const std::atomic<LaneShard*>& shard : shards_) delete shard.load(std::memory_order_relaxed);
}

template <class Function>
void HealthyLane::ForEach(Function&& visit) const {
  for (const std::atomic<LaneShard*>& shard : shards_) {
    // Shards are made under the mutex, which is held.
    if (LaneShard* const made = shard.load(std::memory_order_relaxed)) visit(*made);
  }
}

void HealthyLane::SetMachine(LaneMachine* machine, std::uint64_t generations_before) {
  Close();
  std::vector<LaneShard::InFlight> forgotten;
  ForEach([&](LaneShard& shard) { shard.TakeOlder(kInfiniteFuture, &forgotten); });
  moved_.clear();
  oldest_ = kInfiniteFuture;
  machine_ = machine;
  generations_before_ = generations_before;
  if (machine_ != nullptr) generation_ = machine_->lane_generation();
}

std::optional<Time> HealthyLane::Fold(std::optional<Time> now) {
  if (!open_) return std::nullopt;
  if (!now.has_value()) return FoldAll();
  // Also when the clock stepped back, which nobody else may have noticed.
  const Time t = SaturatingAdd(*now, terms_.clock_offset);
  return t < from_ || t >= until_ || Elapsed(opened_, t) >= kFoldedEvery ? FoldAll() : FoldOne(ShardOfThisThread());
}

std::optional<Time> HealthyLane::FoldOf(const Permit& permit) {
  return open_ ? FoldOne(shards_[LaneShard::NumberOf(permit.id)].load(std::memory_order_relaxed)) : std::nullopt;
}

std::optional<Time> HealthyLane::FoldOne(LaneShard* shard) {
  if (shard == nullptr) return std::nullopt;
  std::array<LaneEvent, LaneLog::kMostEvents> events;
  const int count = shard->Drain(events.data());
  return Replay({events.data(), static_cast<std::size_t>(count)});
}

std::optional<Time> HealthyLane::FoldAll() {
  if (!open_) return std::nullopt;
  std::vector<LaneEvent> events;
  int shards = 0;
  ForEach([&](LaneShard& shard) {
    const std::size_t before = events.size();
    events.resize(before + LaneLog::kMostEvents);
    const int count = shard.Drain(events.data() + before);
    events.resize(before + static_cast<std::size_t>(count));
    if (count > 0) ++shards;
  });
  if (shards > 1) std::stable_sort(events.begin(), events.end(), [](const LaneEvent& a, const LaneEvent& b) { return a.at < b.at; });
  return Replay(events);
}

std::optional<Time> HealthyLane::Replay(absl::Span<const LaneEvent> events) {
  if (events.empty()) return std::nullopt;
  machine_->ReplayLane(events, generation_);
  return Time(SaturatingDifference(Time(events.back().at), Time(terms_.clock_offset)));
}

void HealthyLane::Enter(Time now) {
  if (machine_ == nullptr) return;
  const Time limit(SaturatingDifference(machine_->lane_now(now), Time(machine_->lane_watched_from())));
  if (oldest_ <= limit) AdoptOlder(limit);
}

void HealthyLane::AdoptOlder(Time limit) {
  if (machine_ == nullptr) return;
  std::vector<LaneShard::InFlight> taken;
  Time oldest = kInfiniteFuture;
  ForEach([&](LaneShard& shard) { oldest = std::min(oldest, shard.TakeOlder(limit, &taken)); });
  // More may begin meanwhile, but none before the shards were opened.
  oldest_ = open_ ? std::min(oldest, from_) : oldest;
  std::sort(taken.begin(), taken.end(), [](const auto& a, const auto& b) { return a.started < b.started; });
  for (const LaneShard::InFlight& attempt : taken) moved_[attempt.permit] = Adopt(attempt);
}

std::uint64_t HealthyLane::Adopt(const LaneShard::InFlight& attempt) {
  HeldPermit held;
  held.generation = generation_;
  held.started = attempt.started;
  return machine_->Adopt(held);
}

Permit HealthyLane::AsMachines(const Permit& permit, bool given_back) {
  Permit own = permit;
  own.lane = false;
  own.id = kUnknownPermit;
  if (const auto moved = moved_.find(permit.id); moved != moved_.end()) {
    own.id = moved->second;
    if (given_back) moved_.erase(moved);
    return own;
  }
  LaneShard* const shard = shards_[LaneShard::NumberOf(permit.id)].load(std::memory_order_relaxed);
  if (shard == nullptr || machine_ == nullptr) return own;
  if (const std::optional<LaneShard::InFlight> attempt = shard->Take(permit.id)) {
    own.id = Adopt(*attempt);
    if (!given_back) moved_[permit.id] = own.id;
  }
  return own;
}

bool HealthyLane::Leave(Time now, bool acts) {
  if (machine_ == nullptr) return false;
  const std::optional<LaneTerms> terms = acts ? machine_->lane_terms() : std::nullopt;
  const bool ended = machine_->lane_generation() != generation_;
  if (!terms.has_value() || ended) Close();
  if (ended) {
    AdoptAll();
    generation_ = machine_->lane_generation();
  }
  if (!terms.has_value()) return false;
  const Time t = machine_->lane_now(now);
  const bool stays = open_ && *terms == terms_ && t < until_ && Elapsed(opened_, t) < kFoldedEvery;
  if (!stays && !Open(t, *terms)) return false;
  // What this thread notes next was not before what it told the machine.
  if (LaneShard* const shard = ShardOfThisThread()) shard->AdvanceTo(machine_->lane_now(Time::min()));
  return true;
}

bool HealthyLane::Open(Time t, const LaneTerms& terms) {
  FoldAll();
  const auto looked_at = [&](Time oldest) { return SaturatingAdd(oldest, terms.unwatched_below); };
  const Time latest_end = SaturatingAdd(t, kLongestOpening);
  if (looked_at(oldest_) < latest_end && Elapsed(scanned_, t) >= kScannedEvery) {
    scanned_ = t;
    AdoptOlder(Time::min());
  }
  // Also those that are about to begin.
  const Time from(SaturatingDifference(t, Time(kSkew)));
  oldest_ = std::min(oldest_, from);
  const Time until = std::min({latest_end, looked_at(oldest_), machine_->lane_next_look()});
  if (until <= t) {
    Close();
    return false;
  }
  open_ = true;
  terms_ = terms;
  opened_ = t;
  from_ = from;
  until_ = until;
  ForEach([&](LaneShard& shard) { Open(shard); });
  return true;
}

void HealthyLane::Open(LaneShard& shard) const { shard.Open(terms_, terms_.generation + generations_before_, from_, until_); }

void HealthyLane::Close() {
  if (!open_) return;
  ForEach([](LaneShard& shard) { shard.Close(); });
  FoldAll();
  open_ = false;
}

void HealthyLane::Prepare() {
  if (!open_) return;
  const unsigned number = ThreadNumber() & mask_;
  LaneShard* shard = shards_[number].load(std::memory_order_relaxed);
  if (shard != nullptr) return shard->MakeRoom();
  shard = new LaneShard(number);
  shard->MakeRoom();
  Open(*shard);
  shards_[number].store(shard, std::memory_order_release);
}

std::int64_t HealthyLane::in_flight() const {
  std::int64_t attempts = 0;
  ForEach([&](const LaneShard& shard) { attempts += shard.in_flight(); });
  return attempts;
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser
