#include "worth.h"

#include <gtest/gtest.h>

#include "scenarios.h"

namespace recloser::sim {
namespace {

constexpr Duration kSlo = milliseconds(500);

double Worth(const Conditions& conditions, double offered) { return EndpointWorth(Service(), conditions, offered, kSlo); }

TEST(Worth, IsOneMinusTheErrorsOfAHealthyService) {
  Conditions healthy;
  healthy.error_share = 0.01;
  EXPECT_DOUBLE_EQ(Worth(healthy, 480), 0.99);
  EXPECT_DOUBLE_EQ(Worth(healthy, 0), 0.99);
}

TEST(Worth, IsZeroWhileDown) {
  Conditions refused;
  refused.refused = true;
  EXPECT_EQ(Worth(refused, 480), 0);
  Conditions blackhole;
  blackhole.blackhole = true;
  EXPECT_EQ(Worth(blackhole, 480), 0);
}

TEST(Worth, IsZeroWhenTheMeanServiceTimeExceedsTheSlo) {
  Conditions slow;
  slow.slow_factor = 40;  // 0.8 s
  EXPECT_EQ(Worth(slow, 1), 0);
  slow.slow_factor = 24;  // 0.48 s, 33.3 calls per second
  EXPECT_NEAR(Worth(slow, 480), 800.0 / 24 / 480, 1e-12);
  slow.delay = milliseconds(30);
  EXPECT_EQ(Worth(slow, 480), 0);
}

TEST(Worth, IsTheShareThatCapacityLeaves) {
  EXPECT_DOUBLE_EQ(Worth(Conditions(), 1600), 0.5);
  Conditions squeezed;
  squeezed.workers_share = 0.2;
  EXPECT_DOUBLE_EQ(Worth(squeezed, 640), 0.25);
  squeezed.error_share = 0.5;
  EXPECT_DOUBLE_EQ(Worth(squeezed, 640), 0.125);
}

TEST(Visits, CountEveryWayToAService) {
  std::vector<Service> services(4);
  services[0].calls = {1, 2};
  services[1].calls = {3};
  services[2].calls = {3};
  EXPECT_EQ(VisitsPerCall(services), (std::vector<double>{1, 1, 1, 2}));
}

}  // namespace
}  // namespace recloser::sim
