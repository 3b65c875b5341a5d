#include "pinned_math.h"

#include <gtest/gtest.h>

#include <cmath>

#include "distributions.h"

namespace recloser::sim {
namespace {

TEST(PinnedMath, LogAgreesWithTheCLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) EXPECT_NEAR(Log(x), std::log(x), 4e-16 * std::abs(std::log(x)) + 1e-16) << x;
  for (double x = 0.9; x < 1.1; x += 1e-3) EXPECT_NEAR(Log(x), std::log(x), 2e-16) << x;
}

TEST(PinnedMath, ExpAgreesWithTheCLibrary) {
  for (double x = -690; x < 690; x += 0.37) EXPECT_NEAR(Exp(x) / std::exp(x), 1, 4e-16) << x;
  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(Exp(-1e9), 0);
}

TEST(PinnedMath, InverseNormalInvertsTheNormalDistribution) {
  const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  for (double p = 1e-12; p < 0.5; p *= 1.3) EXPECT_NEAR(normal(InverseNormal(p)) / p, 1, 1e-12) << p;
  for (double p = 0.01; p < 1; p += 0.01) EXPECT_NEAR(normal(InverseNormal(p)), p, 1e-14) << p;
  EXPECT_EQ(InverseNormal(0.25), -InverseNormal(0.75));
}

// The bits, so that a compiler or an option that changes them is noticed.
TEST(PinnedMath, GivesTheSameBitsEverywhere) {
  EXPECT_EQ(Log(3), 0x1.193ea7aad030ap+0);
  EXPECT_EQ(Exp(1.5), 0x1.1ed3fe64fc541p+2);
  EXPECT_EQ(InverseNormal(0.975), 0x1.f5c0331eeff82p+0);
}

TEST(Distributions, HaveTheirMeans) {
  constexpr int kDraws = 200'000;
  Random random(1);
  const Lognormal service(0.02, 0.5);
  double exponential = 0;
  double lognormal = 0;
  double log_square = 0;
  for (int i = 0; i < kDraws; ++i) {
    exponential += DrawExponential(&random) / kDraws;
    const double draw = service.Draw(&random);
    lognormal += draw / kDraws;
    log_square += std::pow(std::log(draw / (0.02 * std::exp(-0.125))), 2) / kDraws;
  }
  EXPECT_NEAR(exponential, 1, 0.01);
  EXPECT_NEAR(lognormal, 0.02, 0.0002);
  EXPECT_NEAR(std::sqrt(log_square), 0.5, 0.005);
}

}  // namespace
}  // namespace recloser::sim
