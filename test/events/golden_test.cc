// Traces of other days and compilers: today's breakers decide the same.
//
// When the rules of a breaker are changed on purpose, write its trace anew:
//   events_test --gtest_also_run_disabled_tests --gtest_filter='*WritesThemAnew'
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "recloser/events/replay.h"
#include "traced_walk.h"

namespace recloser {
namespace {

const std::filesystem::path kFolder = RECLOSER_GOLDEN_TRACES;

/// An outage, a partial one and a hang, then everything that can happen to a breaker; some 12 kB.
std::string Record(const BreakerOptions& options) {
  Random random(2026);
  DecisionTraceOptions trace;
  trace.max_bytes = 12 << 10;
  TracedWalk walk(options, ChooseBy(&random), 2026, trace);
  while (!walk.trace().full()) walk.Step();
  return walk.Take();
}

TEST(GoldenTraces, AreDecidedTheSame) {
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".trace") continue;
    ++traces;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_LT(bytes.size(), 20000u);
    const absl::StatusOr<Replayed> replayed = ReplayTrace(bytes);
    ASSERT_TRUE(replayed.ok()) << entry.path() << ": " << replayed.status();
    ASSERT_EQ(replayed->breakers.size(), 1u);
    EXPECT_GT(replayed->breakers[0].transitions.size(), 5u);
    if (replayed->breakers[0].difference.has_value()) ADD_FAILURE() << entry.path() << ": " << replayed->breakers[0].difference->what;
  }
  EXPECT_EQ(traces, 2);
}

TEST(GoldenTraces, DISABLED_WritesThemAnew) {
  for (const auto& [name, options] : {std::pair("standard", Options(SmallStandard())), std::pair("adaptive", BreakerOptions())}) {
    std::ofstream(kFolder / (std::string(name) + ".trace"), std::ios::binary) << Record(options);
  }
}

}  // namespace
}  // namespace recloser
