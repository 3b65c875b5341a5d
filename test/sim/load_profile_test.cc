#include "load_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "scenarios.h"

namespace recloser::sim {
namespace {

constexpr Time kOrigin{seconds(100)};

std::vector<double> ArrivalSeconds(const Load& load, Duration length, std::uint64_t seed = 1) {
  const LoadProfile profile(load, kOrigin, kOrigin, kOrigin + length);
  LoadProfile::Arrivals arrivals(&profile, Random(seed));
  std::vector<double> times;
  while (const auto t = arrivals.Next()) times.push_back(ToSeconds(*t - kOrigin));
  return times;
}

std::int64_t CountBetween(const std::vector<double>& times, double from, double to) {
  return std::count_if(times.begin(), times.end(), [&](double t) { return t >= from && t < to; });
}

TEST(LoadProfile, FollowsStepsAndRamps) {
  Load load;
  load.rate = 100;
  load.changes = {{seconds(100), 1000, Duration::zero()}, {seconds(200), 0, seconds(100)}};
  const LoadProfile profile(load, kOrigin, kOrigin, kOrigin + seconds(400));
  EXPECT_EQ(profile.RateAt(kOrigin + seconds(50)), 100);
  EXPECT_EQ(profile.RateAt(kOrigin + seconds(150)), 1000);
  EXPECT_NEAR(profile.RateAt(kOrigin + seconds(225)), 750, 1e-9);
  EXPECT_EQ(profile.RateAt(kOrigin + seconds(350)), 0);

  const std::vector<double> times = ArrivalSeconds(load, seconds(400));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  // Within four standard deviations of the Poisson counts.
  EXPECT_NEAR(CountBetween(times, 0, 100), 10'000, 400);
  EXPECT_NEAR(CountBetween(times, 100, 200), 100'000, 1265);
  EXPECT_NEAR(CountBetween(times, 200, 250), 37'500, 775);
  EXPECT_NEAR(CountBetween(times, 250, 300), 12'500, 450);
  EXPECT_EQ(CountBetween(times, 300, 400), 0);
}

TEST(LoadProfile, ArrivalsArePoisson) {
  Load load;
  load.rate = 500;
  const std::vector<double> times = ArrivalSeconds(load, seconds(400));
  // The variance of the counts per 0.1 s is their mean.
  double square = 0;
  for (int i = 0; i < 4000; ++i) {
    const double deviation = static_cast<double>(CountBetween(times, 0.1 * i, 0.1 * (i + 1))) - 50;
    square += deviation * deviation / 4000;
  }
  EXPECT_NEAR(square, 50, 5);
}

TEST(LoadProfile, ClientsShareTheLoad) {
  Load load;
  load.rate = 500;
  load.clients = 50;
  EXPECT_NEAR(static_cast<double>(ArrivalSeconds(load, seconds(1000)).size()), 10'000, 400);
}

TEST(LoadProfile, AChangeThatTheEndCutsOffIsCutOff) {
  Load load;
  load.rate = 0;
  load.changes = {{seconds(10), 1000, seconds(100)}, {seconds(500), 5, Duration::zero()}};
  const std::vector<double> times = ArrivalSeconds(load, seconds(60));
  EXPECT_EQ(CountBetween(times, 0, 10), 0);
  EXPECT_NEAR(CountBetween(times, 10, 60), 12'500, 450);  // the rate ends at 500
}

}  // namespace
}  // namespace recloser::sim
