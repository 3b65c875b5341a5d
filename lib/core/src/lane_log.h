// What attempts did, in order of time, packed: a busy attempt takes three words of two bytes, arrival, end and duration, and none more than
// nine. A log is read in one go, when it is filling.
//
// An event is its time since the one before, shifted up by a bit that says whether an attempt ended; then its duration follows. What does
// not fit into a word is two words more, the lower first. Thread safety: none.
#ifndef RECLOSER_CORE_SRC_LANE_LOG_H_
#define RECLOSER_CORE_SRC_LANE_LOG_H_

#include <array>
#include <cstdint>

#include "lane_machine.h"
#include "recloser/core/export.h"
#include "recloser/core/time.h"

namespace recloser {
inline namespace RECLOSER_INTERNAL {

class LaneLog {
 public:
  static constexpr std::uint32_t kWords = 352;
  /// In a full log.
  static constexpr std::uint32_t kMostEvents = kWords;

  /// For one event, whatever it is.
  bool has_room() const { return used_ <= kWords - kMostWords; }
  std::uint32_t used() const { return used_; }

  // Times in nanoseconds: not before that of the event before, and less than 2^32 after it. Only while there is room.
  void Arrived(std::int64_t t) { Put(t, kArrived); }
  void Ended(std::int64_t t, std::uint32_t took);

  /// Takes all events, `kMostEvents` at most. Returns how many.
  int Take(LaneEvent* events);

 private:
  using Word = std::uint16_t;
  static constexpr std::uint32_t kMostWords = 6;
  static constexpr Word kArrived = 0;
  static constexpr Word kEnded = 1;
  // In the place of a number: it is in the two words that follow.
  static constexpr std::uint32_t kFar = 0x7fff;
  static constexpr std::uint32_t kLong = 0xffff;

  void Put(std::int64_t t, Word kind);
  void PutWide(std::uint32_t number);
  static std::uint32_t TakeWide(const Word** word);

  std::int64_t latest_ = 0;
  std::int64_t began_ = 0;
  std::uint32_t used_ = 0;
  std::array<Word, kWords> words_;  // not initialised: only what was written is read
};

inline void LaneLog::PutWide(std::uint32_t number) {
  words_[used_++] = static_cast<Word>(number);
  words_[used_++] = static_cast<Word>(number >> 16);
}

inline void LaneLog::Put(std::int64_t t, Word kind) {
  if (used_ == 0) began_ = latest_ = t;
  const auto since = static_cast<std::uint32_t>(static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(latest_));
  latest_ = t;
  if (since < kFar) {
    words_[used_++] = static_cast<Word>(since << 1 | kind);
    return;
  }
  words_[used_++] = static_cast<Word>(kFar << 1 | kind);
  PutWide(since);
}

inline void LaneLog::Ended(std::int64_t t, std::uint32_t took) {
  Put(t, kEnded);
  if (took < kLong) {
    words_[used_++] = static_cast<Word>(took);
    return;
  }
  words_[used_++] = static_cast<Word>(kLong);
  PutWide(took);
}

inline std::uint32_t LaneLog::TakeWide(const Word** word) {
  const std::uint32_t low = *(*word)++;
  return low | static_cast<std::uint32_t>(*(*word)++) << 16;
}

inline int LaneLog::Take(LaneEvent* events) {
  const Word* word = words_.data();
  const Word* const end = word + used_;
  used_ = 0;
  LaneEvent* event = events;
  Duration t(began_);
  while (word != end) {
    const std::uint32_t head = *word++;
    const std::uint32_t since = head >> 1;
    t += Duration(since < kFar ? since : TakeWide(&word));
    event->at = t;
    event->took = LaneEvent::kArrival;
    if ((head & kEnded) != 0) {
      const std::uint32_t took = *word++;
      event->took = Duration(took < kLong ? took : TakeWide(&word));
    }
    ++event;
  }
  return static_cast<int>(event - events);
}

}  // namespace RECLOSER_INTERNAL
}  // namespace recloser

#endif  // RECLOSER_CORE_SRC_LANE_LOG_H_
