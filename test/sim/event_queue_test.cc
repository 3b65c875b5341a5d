#include "event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "recloser/core/random.h"

namespace recloser::sim {
namespace {

// Against a sorted list, with kinds that mostly come in order, kinds that do not, and many ties.
TEST(EventQueue, GivesEventsByTimeAndTiesInTheOrderOfTheirPush) {
  Random random(7);
  EventQueue queue;
  std::vector<std::tuple<Time, std::uint32_t>> expected;  // what is in the queue: by time, then by number
  Time now{};
  std::uint32_t pushed = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (random.Uniform() < 0.55) {
      const Time at = now + Duration(static_cast<int>(random.Uniform() * 50));
      queue.Push(at, static_cast<EventKind>(random.Next() % 7), pushed);
      expected.emplace_back(at, pushed++);
      std::push_heap(expected.begin(), expected.end(), std::greater<>());
    } else if (!expected.empty()) {
      std::pop_heap(expected.begin(), expected.end(), std::greater<>());
      Event event;
      ASSERT_TRUE(queue.Pop(&event));
      ASSERT_EQ(std::make_tuple(event.time, event.index), expected.back());
      now = event.time;
      expected.pop_back();
    }
    ASSERT_EQ(queue.empty(), expected.empty());
  }
}

TEST(EventQueue, SaysWhenItIsEmpty) {
  EventQueue queue;
  Event event;
  EXPECT_FALSE(queue.Pop(&event));
  queue.Push(Time(Duration(5)), EventKind::kRetry, 3, 9);
  ASSERT_TRUE(queue.Pop(&event));
  EXPECT_EQ(event.index, 3u);
  EXPECT_EQ(event.serial, 9u);
  EXPECT_FALSE(queue.Pop(&event));
}

}  // namespace
}  // namespace recloser::sim
