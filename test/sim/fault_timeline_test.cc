#include "fault_timeline.h"

#include <gtest/gtest.h>

#include "scenarios.h"

namespace recloser::sim {
namespace {

constexpr Time kOrigin{seconds(100)};

Time At(double s) { return kOrigin + FromSeconds(s); }

class Timeline {
 public:
  explicit Timeline(std::vector<Fault> faults, std::uint64_t seed = 1, int endpoint = 0) : faults_(std::move(faults)) {
    Random random(seed);
    intervals_ = DrawIntervals(faults_, kOrigin, &random);
    timeline_ = std::make_unique<FaultTimeline>(intervals_, endpoint, 0.002);
  }
  const Conditions& operator()(double s) { return timeline_->At(At(s)); }
  const std::vector<FaultInterval>& intervals() const { return intervals_; }
  FaultTimeline& timeline() { return *timeline_; }

 private:
  std::vector<Fault> faults_;
  std::vector<FaultInterval> intervals_;
  std::unique_ptr<FaultTimeline> timeline_;
};

TEST(FaultTimeline, BeginsAndEndsEachFault) {
  Timeline at({Plain(Fault::Kind::kRefused)});
  EXPECT_FALSE(at(2.999).refused);
  EXPECT_EQ(at(2.999).error_share, 0.002);
  EXPECT_TRUE(at(3).refused);
  EXPECT_TRUE(at(5.999).down());
  EXPECT_FALSE(at(6).refused);
  EXPECT_EQ(at.timeline().Cuts(), std::vector<Time>{At(3)});
}

TEST(FaultTimeline, OverlappingFaultsMultiply) {
  Fault slow = Plain(Fault::Kind::kSlow);
  slow.slow_factor = 4;
  Fault capacity = Plain(Fault::Kind::kCapacity);
  capacity.at = seconds(4);
  capacity.capacity_start = capacity.capacity_end = 0.5;
  Fault errors = Plain(Fault::Kind::kErrors);
  errors.at = seconds(4);
  errors.error_share = 0.5;
  Timeline at({slow, capacity, errors});
  EXPECT_EQ(at(3.5).slow_factor, 4);
  EXPECT_EQ(at(5).slow_factor, 8);
  EXPECT_DOUBLE_EQ(at(5).error_share, 1 - 0.998 * 0.5);
  EXPECT_EQ(at(6.5).slow_factor, 2);
}

TEST(FaultTimeline, CapacityGoesInAStraightLine) {
  Fault cold = Plain(Fault::Kind::kCapacity);
  cold.length = seconds(10);
  cold.capacity_start = 0.25;
  cold.capacity_end = 1;
  cold.capacity_scales_workers = true;
  Timeline at({cold});
  EXPECT_DOUBLE_EQ(at(3).workers_share, 0.25);
  EXPECT_DOUBLE_EQ(at(8).workers_share, 0.625);
  EXPECT_DOUBLE_EQ(at(13).workers_share, 1);
  EXPECT_EQ(at(13).slow_factor, 1);
}

TEST(FaultTimeline, AFaultWithoutATimeBeginsWhenTheOneBeforeItHasEnded) {
  Fault crash = Plain(Fault::Kind::kRefused);
  crash.end_jitter = seconds(5);
  Fault cold = Plain(Fault::Kind::kCapacity);
  cold.at.reset();
  cold.recovery = true;
  Timeline at({crash, cold});
  const Time end = at.intervals()[0].end;
  EXPECT_GT(end, At(6));
  EXPECT_LT(end, At(11));
  EXPECT_EQ(at.intervals()[1].begin, end);
  // The recovery is not part of what the figures call the fault.
  const std::optional<FaultSpan> span = SpanOf(at.intervals());
  EXPECT_EQ(span->begin, At(3));
  EXPECT_EQ(span->end, end);
}

TEST(FaultTimeline, FlappingJittersEachPeriod) {
  Fault flapping = Plain(Fault::Kind::kFlapping);
  flapping.down = seconds(1);
  flapping.up = seconds(9);
  flapping.cycles = 6;
  Timeline at({flapping});
  ASSERT_EQ(at.intervals().size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    const double down = ToSeconds(at.intervals()[i].end - at.intervals()[i].begin);
    EXPECT_GE(down, 0.75);
    EXPECT_LE(down, 1.25);
    EXPECT_EQ(at.intervals()[i].kind, Fault::Kind::kRefused);
    if (i == 0) continue;
    const double up = ToSeconds(at.intervals()[i].begin - at.intervals()[i - 1].end);
    EXPECT_GE(up, 6.75);
    EXPECT_LE(up, 11.25);
  }
  EXPECT_EQ(at.timeline().Cuts().size(), 6u);
  EXPECT_NE(Timeline({flapping}, 2).intervals()[0].end, at.intervals()[0].end);
}

TEST(FaultTimeline, HitsTheNamedEndpointsOnly) {
  Fault one = Plain(Fault::Kind::kBlackhole);
  one.endpoints = {1};
  EXPECT_FALSE(Timeline({one}, 1, 0)(4).down());
  EXPECT_TRUE(Timeline({one}, 1, 1)(4).blackhole);
}

TEST(FaultTimeline, NoFaultsHaveNoSpan) { EXPECT_FALSE(SpanOf({}).has_value()); }

}  // namespace
}  // namespace recloser::sim
