// The log of the healthy lane: what goes in comes out, however far apart, and it is full before it overflows.
#include "lane_log.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "pick.h"

namespace recloser {
namespace {

struct Noted {
  std::int64_t at;
  std::int64_t took;
};

/// Small ones, those about the edges of a word, and any.
std::int64_t PickNumber() {
  constexpr std::int64_t kEdges[] = {0, 1, 0x7ffd, 0x7ffe, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x10000, 0xfffffffe, 0xffffffff};
  switch (Pick(0, 3)) {
    case 0:
      return Pick(0, 1000);
    case 1:
      return kEdges[Pick(0, static_cast<int>(std::size(kEdges)))];
    default:
      return *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 32);
  }
}

TEST(LaneLog, GivesBackWhatWasNoted) {
  EXPECT_TRUE(rc::check([] {
    LaneLog log;
    std::int64_t now = *rc::gen::arbitrary<std::int32_t>();
    for (int round = Pick(1, 4); round > 0; --round) {
      std::vector<Noted> noted;
      for (int i = Pick(0, 500); i > 0 && log.has_room(); --i) {
        now += PickNumber();
        noted.push_back({now, Pick(0, 2) == 0 ? LaneEvent::kArrival.count() : PickNumber()});
        noted.back().took < 0 ? log.Arrived(now) : log.Ended(now, static_cast<std::uint32_t>(noted.back().took));
      }
      std::array<LaneEvent, LaneLog::kMostEvents> events;
      RC_ASSERT(log.Take(events.data()) == static_cast<int>(noted.size()));
      for (std::size_t i = 0; i < noted.size(); ++i) {
        RC_ASSERT(events[i].at.count() == noted[i].at);
        RC_ASSERT(events[i].took.count() == noted[i].took);
      }
      RC_ASSERT(log.used() == 0u);
    }
  }));
}

TEST(LaneLog, HoldsThreeWordsForABusyAttempt) {
  LaneLog log;
  int attempts = 0;
  for (; log.has_room(); ++attempts) {
    log.Arrived(attempts * 100);
    log.Ended(attempts * 100 + 50, 50);
  }
  EXPECT_GE(attempts, static_cast<int>(LaneLog::kWords / 3) - 2);
}

TEST(LaneLog, HasRoomForTheLongestEventUntilItIsFull) {
  LaneLog log;
  for (std::int64_t now = 0; log.has_room(); now += 0xffffffff) log.Ended(now, 0xffffffff);
  EXPECT_LE(log.used(), LaneLog::kWords);
  EXPECT_GT(log.used(), LaneLog::kWords - 6);
}

}  // namespace
}  // namespace recloser
